"""Dots in bulk: one small picture for each colour and radius, copied to thousands of places in one call."""

from __future__ import annotations

import numpy as np
from pyqtgraph.Qt.internals import PrimitiveArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap

from explorer.gui.places.communities.scene import Bools, Floats, Ints

# Radii in pixels that have a picture; a dot takes the nearest below. Steps are under a tenth of the radius.
RADII = np.array(
    [0.8, 1.0, 1.2, 1.5, 1.8, 2.1, 2.4, 2.8, 3.2, 3.7, 4.2, 4.8, 5.4, 6.1, 6.9, 7.8, 8.7, 9.7, 10.8, 12, 13.3, 14.8,
     16.4, 18.2, 20.2, 22.4, 24.9, 27.0]
)  # fmt: skip


class Sprites:
    """An atlas of dots. `draw` copies; colours come and go with the scheme (`clear`)."""

    def __init__(self) -> None:
        self._ratio = 1.0
        self._fragments = PrimitiveArray(QPainter.PixmapFragment, 10)
        self.clear()

    def clear(self) -> None:
        """Forget all pictures (the scheme or the screen changed)."""
        self._sheets: dict[tuple[int, int], tuple[QPixmap, Bools]] = {}
        sides = np.ceil((RADII * 2 + 4) * self._ratio)
        lefts = np.concatenate([[0.0], np.cumsum(sides)])
        self._size = (int(lefts[-1]), int(sides.max()))
        self._sources: Floats = np.stack([lefts[:-1], np.zeros(len(sides)), sides, sides], axis=1)

    def draw(
        self, painter: QPainter, x: Floats, y: Floats, r: Floats, alpha: Floats, fill: QColor, rim: QColor, ratio: float
    ) -> None:
        """Draw dots of one colour; `ratio` is the screen's device pixel ratio."""
        if ratio != self._ratio:
            self._ratio = ratio
            self.clear()
        steps: Ints = np.clip(np.searchsorted(RADII, r, side="right") - 1, 0, len(RADII) - 1)
        sheet = self._sheet(fill, rim, steps)
        self._fragments.resize(len(x))
        table = self._fragments.ndarray()
        table[:, 0], table[:, 1] = x, y
        table[:, 2:6] = self._sources[steps]
        table[:, 6:9] = (1 / ratio, 1 / ratio, 0.0)
        table[:, 9] = alpha
        painter.drawPixmapFragments(*self._fragments.drawargs(), sheet)

    def _sheet(self, fill: QColor, rim: QColor, steps: Ints) -> QPixmap:
        """The pictures of one colour; a size is painted when it is first wanted."""
        key = (fill.rgba(), rim.rgba())
        if key not in self._sheets:
            sheet = QPixmap(*self._size)
            sheet.fill(Qt.GlobalColor.transparent)
            self._sheets[key] = (sheet, np.zeros(len(RADII), dtype=np.bool_))
        sheet, painted = self._sheets[key]
        wanted = np.zeros(len(RADII), dtype=np.bool_)
        wanted[steps] = True
        missing = np.flatnonzero(wanted & ~painted)
        if len(missing):
            self._paint(sheet, fill, rim, missing)
            painted[missing] = True
        return sheet

    def _paint(self, sheet: QPixmap, fill: QColor, rim: QColor, steps: Ints) -> None:
        ratio = self._ratio
        painter = QPainter(sheet)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(fill)
        for radius, (left, _top, side, _height) in zip(
            RADII[steps].tolist(), self._sources[steps].tolist(), strict=True
        ):
            painter.setPen(QPen(rim, ratio * min(1.2, radius / 4)) if radius >= 2.4 else Qt.PenStyle.NoPen)
            painter.drawEllipse(QPointF(left + side / 2, side / 2), radius * ratio, radius * ratio)
        painter.end()


def draw_lines(painter: QPainter, lines: PrimitiveArray, ax: Floats, ay: Floats, bx: Floats, by: Floats) -> None:
    """Draw straight lines with the painter's pen in one call. `lines` is a PrimitiveArray(QLineF, 4) to be reused."""
    if not len(ax):
        return
    lines.resize(len(ax))
    table = lines.ndarray()
    # Far beyond the window Qt's raster engine loses its way.
    table[:, 0], table[:, 1], table[:, 2], table[:, 3] = (np.clip(v, -1e6, 1e6) for v in (ax, ay, bx, by))
    painter.drawLines(*lines.drawargs())


def circle(painter: QPainter, x: float, y: float, r: float) -> None:
    """An ellipse of the painter's pen and brush; a circle far bigger than the window is drawn as its box allows."""
    painter.drawEllipse(QRectF(x - r, y - r, 2 * r, 2 * r))
