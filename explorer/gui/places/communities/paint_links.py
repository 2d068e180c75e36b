"""Painting the links between communities: curves from rim to rim, as thick as their summed weight, in few pens."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen

from explorer.gui.places.communities.grouping import Grouping
from explorer.gui.places.communities.labels import Box
from explorer.gui.places.communities.level_of_detail import Drawn, View
from explorer.gui.places.communities.scene import Bools, Floats
from explorer.gui.theme import Theme

# Links come in this many widths: thickness goes with the summed weight, in steps.
LINK_STEPS = 8
_THINNEST, _THICKEST = 1.0, 9.0
_SAMPLES = 24  # pieces that a link is looked at in
_BOW = 0.09  # how far a link bends aside, as a part of its length


def link_steps(weight: Floats, heaviest: float) -> np.ndarray:
    """The step (0 the thinnest) of each link: in proportion to its weight, the heaviest of the page the thickest."""
    if heaviest <= 0:
        return np.zeros(len(weight), dtype=np.int64)
    return np.clip(np.ceil(weight / heaviest * LINK_STEPS).astype(np.int64) - 1, 0, LINK_STEPS - 1)


def link_width(step: int) -> float:
    """The width of a step in pixels."""
    return _THINNEST + (_THICKEST - _THINNEST) * step / (LINK_STEPS - 1)


def paint_links(
    painter: QPainter, theme: Theme, drawn: Drawn, grouping: Grouping, view: View, chosen: int | None, area: Box
) -> None:
    """Paint the links that touch an area; those of the chosen community in the accent colour, on top."""
    links = drawn.links
    if not len(links.a):
        return
    x, y = view.to_screen(grouping.x, grouping.y)
    r = grouping.r * view.scale
    steps = link_steps(links.weight, drawn.heaviest)
    ax, ay, bx, by = x[links.a], y[links.a], x[links.b], y[links.b]
    length = np.maximum(np.hypot(bx - ax, by - ay), 1e-9)
    ux, uy = (bx - ax) / length, (by - ay) / length
    # From rim to rim, so that a disc stays calm.
    ax, ay = ax + ux * r[links.a], ay + uy * r[links.a]
    bx, by = bx - ux * r[links.b], by - uy * r[links.b]
    gap = np.hypot(bx - ax, by - ay)
    bow = np.minimum(gap * 0.16, length * _BOW)
    mx, my = (ax + bx) / 2 - uy * bow, (ay + by) / 2 + ux * bow
    focus = grouping.place.get(chosen, -1) if chosen is not None else -1
    lit = (links.a == focus) | (links.b == focus)
    touching, (ax, ay, mx, my, bx, by) = _parts_in(area, ax, ay, mx, my, bx, by)
    opened = float(drawn.disc_open.max(initial=0.0))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for bright in (False, True):
        for step in range(LINK_STEPS):
            some = np.flatnonzero((steps == step) & (lit == bright) & touching)
            if not len(some):
                continue
            path = QPainterPath()
            for k in some.tolist():
                path.moveTo(ax[k], ay[k])
                path.quadTo(mx[k], my[k], bx[k], by[k])
            # Close in, the links stand back behind what the discs hold.
            strength = 105 if bright else round((70 + 7 * step) * (1 - 0.5 * opened))
            colour = theme.colour("accent" if bright else "edge", strength)
            painter.setPen(QPen(colour, link_width(step), Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
            painter.drawPath(path)


def _parts_in(
    area: Box, ax: Floats, ay: Floats, mx: Floats, my: Floats, bx: Floats, by: Floats
) -> tuple[Bools, tuple[Floats, ...]]:
    """Which curves touch an area, and of each the part that does: a stroke far beyond the window costs as much as
    one inside it. A part of a quadratic curve is the same curve between two of its parameters."""
    t = np.linspace(0.0, 1.0, _SAMPLES + 1)[:, None]
    x = (1 - t) ** 2 * ax + 2 * t * (1 - t) * mx + t**2 * bx
    y = (1 - t) ** 2 * ay + 2 * t * (1 - t) * my + t**2 * by
    inside = touches(area, np.minimum(x[:-1], x[1:]), np.minimum(y[:-1], y[1:]),
                     np.maximum(x[:-1], x[1:]), np.maximum(y[:-1], y[1:]), 2 * _THICKEST)  # fmt: skip
    touching = inside.any(axis=0)
    first = inside.argmax(axis=0) / _SAMPLES
    last = 1 - inside[::-1].argmax(axis=0) / _SAMPLES

    def point(a: Floats, m: Floats, b: Floats, s: Floats, u: Floats) -> Floats:
        return (1 - s) * (1 - u) * a + (s * (1 - u) + (1 - s) * u) * m + s * u * b

    return touching, tuple(
        point(*axis, *where)
        for where in ((first, first), (first, last), (last, last))
        for axis in ((ax, mx, bx), (ay, my, by))
    )


def touches(area: Box, left: Floats, top: Floats, right: Floats, bottom: Floats, air: float) -> Bools:
    """Which boxes reach into an area, `air` being the room a pen takes on each side."""
    return (
        (right + air >= area.x) & (left - air <= area.x + area.width)
        & (bottom + air >= area.y) & (top - air <= area.y + area.height)
    )  # fmt: skip
