"""The communities as one forest in plain tables, shared by tree, icicle, graph and report. No Qt here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from explorer.tables.rows import CommunityRow, ReportRow

ORDERS = ("size", "title", "rating")


@dataclass(frozen=True, slots=True)
class Node:
    """A community as the views name it. `rank` is the place of its level-0 ancestor by size: its colour."""

    number: int
    level: int
    parent: int  # -1 at the top
    size: int
    title: str
    has_report: bool
    rating: float | None
    rank: int


class Hierarchy:
    """The forest of communities: `nodes` by number, `children` of each number and of -1 (the top), in the order chosen.

    A community whose parent is not in the table stands at the top; a community that would be its own ancestor too.
    `rank_of(number)` is the window's order of colours; by default the place of the top community by size.
    """

    def __init__(
        self,
        communities: Iterable[CommunityRow],
        reports: Mapping[int, ReportRow],
        rank_of: Callable[[int], int] | None = None,
    ) -> None:
        rows: dict[int, CommunityRow] = {}
        for row in communities:
            rows.setdefault(row.community, row)
        parents = _sound_parents(rows)
        sizes = {number: row.size or len(row.entity_ids) for number, row in rows.items()}
        below: dict[int, list[int]] = {-1: []}
        for number in rows:
            below.setdefault(parents[number], []).append(number)
        for numbers in below.values():
            numbers.sort(key=lambda number: (-sizes[number], number))
        rank: dict[int, int] = {}
        for place, root in enumerate(below[-1]):
            pending = [root]
            while pending:
                number = pending.pop()
                rank[number] = place
                pending.extend(below.get(number, ()))
        self.nodes: dict[int, Node] = {}
        for number, row in rows.items():
            report = reports.get(number)
            title = one_line(report.title) if report is not None else ""
            self.nodes[number] = Node(
                number, row.level, parents[number], sizes[number],
                title or f"Community {number} (no {'report' if report is None else 'title'})",
                report is not None, report.rank if report is not None else None,
                rank[number] if rank_of is None else rank_of(number),
            )  # fmt: skip
        self.children: dict[int, tuple[int, ...]] = {number: tuple(below.get(number, ())) for number in [-1, *rows]}
        self.levels: list[int] = sorted({row.level for row in rows.values()})
        self.order = "size"
        self.place: dict[int, int] = {}
        self._number_places()

    def __len__(self) -> int:
        return len(self.nodes)

    def sort(self, order: str, *, descending: bool = True) -> None:
        """Order the children of every community by "size", "title" or "rating"; ties by number. Colours stay."""
        nodes = self.nodes

        def key(number: int) -> tuple[object, ...]:
            node = nodes[number]
            if order == "title":
                return (node.title.casefold(), number)
            value = node.size if order == "size" else (-1.0 if node.rating is None else node.rating)
            return (-value if descending else value, number)

        for parent, numbers in self.children.items():
            in_order = sorted(numbers, key=key)
            self.children[parent] = tuple(reversed(in_order) if order == "title" and descending else in_order)
        self.order = order
        self._number_places()

    def path(self, number: int) -> list[int]:
        """The communities from the top down to `number`, itself included."""
        path = []
        while number in self.nodes:
            path.append(number)
            number = self.nodes[number].parent
        return path[::-1]

    def under(self, number: int) -> list[int]:
        """`number` and every community below it, from the top down."""
        found = [number]
        for each in found:
            found.extend(self.children.get(each, ()))
        return found

    def shown_at(self, level: int) -> tuple[list[int], list[int]]:
        """What stands on the page at a level: the communities of that level, and those of a shallower level that are
        not divided further (carried). Both by size, descending, then by number."""
        own = [number for number, node in self.nodes.items() if node.level == level]
        carried = [
            number for number, node in self.nodes.items() if node.level < level and not self.children.get(number)
        ]
        order = lambda number: (-self.nodes[number].size, number)  # noqa: E731
        return sorted(own, key=order), sorted(carried, key=order)

    def _number_places(self) -> None:
        for numbers in self.children.values():
            for place, number in enumerate(numbers):
                self.place[number] = place


def one_line(text: str, longest: int = 160) -> str:
    """Text of a model or a file as one line without control characters, cut with an ellipsis."""
    line = text[: longest * 4]
    if not line.isprintable():
        line = "".join(letter if letter.isprintable() else " " for letter in line)
    line = " ".join(line.split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def _sound_parents(rows: Mapping[int, CommunityRow]) -> dict[int, int]:
    parents: dict[int, int] = {}
    for number, row in rows.items():
        parent = rows.get(row.parent)
        # A parent stands on a shallower level: that alone rules circles out.
        parents[number] = row.parent if parent is not None and parent.level < row.level else -1
    return parents
