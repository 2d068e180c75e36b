"""A bar a batch, its points stacked by score; each fate has its shape, its words and its colour."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QWidget

from explorer.base.fate_words import FATE_WORDS
from explorer.base.fates import BatchFate, PointFate
from explorer.gui.places.ask.chart import Chart, Mark
from explorer.gui.places.ask.geometry import BatchBar
from explorer.gui.theme import Theme
from explorer.gui.words import count


class BatchesChart(Chart):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Batches: a bar a batch, points stacked by score", parent)
        self.bars: list[BatchBar] = []

    def show_bars(self, bars: list[BatchBar]) -> None:
        self.bars = bars
        self.current = None
        self.update()

    def paint_chart(self, painter: QPainter, area: QRectF) -> Sequence[Mark]:
        em = self.theme.em
        high = self.axis(
            painter, area, max((bar.height for bar in self.bars), default=0) or 100, "summed score", "batch"
        )
        slot = area.width() / max(1, len(self.bars))
        width = min(slot * 0.72, em * 2.4)
        every = max(1, round(em * 1.8 / slot + 0.499))
        marks = []
        for place, bar in enumerate(self.bars):
            centre = area.left() + slot * (place + 0.5)
            column = QRectF(centre - width / 2, area.top(), width, area.height())
            self._bar(painter, bar, column, high)
            if place % every == 0:
                label = QRectF(centre - em * 1.5, area.bottom() + em * 0.15, em * 3, em * 1.2)
                self.words(painter, label, str(bar.index + 1), "centre")
            marks.append(
                Mark(QRectF(centre - slot / 2, area.top(), slot, area.height()), self.describe(bar), bar.index)
            )
        return marks

    def describe(self, bar: BatchBar) -> str:
        kept = sum(1 for segment in bar.segments if segment.fate is PointFate.KEPT)
        cut = len(bar.segments) - kept
        fate = FATE_WORDS.get(str(bar.fate), "no fate: a fault of the program")
        points = f"{count(kept, 'point')} kept, {cut} cut, {bar.unscored} without a score"
        return f"Batch {bar.index + 1}: {fate}. {points}. Open it for its reports, prompt and reply."

    def _bar(self, painter: QPainter, bar: BatchBar, column: QRectF, high: float) -> None:
        if not bar.segments:
            self._sign(painter, bar.fate, QPointF(column.center().x(), column.bottom() - self.theme.em * 0.8))
            return
        scale = column.height() / high
        gap = 1.0 if column.width() > 4 else 0.0
        for segment in bar.segments:
            rect = QRectF(
                column.left(),
                column.bottom() - segment.high * scale + gap / 2,
                column.width(),
                max(1.0, (segment.high - segment.low) * scale - gap),
            )
            if segment.fate is PointFate.KEPT:
                painter.fillRect(rect, self.theme.colour("used"))
            else:
                painter.fillRect(rect, self.theme.colour("cut"))
                if segment.fate is PointFate.WOULD_HAVE_FITTED:
                    painter.setBrush(self.theme.colour("accent"))
                    painter.setPen(Qt.PenStyle.NoPen)
                    painter.drawEllipse(rect.center(), 2.5, 2.5)

    def _sign(self, painter: QPainter, fate: BatchFate | None, at: QPointF) -> None:
        """A batch without a scored point: a ring is an honest zero, a hatched box malformed, a cross failed."""
        size = self.theme.em * 0.35
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if fate in (BatchFate.NOTHING_RELEVANT, BatchFate.RELEVANT):
            painter.setPen(QPen(self.theme.colour("muted"), 2))
            painter.drawEllipse(at, size, size)
        elif fate is BatchFate.MALFORMED:
            self.hatch(
                painter, QRectF(at.x() - size, at.y() - size, size * 2, size * 2), self.theme.colour("malformed")
            )
        else:
            colour = self.theme.colour("failed" if fate is BatchFate.FAILED else "muted")
            painter.setPen(QPen(colour, 2.5))
            painter.drawLine(at + QPointF(-size, -size), at + QPointF(size, size))
            if fate is not BatchFate.CANCELLED:
                painter.drawLine(at + QPointF(-size, size), at + QPointF(size, -size))
