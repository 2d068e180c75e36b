"""Tables of GraphRAG before 2.0 in today's columns.

Before 2.0 an entity's degree and communities stood in a table of nodes, one row an entity and level; before 0.5
documents had `raw_content`, entities `name`, relationships `rank`, and communities their Leiden number as text for
an id, or no table at all. What a version did not write is taken from the tables that hold it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from explorer.tables.convert import maybe_integer, text
from explorer.tables.lists import items

Columns = dict[str, list[Any]]
Fetch = Callable[[str], Columns | None]

_RENAMED = {
    "documents": {"raw_content": "text"},
    "entities": {"name": "title"},
    "relationships": {"rank": "combined_degree"},
    "community_reports": {"rank_explanation": "rating_explanation"},
}


def modern_columns(name: str, columns: Columns, fetch: Fetch) -> Columns:
    """Today's columns of a table of any older version.

    Parameters
    ----------
    fetch: the raw columns of another table of the same index by its name, or None where it cannot be read.
    """
    found = {_RENAMED.get(name, {}).get(column, column): values for column, values in columns.items()}
    if "text_unit_ids" in found:
        found["text_unit_ids"] = [_split(value) for value in found["text_unit_ids"]]
    if name == "entities":
        return _entities(found, fetch)
    if name == "communities":
        return _communities(found, fetch)
    return found


def communities_from_nodes(nodes: Columns, fetch: Fetch) -> Columns:
    """The communities that a table of nodes names, with their members, for an index without a table of communities."""
    members: dict[tuple[int, int], list[str]] = {}
    for community, level, ids in _placed(nodes):
        members.setdefault((level, community), []).append(ids)
    ordered = sorted(members)
    found: Columns = {
        "community": [community for _, community in ordered],
        "level": [level for level, _ in ordered],
        "entity_ids": [members[key] for key in ordered],
    }
    return _inner(found, fetch)


def _entities(columns: Columns, fetch: Fetch) -> Columns:
    nodes = fetch("nodes")
    if nodes is not None and "degree" not in columns and "degree" in nodes:
        degrees: dict[str, int] = {}
        for key, degree in zip(_keys(nodes), nodes["degree"], strict=True):
            degrees[key] = max(degrees.get(key, 0), maybe_integer(degree) or 0)
        columns["degree"] = [degrees.get(key, 0) for key in _keys(columns)]
    if "frequency" not in columns and "text_unit_ids" in columns:
        columns["frequency"] = [len(set(ids)) for ids in columns["text_unit_ids"]]
    return columns


def _communities(columns: Columns, fetch: Fetch) -> Columns:
    if "community" not in columns:  # before 0.5 the id is the number
        columns["community"] = columns.get("raw_community", columns.get("id", []))
    if "entity_ids" not in columns:
        nodes = fetch("nodes")
        members: dict[int, list[str]] = {}
        for community, _, key in _placed(nodes or {}):
            members.setdefault(community, []).append(key)
        numbers = [maybe_integer(value) for value in columns["community"]]
        columns["entity_ids"] = [members.get(number, []) if number is not None else [] for number in numbers]
    return columns if "relationship_ids" in columns and "text_unit_ids" in columns else _inner(columns, fetch)


def _inner(columns: Columns, fetch: Fetch) -> Columns:
    """The relationships with both ends in a community, and the text units that these stand in, as 0.5 wrote them."""
    entities, relationships = fetch("entities") or {}, fetch("relationships") or {}
    name = "title" if "title" in entities else "name"
    titles = dict(zip(_keys(entities), map(text, entities.get(name, [])), strict=False))
    links = list(
        zip(
            map(text, relationships.get("source", [])),
            map(text, relationships.get("target", [])),
            _keys(relationships),
            map(_split, relationships.get("text_unit_ids", [[]] * len(relationships.get("source", [])))),
            strict=False,
        )
    )
    by_end: dict[str, list[int]] = {}
    for place, (source, _, _, _) in enumerate(links):
        by_end.setdefault(source, []).append(place)
    ids: list[list[str]] = []
    units: list[list[str]] = []
    for members in columns["entity_ids"]:
        inside = {titles[key] for key in map(text, items(members)) if key in titles}
        places = sorted(
            place for title in inside for place in by_end.get(title, ()) if links[place][1] in inside
        )  # fmt: skip
        ids.append([links[place][2] for place in places])
        units.append(sorted({unit for place in places for unit in links[place][3]}))
    columns.setdefault("relationship_ids", ids)
    columns.setdefault("text_unit_ids", units)
    return columns


def _placed(nodes: Columns) -> list[tuple[int, int, str]]:
    """(community, level, entity's id) of the nodes that are in a community; −1 and null are none."""
    keys = _keys(nodes)
    rows = zip(nodes.get("community", []), nodes.get("level", [0] * len(keys)), keys, strict=False)
    found = []
    for community, level, key in rows:
        number = maybe_integer(community)
        if number is not None and number >= 0:
            found.append((number, maybe_integer(level) or 0, key))
    return found


def _keys(columns: Columns) -> list[str]:
    values = columns.get("id")
    if values is None:
        values = columns.get("title", columns.get("name", next(iter(columns.values()), [])))
    return [text(value) for value in values]


def _split(value: Any) -> list[str]:
    """Ids of text units; versions before 0.6 joined several of them with commas inside one item."""
    if isinstance(value, str) and not value.startswith(("[", "{", "(")):
        value = value.split(",")
    return [part for item in items(value) if item is not None for part in text(item).split(",") if part]
