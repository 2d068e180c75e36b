"""Painting one frame of the graph: links, discs, lines, dots, what is chosen, labels. It decides nothing but looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pyqtgraph.Qt.internals import PrimitiveArray
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QPen

from explorer.gui.places.communities.colouring import Colouring
from explorer.gui.places.communities.grouping import Grouping
from explorer.gui.places.communities.label_paint import LabelPainter
from explorer.gui.places.communities.labels import Label
from explorer.gui.places.communities.level_of_detail import Drawn, View
from explorer.gui.places.communities.sprites import Sprites, circle, draw_lines
from explorer.gui.theme import Theme

# Links come in this many widths: thickness goes with the summed weight, in steps.
LINK_STEPS = 8
_THINNEST, _THICKEST = 1.0, 9.0
_BOW = 0.09  # how far a link bends aside, as a part of its length
_TINY = 4.0  # a disc of a smaller radius is drawn as a dot


@dataclass(frozen=True)
class Chosen:
    """What is chosen and what lies under the pointer, as a frame shows it."""

    community: int | None = None
    entity: int | None = None  # row
    hovered_community: int | None = None
    hovered_entity: int | None = None


class GraphPainter:
    """Paints frames with one theme; keeps the sheets of dots between frames."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._sprites = Sprites()
        self._lines = PrimitiveArray(QLineF, 4)
        self._label_painter = LabelPainter(theme)
        theme.changed.connect(self._sprites.clear)

    def paint(
        self, painter: QPainter, drawn: Drawn, grouping: Grouping, view: View, colouring: Colouring,
        labels: Sequence[Label], chosen: Chosen, ratio: float, font: QFont,
    ) -> None:  # fmt: skip
        """Paint a frame on a painter that stands on device-independent pixels."""
        painter.fillRect(QRectF(0, 0, view.width, view.height), self._theme.colour("surface"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._contours(painter, grouping, view)
        self._links(painter, drawn, grouping, view, chosen)
        self._discs(painter, drawn, colouring, chosen, ratio)
        self._inner_lines(painter, drawn, grouping, view, colouring)
        self._ties_of_chosen(painter, grouping, view, chosen)
        self._dots(painter, drawn, colouring, ratio)
        self._rings(painter, drawn, grouping, view, chosen)
        self._label_painter.paint(painter, labels, font, ratio)

    def _contours(self, painter: QPainter, grouping: Grouping, view: View) -> None:
        """Faint outlines of the divided communities around those of the level: where they came from."""
        scene = grouping.scene
        around = {
            number
            for each in grouping.numbers[:400]
            for number in scene.hierarchy.path(int(each))[:-1]
            if number in scene.discs and number not in grouping.place
        }
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for number in sorted(around):
            x, y, r = scene.discs[number]
            px, py = (x - view.x) * view.scale + view.width / 2, (y - view.y) * view.scale + view.height / 2
            pr = r * view.scale
            if pr < 6 or pr > 6 * max(view.width, view.height) or not _in_view(px, py, pr, view):
                continue
            pen = QPen(self._theme.community_colour(scene.hierarchy.nodes[number].rank, 70), 1.0)
            pen.setDashPattern([1.5, 4.0])
            painter.setPen(pen)
            circle(painter, px, py, pr + 2)

    def _links(self, painter: QPainter, drawn: Drawn, grouping: Grouping, view: View, chosen: Chosen) -> None:
        links = drawn.links
        if not len(links.a):
            return
        x, y = view.to_screen(grouping.x, grouping.y)
        r = grouping.r * view.scale
        steps = link_steps(links.weight)
        ax, ay, bx, by = x[links.a], y[links.a], x[links.b], y[links.b]
        length = np.maximum(np.hypot(bx - ax, by - ay), 1e-9)
        ux, uy = (bx - ax) / length, (by - ay) / length
        # From rim to rim, so that a disc stays calm.
        ax, ay = ax + ux * r[links.a], ay + uy * r[links.a]
        bx, by = bx - ux * r[links.b], by - uy * r[links.b]
        gap = np.hypot(bx - ax, by - ay)
        bow = np.minimum(gap * 0.16, length * _BOW)
        mx, my = (ax + bx) / 2 - uy * bow, (ay + by) / 2 + ux * bow
        focus = grouping.place.get(chosen.community, -1) if chosen.community is not None else -1
        touched = (links.a == focus) | (links.b == focus)
        calm = 0.5 if any(disc.open > 0.5 for disc in drawn.discs) else 1.0
        near = (np.abs(mx - view.width / 2) < 3 * view.width) & (np.abs(my - view.height / 2) < 3 * view.height)
        for lit in (False, True):
            for step in range(LINK_STEPS):
                some = np.flatnonzero((steps == step) & (touched == lit) & near)
                if not len(some):
                    continue
                path = QPainterPath()
                for k in some.tolist():
                    path.moveTo(ax[k], ay[k])
                    path.quadTo(mx[k], my[k], bx[k], by[k])
                colour = (
                    self._theme.colour("accent", 105)
                    if lit
                    else self._theme.colour("edge", round((70 + 7 * step) * calm))
                )
                painter.setPen(QPen(colour, link_width(step), Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawPath(path)

    def _discs(self, painter: QPainter, drawn: Drawn, colouring: Colouring, chosen: Chosen, ratio: float) -> None:
        tiny: dict[int, list[int]] = {}
        for place, disc in enumerate(drawn.discs):
            colour = colouring.disc(disc.place)
            if disc.r < _TINY:
                tiny.setdefault(colour.rgb(), []).append(place)
                continue
            faint = colouring.faint(disc.place)
            hovered = disc.community == chosen.hovered_community
            fill, rim = QColor(colour), QColor(colour)
            fill.setAlpha(round((20 if faint else 46 if hovered else 38) * (1 - 0.35 * disc.open)))
            rim.setAlpha(70 if faint else 235)
            pen = QPen(rim, 2.2 if hovered else 1.5)
            if disc.carried:
                pen.setDashPattern([4.0, 3.0])
            painter.setPen(pen)
            painter.setBrush(fill)
            circle(painter, disc.x, disc.y, disc.r)
        for rgb, places in tiny.items():
            x = np.array([drawn.discs[place].x for place in places])
            y = np.array([drawn.discs[place].y for place in places])
            r = np.array([drawn.discs[place].r for place in places])
            fill = QColor.fromRgb(rgb)
            fill.setAlpha(150)
            self._sprites.draw(painter, x, y, r, np.ones(len(x)), fill, QColor.fromRgb(rgb), ratio)

    def _inner_lines(
        self, painter: QPainter, drawn: Drawn, grouping: Grouping, view: View, colouring: Colouring
    ) -> None:
        if not len(drawn.lines):
            return
        scene = grouping.scene
        a, b = scene.source[drawn.lines], scene.target[drawn.lines]
        x, y = view.to_screen(scene.x, scene.y) if len(scene.ids) < 200_000 else (None, None)
        if x is None or y is None:
            ax, ay = view.to_screen(scene.x[a], scene.y[a])
            bx, by = view.to_screen(scene.x[b], scene.y[b])
        else:
            ax, ay, bx, by = x[a], y[a], x[b], y[b]
        ranks = grouping.rank[grouping.home[a]]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, len(drawn.lines) <= 2_500)
        strength = 110 if len(drawn.lines) <= 2_500 else 60
        for rank in np.unique(ranks):
            some = ranks == rank
            colour = colouring.line(int(rank))
            colour.setAlpha(strength)
            painter.setPen(QPen(colour, 1.0))
            draw_lines(painter, self._lines, ax[some], ay[some], bx[some], by[some])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)

    def _ties_of_chosen(self, painter: QPainter, grouping: Grouping, view: View, chosen: Chosen) -> None:
        row = chosen.entity
        scene = grouping.scene
        if row is None or np.isnan(scene.x[row]):
            return
        ties = np.flatnonzero((scene.source == row) | (scene.target == row))
        a, b = scene.source[ties], scene.target[ties]
        ties = ties[(a >= 0) & (b >= 0)]
        a, b = scene.source[ties], scene.target[ties]
        known = ~(np.isnan(scene.x[a]) | np.isnan(scene.x[b]))
        a, b = a[known], b[known]
        ax, ay = view.to_screen(scene.x[a], scene.y[a])
        bx, by = view.to_screen(scene.x[b], scene.y[b])
        painter.setPen(QPen(self._theme.colour("accent", max(45, 190 - 2 * len(a))), 1.2))
        draw_lines(painter, self._lines, ax, ay, bx, by)

    def _dots(self, painter: QPainter, drawn: Drawn, colouring: Colouring, ratio: float) -> None:
        if not len(drawn.dots):
            return
        keys = colouring.dot_keys(drawn.dots)
        rim = self._theme.colour("surface")
        for key in np.unique(keys):
            some = keys == key
            self._sprites.draw(
                painter, drawn.dot_x[some], drawn.dot_y[some], drawn.dot_r[some], drawn.dot_alpha[some],
                colouring.dot(int(key)), rim, ratio,
            )  # fmt: skip

    def _rings(self, painter: QPainter, drawn: Drawn, grouping: Grouping, view: View, chosen: Chosen) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        accent = self._theme.colour("accent")
        if chosen.community is not None and chosen.community in grouping.scene.discs:
            x, y, r = grouping.scene.discs[chosen.community]
            px, py = (x - view.x) * view.scale + view.width / 2, (y - view.y) * view.scale + view.height / 2
            pr = r * view.scale
            if pr < 8 * max(view.width, view.height):
                painter.setPen(QPen(self._theme.colour("accent", 50), 6))
                circle(painter, px, py, pr + 3)
                painter.setPen(QPen(accent, 2.4))
                circle(painter, px, py, pr + 2)
        for row, width in ((chosen.hovered_entity, 1.5), (chosen.entity, 2.4)):
            if row is None:
                continue
            place = np.flatnonzero(drawn.dots == row)
            if len(place):
                k = int(place[0])
                painter.setPen(QPen(accent, width))
                circle(painter, float(drawn.dot_x[k]), float(drawn.dot_y[k]), float(drawn.dot_r[k]) + 3)


def link_steps(weight: np.ndarray) -> np.ndarray:
    """The step (0 the thinnest) of each link: in proportion to its weight, the heaviest of the page the thickest."""
    top = float(weight.max()) if len(weight) else 0.0
    if top <= 0:
        return np.zeros(len(weight), dtype=np.int64)
    return np.clip(np.ceil(weight / top * LINK_STEPS).astype(np.int64) - 1, 0, LINK_STEPS - 1)


def link_width(step: int) -> float:
    """The width of a step in pixels."""
    return _THINNEST + (_THICKEST - _THINNEST) * step / (LINK_STEPS - 1)


def _in_view(x: float, y: float, r: float, view: View) -> bool:
    return x + r > 0 and x - r < view.width and y + r > 0 and y - r < view.height
