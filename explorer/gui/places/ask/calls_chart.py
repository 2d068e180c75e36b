"""The calls of a run in lanes, stage after stage, as long as their tokens, their seconds or their price."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from explorer.base.fate_words import FATE_WORDS
from explorer.base.fates import CallFate
from explorer.gui.places.ask.chart import Chart, Mark, ticks
from explorer.gui.places.ask.figures import money, tokens
from explorer.gui.places.ask.geometry import CallBar, call_bars
from explorer.gui.theme import Theme
from explorer.gui.words import count
from explorer.search.trace import CallEntry

_STAGE_HUES = {"rate": 0, "map": 2, "reduce": 5, "answer": 5, "embed": 6}
MEASURES = {"tokens": "tokens", "seconds": "seconds", "cost": "US dollars"}


class CallsChart(Chart):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Calls in lanes, stage after stage", parent)
        self.calls: list[CallEntry] = []
        self.lanes = 8
        self.measure = "tokens"
        self._bars: list[CallBar] = []

    def show_calls(self, calls: list[CallEntry], lanes: int) -> None:
        self.calls, self.lanes = calls, max(1, min(lanes, 12, max(1, len(calls))))
        self.current = None
        self.set_measure(self.measure)

    def set_measure(self, measure: str) -> None:
        self.measure = measure
        self._bars = call_bars(self.calls, measure, self.lanes)
        self.update()

    def margins(self) -> tuple[float, float, float, float]:
        em = self.theme.em
        return em * 0.4, em * 0.3, em * 0.4, em * 2.5

    def paint_chart(self, painter: QPainter, area: QRectF) -> Sequence[Mark]:
        em = self.theme.em
        high = max((bar.right for bar in self._bars), default=1.0)
        scale = area.width() / high
        height = min(em * 1.2, area.height() / self.lanes)
        for value in ticks(high, max(2, int(area.width() / (em * 6)))):
            if area.left() + value * scale + em * 3 > area.right():
                break
            rect = QRectF(area.left() + value * scale, area.bottom() + 2, em * 5, em * 1.1)
            self.words(painter, rect, tokens(value) if self.measure == "tokens" else f"{value:,.4g}", "left")
        below = QRectF(area.left(), area.bottom() + em * 1.25, area.width(), em * 1.1)
        lanes = "" if self.lanes == 1 else f", in {self.lanes} lanes"
        self.words(painter, below, f"{MEASURES[self.measure]}, stage after stage{lanes}", "centre")
        marks = []
        for number, bar in enumerate(self._bars):
            rect = QRectF(
                area.left() + bar.left * scale,
                area.top() + bar.lane * height,
                max(2.0, (bar.right - bar.left) * scale - 1),
                max(3.0, height - 2),
            )
            self._bar(painter, rect, bar.call)
            marks.append(Mark(rect, _describe(bar.call), number))
        return marks

    def _bar(self, painter: QPainter, rect: QRectF, call: CallEntry) -> None:
        if call.fate is CallFate.FAILED:
            self.hatch(painter, rect, self.theme.colour("failed"))
        elif call.fate is CallFate.MALFORMED:
            self.hatch(painter, rect, self.theme.colour("malformed"))
        else:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.theme.community_colour(_STAGE_HUES.get(call.stage, 0)))
            painter.drawRoundedRect(rect, 2, 2)
        label = (
            f"{call.stage} {int(call.id.rsplit('-', 1)[-1]) if call.id.rsplit('-', 1)[-1].isdigit() else ''}".strip()
        )
        if rect.width() > painter.fontMetrics().horizontalAdvance(label) + 8 and rect.height() >= self.theme.em * 0.95:
            if call.fate in (CallFate.FAILED, CallFate.MALFORMED):
                width = painter.fontMetrics().horizontalAdvance(label) + 6.0
                room = QRectF(rect.center().x() - width / 2, rect.top() + 1, width, rect.height() - 2)
                painter.fillRect(room, self.theme.colour("surface"))
                self.words(painter, rect, label, "centre", "text")
            else:
                dark_fill = painter.brush().color().lightnessF() < 0.55
                painter.setPen(Qt.GlobalColor.white if dark_fill else Qt.GlobalColor.black)
                painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter), label)

    def call_of(self, key: int) -> CallEntry:
        """The call behind a mark's key."""
        return self._bars[key].call


def _describe(call: CallEntry) -> str:
    words = (
        f"{call.id} ({call.stage}): {FATE_WORDS.get(str(call.fate), 'no fate')}. "
        f"{call.prompt_tokens:,} tokens read, {call.output_tokens:,} written, {money(call.cost)}, {call.seconds:.2f} s."
    )
    if call.retries:
        words += f" Retried {count(call.retries, 'time')}."
    return words + (f" {call.error}" if call.error else "")
