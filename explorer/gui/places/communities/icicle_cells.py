"""Where the cells of the icicle stand: a row a level, width in proportion to the entities. No Qt here."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import NamedTuple

from explorer.gui.places.communities.hierarchy import Hierarchy


class Cell(NamedTuple):
    """A community in a row, from `left` over `width`, both parts of 1."""

    number: int
    row: int
    left: float
    width: float


def lay_out(hierarchy: Hierarchy, focus: int | None) -> list[list[Cell]]:
    """The cells below `focus` (None: the whole forest), a list for each row, from left to right.

    The path down to the focus stands above it at full width. Children share their parent's width in proportion to
    their sizes; what a parent does not share out is left empty.
    """
    path = hierarchy.path(focus) if focus is not None else []
    rows: list[list[Cell]] = [[Cell(number, depth, 0.0, 1.0)] for depth, number in enumerate(path)]
    above: list[tuple[int, float, float]] = [(focus if focus is not None else -1, 0.0, 1.0)]
    nodes = hierarchy.nodes
    while above:
        row: list[Cell] = []
        for parent, left, width in above:
            children = hierarchy.children.get(parent, ())
            total = sum(nodes[child].size for child in children)
            whole = max(total, nodes[parent].size if parent >= 0 else 0, 1)
            for child in children:
                share = width * nodes[child].size / whole
                row.append(Cell(child, len(rows), left, share))
                left += share
        if row:
            rows.append(row)
        above = [(cell.number, cell.left, cell.width) for cell in row]
    return rows


def widths(hierarchy: Hierarchy, path: list[int]) -> list[float]:
    """How wide the last community of a path from the top is (a part of 1) with the focus on nothing, then with the
    focus on each of the path. What `lay_out` would give, without laying out anything."""
    nodes = hierarchy.nodes
    found = [1.0]
    for above, number in zip([*path[-2::-1], -1] if len(path) > 1 else [-1], path[::-1], strict=True):
        total = sum(nodes[child].size for child in hierarchy.children.get(above, ()))
        found.append(found[-1] * nodes[number].size / max(total, nodes[above].size if above >= 0 else 0, 1))
    return found[::-1]


@dataclass(frozen=True, slots=True)
class Strip:
    """Neighbours in a row that are too narrow to be drawn one by one: `count` of them from `left` over `width`."""

    row: int
    left: float
    width: float
    count: int
    first: int


def merged(row: list[Cell], narrowest: float) -> list[Cell | Strip]:
    """A row as it is drawn: neighbours narrower than `narrowest` become one strip."""
    drawn: list[Cell | Strip] = []
    run: list[Cell] = []

    def flush() -> None:
        if len(run) == 1:
            drawn.append(run[0])
        elif run:
            end = run[-1].left + run[-1].width
            drawn.append(Strip(run[0].row, run[0].left, end - run[0].left, len(run), run[0].number))
        run.clear()

    for cell in row:
        if cell.width >= narrowest:
            flush()
            drawn.append(cell)
        else:
            if run and cell.left > run[-1].left + run[-1].width + narrowest:
                flush()
            run.append(cell)
    flush()
    return drawn


def cell_at(row: list[Cell], x: float, slack: float = 0.0) -> Cell | None:
    """The cell of a row under `x` (a part of 1), or the one before it that ends at most `slack` short of it."""
    place = bisect_right([cell.left for cell in row], x) - 1
    if place < 0 or x > row[place].left + row[place].width + slack:
        return None
    return row[place]
