"""Which labels a frame would like to have, and where each could stand."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable

import numpy as np
from PySide6.QtGui import QFont, QFontMetricsF

from explorer.gui.places.communities.grouping import Grouping
from explorer.gui.places.communities.label_paint import label_fonts
from explorer.gui.places.communities.labels import Box, Label, Wanted, place_labels, shorten, wrap
from explorer.gui.places.communities.level_of_detail import Drawn, DrawnDisc, View
from explorer.gui.places.communities.paint import Chosen

_GAP = 3.0
_SMALLEST = 5.0  # a disc of a smaller radius has no label
_MOST_COMMUNITIES = 500
_MOST_ENTITIES = 220  # candidates that are tried

_CROWD, _CROWD_LABELS = 100, 24  # discs that stand too close for names, and how many names they get all the same

_BUDGET = 0.012  # seconds of measuring before the window goes on

Option = tuple[tuple[str, ...], Box]


class LabelMaker:
    """Makes labels with one font; widths are measured once a text."""

    def __init__(self, font: QFont) -> None:
        self.font = QFont(font)
        self._metrics = {bold: QFontMetricsF(face) for bold, face in label_fonts(font).items()}
        self._widths: dict[tuple[str, bool], float] = {}
        self._short: dict[tuple[int, float], str] = {}
        self._sides: dict[tuple[int, float], list[tuple[float, float]]] = {}
        self._sides_of: Grouping | None = None
        self._sides_at = 0.0
        self._wrapped: dict[tuple[int, int], tuple[str, ...]] = {}
        self._next, self._some = 0, False  # how far `measured` came, and whether a name had room
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
        self._short.clear()
        self._wrapped.clear()
        self._sides_of = None

    def make(
        self, drawn: Drawn, grouping: Grouping, view: View, chosen: Chosen, taken: Iterable[Box] = (), most: int = 200
    ) -> list[Label]:
        """Labels of a frame: what is chosen first, then communities by size, then entities by degree."""
        wanted: list[Wanted] = []
        first: list[Wanted] = []
        at_hand = self._at_hand(drawn, grouping, view)
        for tried, disc in enumerate(at_hand):
            if tried >= _CROWD and not wanted and disc.community != chosen.community:
                continue  # no name has found room so far: the smaller discs stand no freer
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
        labels = place_labels([self._in_view(want, view) for want in [*first, *wanted]], taken, most)
        if not labels and len(at_hand) >= _CROWD:
            crowd = [
                self._in_view(self._over_crowd(disc, grouping), view)
                for disc in at_hand[:: max(1, len(at_hand) // (2 * _CROWD_LABELS))]
            ]
            labels = place_labels(crowd, taken, _CROWD_LABELS)
        return labels

    def measured(self, drawn: Drawn, grouping: Grouping, view: View) -> bool:
        """Measure some more of what the labels of a frame need, for a few milliseconds; whether all of it is there,
        so that `make` has it ready."""
        end = time.perf_counter() + _BUDGET
        if self._sides_of is not grouping or self._sides_at != view.scale:
            self._next = 0
        at_hand = self._at_hand(drawn, grouping, view)
        # Where the first hundred have no room `make` does not try the others: it does not need these.
        while self._next < min(len(at_hand), _CROWD) or (self._next < len(at_hand) and self._some):
            want = self._of_disc(at_hand[self._next], grouping, view)
            self._some = (self._next > 0 and self._some) or want is not None
            self._next += 1
            if time.perf_counter() > end:
                return False
        return True

    def _at_hand(self, drawn: Drawn, grouping: Grouping, view: View) -> list[DrawnDisc]:
        """The discs that are large enough for a label, the biggest first; what is kept is of their scale."""
        if self._sides_of is not grouping or self._sides_at != view.scale:
            self._sides_of, self._sides_at = grouping, view.scale
            self._sides.clear()
        self._circles = (*view.to_screen(grouping.x, grouping.y), grouping.r * view.scale)
        return [drawn.disc(k) for k in np.flatnonzero(drawn.disc_r >= _SMALLEST)[:_MOST_COMMUNITIES].tolist()]

    def _over_crowd(self, disc: DrawnDisc, grouping: Grouping) -> Wanted:
        """Where discs stand so close that no name has room beside one: some names lie over their neighbours."""
        node = grouping.scene.hierarchy.nodes[disc.community]
        text = f"{shorten(node.title, 11 * self.line, self.measure, True)} · {node.size:,}"
        width = self.measure(text, True)
        box = Box(disc.x - width / 2, disc.y - self.line / 2, width, self.line)
        return Wanted((((text,), box),), True, "community", disc.community)

    def _of_disc(self, disc: DrawnDisc, grouping: Grouping, view: View) -> Wanted | None:
        title = grouping.scene.hierarchy.nodes[disc.community].title
        inside = self._inside(disc, title)
        options = list(inside)
        # One word of a long title inside says less than a line beside it.
        cut = bool(inside) and inside[0][0][-1].endswith("…") and sum(map(len, inside[0][0])) < 16
        if not inside or cut:
            options = [*self._beside(disc, title, view), *inside]
            piece = shorten(title, 2 * disc.r - 10, self.measure, True) if disc.open < 0.3 and not inside else ""
            if len(piece) > 5:  # better a piece of a name inside than none at all
                width = self.measure(piece, True)
                options.append(((piece,), Box(disc.x - width / 2, disc.y - self.line / 2, width, self.line)))
        return Wanted(tuple(options), True, "community", disc.community) if options else None

    def _inside(self, disc: DrawnDisc, title: str) -> tuple[Option, ...]:
        if disc.open >= 0.3 or disc.r < 2.0 * self.line:
            return ()
        lines = self._wrap(disc, title)
        if not lines:
            return ()
        width = max(self.measure(line, True) for line in lines)
        height = self.line * len(lines)
        return ((lines, Box(disc.x - width / 2, disc.y - height / 2, width, height)),)

    def _beside(self, disc: DrawnDisc, title: str, view: View) -> list[Option]:
        """A line above the disc and, while it is closed, below it and at its sides."""
        room = max(disc.r * 2.4, 7.5 * self.line)
        room = min(room, view.width * 0.6)
        key = (disc.community, room)
        if key not in self._short:
            if len(self._short) > 20_000:
                self._short.clear()
            self._short[key] = shorten(title, room, self.measure, True)
        text = self._short[key]
        if len(text) < 4 and text != title:
            return []
        width = self.measure(text, True)
        if disc.open >= 0.3:
            return self._over(disc, title, text, width, view)
        return [((text,), Box(disc.x + dx, disc.y + dy, width, self.line)) for dx, dy in self._free(disc, width)]

    def _over(self, disc: DrawnDisc, title: str, text: str, width: float, view: View) -> list[Option]:
        """Above an open disc where that crosses no other, else under its rim; in sight while it reaches beyond."""
        options: list[Option] = []
        if any(dy < -disc.r and dx == -width / 2 for dx, dy in self._free(disc, width)):
            options.append(((text,), Box(disc.x - width / 2, disc.y - disc.r - self.line - _GAP, width, self.line)))
        top = max(disc.y - 0.8 * disc.r, 6.0)
        if top + self.line < disc.y + 0.8 * disc.r:
            # The chord where the line of text is shorter: at its upper or its lower edge.
            half = math.sqrt(disc.r**2 - max(abs(top - disc.y), abs(top + self.line - disc.y)) ** 2)
            left, right = max(disc.x - half, 0.0) + 6, min(disc.x + half, view.width) - 6
            inside = shorten(title, right - left, self.measure, True) if right > left else ""
            if len(inside) > 5:
                width = self.measure(inside, True)
                x = min(max(disc.x - width / 2, left), right - width)
                options.append(((inside,), Box(x, top, width, self.line)))
        return options

    def _free(self, disc: DrawnDisc, width: float) -> list[tuple[float, float]]:
        """Where a line of some width may stand beside a closed disc, from its middle: not across a neighbour, whose
        own name it would seem to be. The same wherever the page is moved to, so it is kept while the scale stays."""
        key = (disc.community, width)
        if key not in self._sides:
            away = disc.r + _GAP
            half, middle = -width / 2, -self.line / 2
            corners = np.array([(half, -away - self.line), (half, away), (away, middle), (-away - width, middle)])
            left, top = disc.x + corners[:, :1], disc.y + corners[:, 1:]
            x, y, r = self._circles
            # np.clip would take twice as long, and this is asked for every disc of a frame.
            dx = x - np.minimum(np.maximum(x, left), left + width)
            dy = y - np.minimum(np.maximum(y, top), top + self.line)
            hit = (dx * dx + dy * dy < (r - 1) ** 2) & ~((np.abs(x - disc.x) < 0.01) & (np.abs(y - disc.y) < 0.01))
            self._sides[key] = [(float(a), float(b)) for a, b in corners[~hit.any(axis=1)]]
        return self._sides[key]

    @staticmethod
    def _in_view(want: Wanted, view: View) -> Wanted:
        """A label that would be cut off at the edge is none."""
        whole = tuple(
            (lines, box)
            for lines, box in want.options
            if box.x >= 0 and box.y >= 0 and box.x + box.width <= view.width and box.y + box.height <= view.height
        )
        return Wanted(whole, want.bold, want.kind, want.key, want.alpha)

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
        return Wanted(tuple(((text,), box) for box in boxes), False, "entity", row, alpha)
