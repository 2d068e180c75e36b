"""The ground of the canvas as a picture that is shifted while the page is moved: only what comes into view is painted.

At rest the picture is always the whole frame; it is kept while nothing of it changes. A large page that was not painted
yet is painted strip by strip between the events of the window, and shown when it is whole.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter, QPixmap

from explorer.gui.places.communities.labels import Box

Pair = tuple[float, float]
Size = tuple[int, int]
Paint = Callable[[QPainter, Box], None]
"""Paints the part of the frame that lies in a box, clipped to it."""


_STRIPS = 10  # of a frame that is painted in steps
_BUDGET = 0.012  # seconds that a step paints before it lets the window go on; one strip is never cut


@dataclass
class _Unfinished:
    """A picture whose strips from `next` on are not painted yet."""

    name: tuple[Hashable, Pair, Size, float]
    picture: QPixmap
    next: int = 0


class Ground:
    """Keeps one picture, and which frame it shows."""

    def __init__(self) -> None:
        self._picture: QPixmap | None = None
        self._key: Hashable = None
        self._at = (0.0, 0.0)
        self._whole = False  # whether the picture was painted as one frame, not put together of two
        self._unfinished: _Unfinished | None = None

    @property
    def picture(self) -> QPixmap | None:
        """The last whole frame, of whatever it was."""
        return self._picture

    def forget(self) -> None:
        self._picture = None

    def has(self, key: Hashable, at: Pair) -> bool:
        """Whether the picture is this very frame, so that `whole` paints nothing."""
        return self._whole and self._picture is not None and (key, at) == (self._key, self._at)

    def whole(self, key: Hashable, at: Pair, size: Size, ratio: float, paint: Paint) -> QPixmap:
        """All of a frame. `key` names all that it depends on but the place, `at` is the place in pixels."""
        if self._picture is not None and self.has(key, at):
            return self._picture  # what lies over it is painted anew: a label, a ring under the pointer
        picture = _blank(size, ratio)
        painter = QPainter(picture)
        paint(painter, Box(0, 0, size[0] + 1, size[1] + 1))  # to the last pixel, whatever the ratio rounds to
        painter.end()
        self._picture, self._key, self._at, self._whole = picture, key, at, True
        return picture

    def stepwise(self, key: Hashable, at: Pair, size: Size, ratio: float, paint: Paint) -> bool:
        """Paint some more of a frame; whether it is whole now, and `whole` has it ready."""
        if self.has(key, at):
            return True
        name = (key, at, size, ratio)
        if self._unfinished is None or self._unfinished.name != name:
            self._unfinished = _Unfinished(name, _blank(size, ratio))
        begun, end = self._unfinished, time.perf_counter() + _BUDGET
        wide = math.ceil(begun.picture.width() / _STRIPS) / ratio  # whole pixels: no seam is seen
        painter = QPainter(begun.picture)
        while begun.next < _STRIPS and time.perf_counter() < end:
            paint(painter, Box(begun.next * wide, 0, wide, size[1] + 1))
            begun.next += 1
        painter.end()
        if begun.next < _STRIPS:
            return False
        self._picture, self._key, self._at, self._whole, self._unfinished = begun.picture, key, at, True, None
        return True

    def shifted(self, key: Hashable, at: Pair, size: Size, ratio: float, paint: Paint) -> QPixmap:
        """The frame at `at`, made of the one before and of what came into view since; whole where that cannot be."""
        dx, dy = round((self._at[0] - at[0]) * ratio), round((self._at[1] - at[1]) * ratio)
        width, height = size
        if self._picture is None or key != self._key or abs(dx) >= width * ratio / 2 or abs(dy) >= height * ratio / 2:
            return self.whole(key, at, size, ratio, paint)
        if dx == 0 and dy == 0:
            return self._picture
        picture = _blank(size, ratio)
        painter = QPainter(picture)
        x, y = dx / ratio, dy / ratio
        painter.drawPixmap(QPointF(x, y), self._picture)
        edge = 1.0 / ratio  # strips reach a pixel into the old picture, so that no seam is seen
        if x > 0:
            paint(painter, Box(0, 0, x + edge, height + 1))
        elif x < 0:
            paint(painter, Box(width + x - edge, 0, -x + edge + 1, height + 1))
        if y > 0:
            paint(painter, Box(0, 0, width + 1, y + edge))
        elif y < 0:
            paint(painter, Box(0, height + y - edge, width + 1, -y + edge + 1))
        painter.end()
        # The place that the picture truly shows: fractions of a pixel are made up for by the next step.
        self._picture, self._at, self._whole = picture, (self._at[0] - x, self._at[1] - y), False
        return picture


def _blank(size: Size, ratio: float) -> QPixmap:
    picture = QPixmap(math.ceil(size[0] * ratio), math.ceil(size[1] * ratio))
    picture.setDevicePixelRatio(ratio)
    return picture
