"""Which dot or disc lies under the pointer: the points in order of their cells, so that a look-up sees few of them."""

from __future__ import annotations

import numpy as np

from explorer.gui.places.communities.level_of_detail import Drawn, DrawnDisc

_CELL = 32.0  # at least the diameter of a disc's neighbourhood that one look-up must see
_COLUMNS = 1 << 12


class HitMap:
    """Look-ups on one frame. Building it is one sort of the dots."""

    def __init__(self, drawn: Drawn) -> None:
        self._drawn = drawn
        self._cell = self._cells(drawn.dot_x, drawn.dot_y)
        self._order = np.argsort(self._cell, kind="stable")
        self._sorted = self._cell[self._order]

    def dot_at(self, x: float, y: float, reach: float = 3.0) -> int | None:
        """The row of the entity whose dot is under (x, y) or at most `reach` pixels away: the nearest rim."""
        drawn, best, nearest = self._drawn, None, reach
        for row in range(-1, 2):
            middle = self._cells(np.array([x]), np.array([y + row * _CELL]))[0]
            first, last = np.searchsorted(self._sorted, (middle - 1, middle + 2))
            near = self._order[first:last]
            if not len(near):
                continue
            away = np.hypot(drawn.dot_x[near] - x, drawn.dot_y[near] - y) - drawn.dot_r[near]
            place = int(away.argmin())
            if away[place] <= nearest:
                nearest, best = float(away[place]), int(drawn.dots[near[place]])
        return best

    def disc_at(self, x: float, y: float) -> DrawnDisc | None:
        """The smallest disc that holds (x, y)."""
        drawn = self._drawn
        held = np.flatnonzero((drawn.disc_x - x) ** 2 + (drawn.disc_y - y) ** 2 <= drawn.disc_r**2)
        # Discs come biggest first.
        return drawn.disc(int(held[-1])) if len(held) else None

    @staticmethod
    def _cells(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return (np.floor(y / _CELL).astype(np.int64) + 4) * _COLUMNS + np.floor(x / _CELL).astype(np.int64) + 4
