"""Painting the graph: links, discs, lines, dots, what is chosen. It decides nothing but looks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from pyqtgraph.Qt.internals import PrimitiveArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap

from explorer.gui.places.communities.colouring import Colouring
from explorer.gui.places.communities.grouping import Grouping
from explorer.gui.places.communities.labels import Box
from explorer.gui.places.communities.level_of_detail import Drawn, View
from explorer.gui.places.communities.paint_links import paint_links, touches
from explorer.gui.places.communities.sprites import Sprites, circle, draw_lines
from explorer.gui.theme import Theme

_TINY = 4.0  # a disc of a smaller radius is drawn as a dot
_PICTURED = 90.0  # a disc up to this radius is drawn once and then copied
_SMOOTH = 2_500  # more lines than this are drawn without smoothing


@dataclass(frozen=True)
class Chosen:
    """What is chosen and what lies under the pointer, as a frame shows it."""

    community: int | None = None
    entity: int | None = None  # row
    hovered_community: int | None = None
    hovered_entity: int | None = None


class GraphPainter:
    """Paints with one theme; keeps the pictures of dots and discs between frames."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._sprites = Sprites()
        self._lines = PrimitiveArray(QLineF, 4)
        self._pictures: dict[tuple[int, int, bool, bool, float], QPixmap] = {}
        theme.changed.connect(self.forget)

    def forget(self) -> None:
        """The colours changed."""
        self._sprites.clear()
        self._pictures.clear()

    def ground(
        self, painter: QPainter, drawn: Drawn, grouping: Grouping, view: View, colouring: Colouring, chosen: Chosen,
        ratio: float, area: Box | None = None, *, links: bool = True,
    ) -> None:  # fmt: skip
        """Paint all but labels and what is hovered, or the part of it that touches `area` (clipped to it). The links
        between communities take longest: the first picture of a page is without."""
        area = area or Box(0, 0, view.width, view.height)
        rect = QRectF(area.x, area.y, area.width, area.height)
        painter.save()
        painter.setClipRect(rect)
        painter.fillRect(rect, self._theme.colour("surface"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._contours(painter, grouping, view, area)
        if links:
            paint_links(painter, self._theme, drawn, grouping, view, chosen.community, area)
        self._discs(painter, drawn, colouring, ratio, area)
        self._inner_lines(painter, drawn, grouping, view, colouring, area)
        self._ties_of_chosen(painter, drawn, grouping, view, chosen)
        self._dots(painter, drawn, colouring, ratio, area)
        self._chosen_disc(painter, grouping, view, chosen)
        painter.restore()

    def marks(self, painter: QPainter, drawn: Drawn, chosen: Chosen) -> None:
        """The rings of what is hovered and of the chosen entity, over the ground."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        accent = self._theme.colour("accent")
        hovered = drawn.find(chosen.hovered_community)
        if hovered is not None and hovered.community != chosen.community and hovered.r < 2_000:
            painter.setPen(QPen(self._theme.colour("accent", 150), 2))
            circle(painter, hovered.x, hovered.y, hovered.r + 1.5)
        for row, width in ((chosen.hovered_entity, 1.5), (chosen.entity, 2.4)):
            for k in np.flatnonzero(drawn.dots == row).tolist() if row is not None else ():
                painter.setPen(QPen(accent, width))
                circle(painter, float(drawn.dot_x[k]), float(drawn.dot_y[k]), float(drawn.dot_r[k]) + 3)

    def _contours(self, painter: QPainter, grouping: Grouping, view: View, area: Box) -> None:
        """Faint outlines of the divided communities around those of the level: where they came from."""
        numbers = grouping.around
        if not len(numbers):
            return
        discs = np.array([grouping.scene.discs[number] for number in numbers])
        x, y = view.to_screen(discs[:, 0], discs[:, 1])
        r = discs[:, 2] * view.scale + 2
        seen = touches(area, x - r, y - r, x + r, y + r, 2.0) & (r > 6) & (r < 4 * max(view.width, view.height))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for k in np.flatnonzero(seen).tolist():
            rank = grouping.scene.hierarchy.nodes[numbers[k]].rank
            painter.setPen(QPen(self._theme.community_colour(rank, 52), 1.0))
            circle(painter, float(x[k]), float(y[k]), float(r[k]))

    def _discs(self, painter: QPainter, drawn: Drawn, colouring: Colouring, ratio: float, area: Box) -> None:
        x, y, r = drawn.disc_x, drawn.disc_y, drawn.disc_r
        near = touches(area, x - r, y - r, x + r, y + r, 2.0)
        for k in np.flatnonzero(near & (r >= _TINY)).tolist():
            disc = drawn.disc(k)
            colour, faint = colouring.disc(disc.place), colouring.faint(disc.place)
            alpha = round((20 if faint else 38) * (1 - 0.35 * disc.open))
            if disc.r > _PICTURED:
                _disc(painter, disc.x, disc.y, disc.r, colour, alpha, faint, disc.carried)
                continue
            picture = self._picture(colour, alpha, faint, disc.carried, disc.r, ratio)
            side = picture.deviceIndependentSize().width()
            left, top = (disc.x - side / 2) * ratio, (disc.y - side / 2) * ratio
            painter.drawPixmap(QPointF(round(left) / ratio, round(top) / ratio), picture)
        tiny = near & (r < _TINY)
        keys = colouring.tiny_keys(drawn.places)
        for key in np.unique(keys[tiny]):
            some = tiny & (keys == key)
            rim = colouring.dot(int(key))
            fill = QColor(rim)
            fill.setAlpha(150)
            self._sprites.draw(painter, x[some], y[some], r[some], np.ones(int(some.sum())), fill, rim, ratio)

    def _picture(self, colour: QColor, alpha: int, faint: bool, carried: bool, r: float, ratio: float) -> QPixmap:
        key = (colour.rgb(), alpha, faint, carried, round(r * 4) / 4 + 1e6 * ratio)
        if key not in self._pictures:
            if len(self._pictures) > 1_200:
                self._pictures.clear()
            side = int(np.ceil((2 * r + 6) * ratio))
            pixmap = QPixmap(side, side)
            pixmap.setDevicePixelRatio(ratio)
            pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(pixmap)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            _disc(painter, side / ratio / 2, side / ratio / 2, r, colour, alpha, faint, carried)
            painter.end()
            self._pictures[key] = pixmap
        return self._pictures[key]

    def _inner_lines(
        self, painter: QPainter, drawn: Drawn, grouping: Grouping, view: View, colouring: Colouring, area: Box
    ) -> None:
        if not len(drawn.lines):
            return
        scene = grouping.scene
        a, b = scene.source[drawn.lines], scene.target[drawn.lines]
        ax, ay = view.to_screen(scene.x[a], scene.y[a])
        bx, by = view.to_screen(scene.x[b], scene.y[b])
        seen = touches(area, np.minimum(ax, bx), np.minimum(ay, by), np.maximum(ax, bx), np.maximum(ay, by), 1.0)
        ranks = grouping.rank[grouping.home[a]]
        smooth = len(drawn.lines) <= _SMOOTH
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, smooth)
        for rank in np.unique(ranks[seen]):
            some = seen & (ranks == rank)
            colour = colouring.line(int(rank))
            colour.setAlpha(110 if smooth else 60)
            painter.setPen(QPen(colour, 1.0))
            draw_lines(painter, self._lines, ax[some], ay[some], bx[some], by[some])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)

    def _ties_of_chosen(self, painter: QPainter, drawn: Drawn, grouping: Grouping, view: View, chosen: Chosen) -> None:
        """All relationships of the chosen entity, while its own dot is drawn."""
        row, scene = chosen.entity, grouping.scene
        if row is None or row not in drawn.dots:
            return
        a, b = scene.ties_of(row)
        ax, ay = view.to_screen(scene.x[a], scene.y[a])
        bx, by = view.to_screen(scene.x[b], scene.y[b])
        painter.setPen(QPen(self._theme.colour("accent", max(45, 190 - 2 * len(a))), 1.2))
        draw_lines(painter, self._lines, ax, ay, bx, by)

    def _dots(self, painter: QPainter, drawn: Drawn, colouring: Colouring, ratio: float, area: Box) -> None:
        x, y, r = drawn.dot_x, drawn.dot_y, drawn.dot_r
        seen = touches(area, x - r, y - r, x + r, y + r, 2.0)
        keys = colouring.dot_keys(drawn.dots)
        rim = self._theme.colour("surface")
        for key in np.unique(keys[seen]):
            some = seen & (keys == key)
            self._sprites.draw(
                painter, x[some], y[some], r[some], drawn.dot_alpha[some], colouring.dot(int(key)), rim, ratio
            )

    def _chosen_disc(self, painter: QPainter, grouping: Grouping, view: View, chosen: Chosen) -> None:
        if chosen.community is None or chosen.community not in grouping.scene.discs:
            return
        x, y, r = grouping.scene.discs[chosen.community]
        px, py = (x - view.x) * view.scale + view.width / 2, (y - view.y) * view.scale + view.height / 2
        pr = r * view.scale
        if pr < 4 * max(view.width, view.height):
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self._theme.colour("accent", 50), 6))
            circle(painter, px, py, pr + 3)
            painter.setPen(QPen(self._theme.colour("accent"), 2.4))
            circle(painter, px, py, pr + 2)


def _disc(
    painter: QPainter, x: float, y: float, r: float, colour: QColor, alpha: int, faint: bool, carried: bool
) -> None:
    fill, rim = QColor(colour), QColor(colour)
    fill.setAlpha(alpha)
    rim.setAlpha(70 if faint else 235)
    pen = QPen(rim, 1.5)
    if carried:
        pen.setDashPattern([4.0, 3.0])
    painter.setPen(pen)
    painter.setBrush(fill)
    circle(painter, x, y, r)
