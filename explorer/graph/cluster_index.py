"""Communities for an index that has entities and relationships and no table of communities.

Hierarchical Leiden on what there is, as for an index of this program; the result goes to the user data directory and
stands for the missing table when the index is opened again. Nothing is written into the folder.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from explorer.base.cancel import CancelScope
from explorer.base.errors import InputError
from explorer.base.files import write_text_atomic
from explorer.graph.leiden import Hierarchy, cluster
from explorer.graph.network import build_network
from explorer.tables.clustered import BASIS, FOLDER, basis, can_be_clustered
from explorer.tables.index import Index
from explorer.tables.rows import ROOT, RelationshipRow
from explorer.tables.sources import find_tables
from explorer.tables.write import write_table


def cluster_index(index: Index, scope: CancelScope | None = None) -> int:
    """Find the communities of such an index and keep them; returns how many there are.

    Takes seconds for a large graph: call it from a worker thread. Raises InputError where there is nothing to
    cluster, StorageError where the user data directory cannot be written to, Cancelled.
    """
    if not can_be_clustered(index):
        raise InputError(f"{index.name} has communities already, or no relationship; nothing was clustered.")
    rows = [(row.source, row.target, row.weight) for row in index.relationships]
    known = index.entity_by_title
    inside = [row for row in rows if not known or (row[0] in known and row[1] in known)]
    found = cluster(build_network(inside, known), scope=scope)
    if not found.clusters:
        raise InputError(f"No relationship of {index.name} joins two of its entities; nothing was clustered.")
    folder = index.home / FOLDER
    write_table(folder, "communities", _rows(found, index))
    write_text_atomic(folder / BASIS, json.dumps(basis(find_tables(index.output)), indent=1) + "\n")
    return len(found.clusters)


def _rows(found: Hierarchy, index: Index) -> Iterator[dict[str, Any]]:
    # Reports that are there were written about other communities: their numbers are not given again.
    first = 1 + max((row.community for row in index.reports), default=-1)
    children: dict[int, list[int]] = {}
    for one in found.clusters:
        children.setdefault(one.parent, []).append(first + one.community)
    by_source: dict[str, list[RelationshipRow]] = {}
    for row in index.relationships:
        by_source.setdefault(row.source, []).append(row)
    for one in found.clusters:
        members = set(one.titles)
        inner = [row for title in one.titles for row in by_source.get(title, ()) if row.target in members]
        entity_ids = _ids(one.titles, index)
        number = first + one.community
        yield {
            "id": str(number),
            "human_readable_id": number,
            "community": number,
            "level": one.level,
            "parent": one.parent if one.parent == ROOT else first + one.parent,
            "children": children.get(one.community, []),
            "title": f"Community {number}",
            "entity_ids": entity_ids,
            "relationship_ids": sorted({row.id for row in inner}),
            "text_unit_ids": sorted({unit for row in inner for unit in row.text_unit_ids}),
            "size": len(entity_ids),
        }


def _ids(titles: Sequence[str], index: Index) -> list[str]:
    return [index.entity_by_title[title].id for title in titles if title in index.entity_by_title]
