"""Where the cells of the icicle stand: a row a level, width in proportion to the entities. No Qt here."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from explorer.gui.places.communities.hierarchy import Hierarchy


@dataclass(frozen=True, slots=True)
class Cell:
    """A community in a row, from `left` over `width`, both parts of 1. `under` counts further communities that are
    too narrow to be drawn one by one and stand in this cell as a hatched strip (the first of them is `number`)."""

    number: int
    row: int
    left: float
    width: float
    under: int = 0


def lay_out(hierarchy: Hierarchy, focus: int | None, narrowest: float) -> list[list[Cell]]:
    """The cells below `focus` (None: the whole forest), a list for each row, from left to right.

    The path down to the focus stands above it at full width. Children share their parent's width in proportion to
    their sizes; what a parent does not share out is left empty. Cells narrower than `narrowest` become one strip.
    """
    rows: list[list[Cell]] = []

    def put(cell: Cell) -> None:
        while len(rows) <= cell.row:
            rows.append([])
        rows[cell.row].append(cell)

    path = hierarchy.path(focus) if focus is not None else []
    for depth, number in enumerate(path):
        put(Cell(number, depth, 0.0, 1.0))
    pending: list[tuple[int, int, float, float]] = [(focus if focus is not None else -1, len(path), 0.0, 1.0)]
    while pending:
        above, row, left, width = pending.pop(0)
        children = hierarchy.children.get(above, ())
        if not children:
            continue
        total = sum(hierarchy.nodes[child].size for child in children)
        whole = max(total, hierarchy.nodes[above].size if above >= 0 else 0, 1)
        strip: list[int] = []
        strip_left = left
        for child in children:
            share = width * hierarchy.nodes[child].size / whole
            if share >= narrowest:
                if strip:
                    put(Cell(strip[0], row, strip_left, left - strip_left, len(strip) - 1))
                    strip = []
                put(Cell(child, row, left, share))
                pending.append((child, row + 1, left, share))
            else:
                if not strip:
                    strip_left = left
                strip.append(child)
            left += share
        if strip:
            put(Cell(strip[0], row, strip_left, max(left - strip_left, narrowest), len(strip) - 1))
    return rows


def cell_at(row: list[Cell], x: float) -> Cell | None:
    """The cell of a row under `x` (a part of 1)."""
    place = bisect_right([cell.left for cell in row], x) - 1
    if place < 0 or x > row[place].left + row[place].width:
        return None
    return row[place]
