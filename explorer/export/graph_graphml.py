"""The graph as GraphML that networkx, igraph and Gephi open."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from pathlib import Path

from explorer.base.errors import InputError
from explorer.base.events import EventSink, Notice, ignore
from explorer.base.files import write_atomic
from explorer.base.words import agree, counted
from explorer.export.book import communities_under
from explorer.export.target import target_file
from explorer.tables.index import Index

# What XML 1.0 cannot hold, not even as a reference.
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def export_graph(index: Index, out: Path, community: int | None = None, *, sink: EventSink = ignore) -> Path:
    """Write entities as nodes and relationships as undirected edges; gives the file that was written.

    Nodes have `title`, `type`, `description`, `number`, `degree` and, for each level that they reach, `community_0`,
    `community_1` …; edges have `number`, `weight` and `description`. Each relationship is one edge: A–B and B–A stay
    two. With `community` only its members and what is between them. What cannot be written is said through `sink`.
    Raises InputError where there is no entity, StorageError where the disk refuses.
    """
    import networkx as nx

    target = target_file(out, "graph.graphml")
    entities = index.entities
    if community is not None:
        members = {
            member
            for number, _ in communities_under(index, community)
            if number in index.community_by_number
            for member in index.community_by_number[number].entity_ids
        }
        entities = [row for row in entities if row.id in members]
    if not entities:
        raise InputError(f"{index.name} has no entity to export; nothing was written.")
    levels: dict[str, dict[int, int]] = defaultdict(dict)
    for row in index.communities:
        for member in row.entity_ids:
            levels[member].setdefault(row.level, row.community)
    graph: nx.MultiGraph[str] = nx.MultiGraph()
    node_of: dict[str, str] = {}
    for place, entity in enumerate(entities):
        name = f"n{place}"
        node_of.setdefault(entity.title, name)
        graph.add_node(
            name,
            title=_legal(entity.title),
            type=_legal(entity.type),
            description=_legal(entity.description),
            number=entity.number,
            degree=entity.degree,
            **{f"community_{level}": number for level, number in sorted(levels[entity.id].items())},
        )
    unknown = unweighted = 0
    for edge in index.relationships:
        source, target_node = node_of.get(edge.source), node_of.get(edge.target)
        if source is None or target_node is None:
            unknown += community is None
            continue
        key = graph.add_edge(source, target_node, number=edge.number, description=_legal(edge.description))
        if math.isfinite(edge.weight):
            graph.edges[source, target_node, key]["weight"] = float(edge.weight)
        else:
            unweighted += 1
    if unknown:
        sink(
            Notice(
                f"{counted(unknown, 'relationship names', 'relationships name')} an entity that the index does not "
                f"have and {agree(unknown, 'was', 'were')} left out."
            )
        )
    if unweighted:
        sink(
            Notice(
                f"{counted(unweighted, 'relationship has', 'relationships have')} no finite weight and "
                f"{agree(unweighted, 'was', 'were')} written without one."
            )
        )
    write_atomic(target, lambda path: nx.write_graphml_lxml(graph, path, named_key_ids=True))
    return target


def _legal(text: str) -> str:
    return _ILLEGAL.sub("", text)
