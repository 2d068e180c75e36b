"""Finding an entity, a relationship or a report by a part of its name. No Qt here."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Any

from explorer.base.pieces import sorted_in_pieces
from explorer.gui.places.communities.hierarchy import Hierarchy, one_line
from explorer.gui.places.communities.names import Names
from explorer.gui.words import count as counted


@dataclass(frozen=True, slots=True)
class Found:
    """`kind` is "entity", "relationship" or "report"; `key` the row number of the first two, a community's number."""

    kind: str
    key: int
    title: str
    detail: str


class FindIndex:
    """The names of an index, folded for case, with the most connected first within their kind."""

    def __init__(self, index: Any, hierarchy: Hierarchy) -> None:
        self._index, self._hierarchy = index, hierarchy
        entities = index.entities
        by_degree = sorted_in_pieces(range(len(entities)), key=lambda row: (-entities[row].degree, row))
        communities = sorted(hierarchy.nodes, key=lambda number: (-hierarchy.nodes[number].size, number))
        relationships = index.relationships
        by_weight = sorted_in_pieces(
            range(len(relationships)), key=lambda row: (-relationships[row].combined_degree, row)
        )
        self._names: tuple[tuple[str, array[int], Names], ...] = (
            ("entity", array("q", by_degree), Names(entities[row].title for row in by_degree)),
            ("report", array("q", communities), Names(hierarchy.nodes[number].title for number in communities)),
            (
                "relationship",
                array("q", by_weight),
                Names(f"{relationships[row].source} {relationships[row].target}" for row in by_weight),
            ),
        )

    def search(self, text: str, most: int = 8) -> list[Found]:
        """At most `most` matches of each kind: names that begin with the text first, then names that hold all of its
        words; within that, the most connected first."""
        words = text.casefold().split()
        if not words:
            return []
        found: list[Found] = []
        for kind, keys, names in self._names:
            begins = names.beginning_with(" ".join(words))[:most]
            places = begins.tolist()
            if len(places) < most:
                places += [place for place in names.holding(words, 2 * most).tolist() if place not in places]
            found.extend(self._named(kind, keys[place]) for place in places[:most])
        return found

    def _named(self, kind: str, key: int) -> Found:
        if kind == "entity":
            row = self._index.entities[key]
            detail = " · ".join(part for part in (one_line(row.type, 30).lower(), f"degree {row.degree}") if part)
            return Found(kind, key, one_line(row.title, 90), detail)
        if kind == "report":
            node = self._hierarchy.nodes[key]
            return Found(kind, key, node.title, f"level {node.level} · {counted(node.size, 'entity', 'entities')}")
        tie = self._index.relationships[key]
        return Found(
            kind,
            key,
            f"{one_line(tie.source, 60)} – {one_line(tie.target, 60)}",
            f"relationship · weight {tie.weight:g}",
        )
