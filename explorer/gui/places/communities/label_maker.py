"""Which labels a frame would like to have, and where each could stand."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from PySide6.QtGui import QFont, QFontMetricsF

from explorer.gui.places.communities.grouping import Grouping
from explorer.gui.places.communities.labels import Box, Label, Wanted, place_labels, shorten, wrap
from explorer.gui.places.communities.level_of_detail import Drawn, DrawnDisc, View
from explorer.gui.places.communities.paint import Chosen

_GAP = 3.0
_MOST_ENTITIES = 400  # candidates that are tried; at most 200 labels come to stand


class LabelMaker:
    """Makes labels with one font; widths are measured once a text."""

    def __init__(self, font: QFont) -> None:
        self.font = QFont(font)
        bold = QFont(font)
        bold.setWeight(QFont.Weight.DemiBold)
        self._metrics = {False: QFontMetricsF(self.font), True: QFontMetricsF(bold)}
        self._widths: dict[tuple[str, bool], float] = {}
        self._wrapped: dict[tuple[int, int], tuple[str, ...]] = {}
        self.line = math.ceil(max(metrics.height() for metrics in self._metrics.values()))

    def measure(self, text: str, bold: bool) -> float:
        key = (text, bold)
        if key not in self._widths:
            if len(self._widths) > 50_000:
                self._widths.clear()
            self._widths[key] = self._metrics[bold].horizontalAdvance(text)
        return self._widths[key]

    def forget(self) -> None:
        """Another index: its communities have other names under the same numbers."""
        self._wrapped.clear()

    def make(
        self, drawn: Drawn, grouping: Grouping, view: View, chosen: Chosen, taken: Iterable[Box] = (), most: int = 200
    ) -> list[Label]:
        """Labels of a frame: what is chosen first, then communities by size, then entities by degree."""
        wanted: list[Wanted] = []
        first: list[Wanted] = []
        for disc in sorted(drawn.discs, key=lambda disc: (-disc.r, disc.community)):
            want = self._of_disc(disc, grouping, view)
            if want is not None:
                (first if disc.community == chosen.community else wanted).append(want)
        lit = {row for row in (chosen.entity, chosen.hovered_entity) if row is not None}
        rows = drawn.dots[::-1]  # biggest degree first
        places = np.arange(len(rows))[::-1]
        count = 0
        for row, place in zip(rows.tolist(), places.tolist(), strict=True):
            if row in lit:
                first.insert(0, self._of_dot(row, place, drawn, grouping, 1.0))
            elif count < _MOST_ENTITIES and drawn.dot_alpha[place] > 0.45:
                count += 1
                wanted.append(self._of_dot(row, place, drawn, grouping, float(drawn.dot_alpha[place])))
        return place_labels([*first, *wanted], taken, most)

    def _of_disc(self, disc: DrawnDisc, grouping: Grouping, view: View) -> Wanted | None:
        if disc.r < 5:
            return None
        title = grouping.scene.hierarchy.nodes[disc.community].title
        if disc.open < 0.3 and disc.r >= 2.4 * self.line:
            lines = self._wrap(disc, title)
            if lines:
                width = max(self.measure(line, True) for line in lines)
                height = self.line * len(lines)
                box = Box(disc.x - width / 2, disc.y - height / 2, width, height)
                return Wanted(lines, (box,), True, "community", disc.community)
        room = max(disc.r * 2.2, 8 * self.line)
        text = shorten(title, min(room, view.width * 0.6), self.measure, True)
        if len(text) < 4 and text != title:
            return None
        width = self.measure(text, True)
        left = min(max(disc.x - width / 2, 6.0), view.width - width - 6)
        above = max(disc.y - disc.r - self.line - _GAP, 6.0)
        boxes = [Box(left, above, width, self.line)]
        below = disc.y + disc.r + _GAP
        if below + self.line < view.height:
            boxes.append(Box(left, below, width, self.line))
        return Wanted((text,), tuple(boxes), True, "community", disc.community)

    def _wrap(self, disc: DrawnDisc, title: str) -> tuple[str, ...]:
        key = (disc.community, round(disc.r / 2))
        if key not in self._wrapped:
            if len(self._wrapped) > 20_000:
                self._wrapped.clear()
            most = max(1, min(5, int(disc.r * 1.3 / self.line)))

            def room(line: int, lines: int) -> float:
                # The chord of the circle at the line's outer edge.
                outer = max(abs(line - lines / 2), abs(line + 1 - lines / 2)) * self.line
                return 2 * math.sqrt(max(disc.r**2 - outer**2, 0.0)) - 10

            self._wrapped[key] = wrap(title, room, most, self.measure, True)
        return self._wrapped[key]

    def _of_dot(self, row: int, place: int, drawn: Drawn, grouping: Grouping, alpha: float) -> Wanted:
        text = grouping.scene.titles[row]
        text = text if len(text) <= 34 else text[:33].rstrip() + "…"
        width, height = self.measure(text, False), self.line
        x, y, r = float(drawn.dot_x[place]), float(drawn.dot_y[place]), float(drawn.dot_r[place])
        boxes = (
            Box(x - width / 2, y + r + 1, width, height),
            Box(x - width / 2, y - r - 1 - height, width, height),
            Box(x + r + _GAP, y - height / 2, width, height),
            Box(x - r - _GAP - width, y - height / 2, width, height),
        )
        return Wanted((text,), boxes, False, "entity", row, alpha)
