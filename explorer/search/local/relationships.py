"""Which relationships a local context offers for some entities, and in which order.

Those between two selected entities come first, by combined degree; then those that lead outside, by how many selected
entities share the outer one ("links") and combined degree, at most `top_k` for each selected entity.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from explorer.tables.empty_cells import as_graphrag_reads
from explorer.tables.rows import EntityRow, RelationshipRow

if TYPE_CHECKING:
    from explorer.tables.index import Index


class RelationshipChooser:
    """Chooses for growing lists of entities of one question.

    A relationship keeps the number of links that it last had while it led outside, as GraphRAG's rows do: the table
    has a column for it as soon as its first row once had one.
    """

    def __init__(self, index: Index, top_k: int) -> None:
        rows = as_graphrag_reads(index, "relationships", index.relationships, ("source", "target", "description"))
        # Of several rows with one id GraphRAG has the last, in the place of the first.
        self._rows = list({row.id: row for row in rows}.values())
        self._top_k = top_k
        self._links: dict[int, int] = {}
        self._outgoing: dict[str, list[int]] = {}
        self._incoming: dict[str, list[int]] = {}
        for place, row in enumerate(self._rows):
            self._outgoing.setdefault(row.source, []).append(place)
            self._incoming.setdefault(row.target, []).append(place)

    def touching(self, title: str) -> list[RelationshipRow]:
        """The relationships that an entity has, in the order of their table."""
        places = {*self._outgoing.get(title, ()), *self._incoming.get(title, ())}
        return [self._rows[place] for place in sorted(places)]

    def table(self, selected: Sequence[EntityRow]) -> tuple[list[str], list[list[str]], list[RelationshipRow]]:
        """The header, the cells of each row, and the rows themselves, for the entities selected so far."""
        places = self._choose(selected)
        if not places:
            return [], [], []
        header = ["id", "source", "target", "description", "weight"]
        with_links = places[0] in self._links
        if with_links:
            header.append("links")
        cells = []
        for place in places:
            row = self._rows[place]
            weight = str(float(row.weight)) if row.weight else ""
            links = self._links.get(place)
            cells.append([str(row.number), row.source, row.target, row.description, weight]
                         + ([str(links) if links else ""] if with_links else []))  # fmt: skip
        return header, cells, [self._rows[place] for place in places]

    def _choose(self, selected: Sequence[EntityRow]) -> list[int]:
        names = {entity.title for entity in selected}
        leaving = sorted({place for name in names for place in self._outgoing.get(name, ())})
        coming = sorted({place for name in names for place in self._incoming.get(name, ())})
        inside = [place for place in leaving if self._rows[place].target in names]
        outside = [place for place in leaving if self._rows[place].target not in names]
        outside += [place for place in coming if self._rows[place].source not in names]
        inside.sort(key=self._rank, reverse=True)
        outside.sort(key=self._rank, reverse=True)
        if len(outside) <= 1:
            return inside + outside
        partners: dict[str, set[str]] = {}
        for place in outside:
            row = self._rows[place]
            outer, inner = (row.target, row.source) if row.source in names else (row.source, row.target)
            partners.setdefault(outer, set()).add(inner)
        for place in outside:
            row = self._rows[place]
            self._links[place] = len(partners.get(row.source) or partners[row.target])
        outside.sort(key=lambda place: (self._links[place], self._rows[place].combined_degree), reverse=True)
        return inside + outside[: self._top_k * len(selected)]

    def _rank(self, place: int) -> int:
        return self._rows[place].combined_degree or 0
