"""Points in the order of their ranks: as wide as their tokens, as high as their score, and where the budget ended."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QWidget

from explorer.base.fate_words import FATE_WORDS
from explorer.base.fates import PointFate
from explorer.gui.places.ask.chart import Chart, Mark, ticks
from explorer.gui.places.ask.figures import tokens
from explorer.gui.places.ask.geometry import PointBar
from explorer.gui.theme import Theme
from explorer.gui.words import count


class PointsChart(Chart):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(
            theme, "Points by score, as wide as their tokens, with the line where the budget ended", parent
        )
        self.bars: list[PointBar] = []
        self.line: float | None = None

    def show_bars(self, bars: list[PointBar], line: float | None) -> None:
        self.bars, self.line = bars, line
        self.current = None
        self.update()

    def margins(self) -> tuple[float, float, float, float]:
        left, _, right, bottom = super().margins()
        return left, self.theme.em * (2.9 if self.line is not None else 0.7), right, bottom

    def paint_chart(self, painter: QPainter, area: QRectF) -> Sequence[Mark]:
        total = self.bars[-1].right if self.bars else 1.0
        self.axis(painter, area, 100, "score", "tokens in the reduce prompt")
        scale = area.width() / total
        for value in ticks(total, max(2, int(area.width() / (self.theme.em * 5))))[:-1]:
            rect = QRectF(
                area.left() + value * scale - self.theme.em * 2, area.bottom(), self.theme.em * 4, self.theme.em * 1.3
            )
            self.words(painter, rect, tokens(value), "centre")
        marks = []
        for bar in self.bars:
            left = area.left() + bar.left * scale
            width = max(1.0, (bar.right - bar.left) * scale - (0.8 if (bar.right - bar.left) * scale > 3 else 0))
            height = area.height() * bar.score / 100
            rect = QRectF(left, area.bottom() - height, width, height)
            painter.fillRect(rect, self.theme.colour("used" if bar.fate is PointFate.KEPT else "cut"))
            if bar.fate is PointFate.WOULD_HAVE_FITTED:
                painter.setBrush(self.theme.colour("accent"))
                painter.setPen(Qt.PenStyle.NoPen)
                painter.drawEllipse(QPointF(rect.center().x(), rect.top() - 5), 3, 3)
            words = (
                f"Rank {bar.rank}, score {bar.score}, {bar.right - bar.left:,.0f} tokens, batch {bar.batch + 1}: "
                f"{FATE_WORDS.get(str(bar.fate), 'no fate')}\n{bar.text[:300]}"
            )
            marks.append(Mark(QRectF(left, area.top(), max(width, 2), area.height()), words, bar.rank))
        if self.line is not None:
            self._waterline(painter, area, area.left() + self.line * scale)
        return marks

    def _waterline(self, painter: QPainter, area: QRectF, x: float) -> None:
        em = self.theme.em
        painter.setPen(QPen(self.theme.colour("failed"), 1.5, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(x, area.top() - em * 0.4), QPointF(x, area.bottom()))
        cut = [bar for bar in self.bars if bar.fate is not PointFate.KEPT]
        fitting = sum(1 for bar in cut if bar.fate is PointFate.WOULD_HAVE_FITTED)
        first = f"the budget ends here: {count(len(cut), 'point')} cut"
        second = f"● {fitting} of them would still have fitted" if fitting else ""
        width = max(painter.fontMetrics().horizontalAdvance(text) for text in (first, second)) + em
        left = max(0.0, min(x + 6, self.width() - width - 4))
        self.words(painter, QRectF(left, area.top() - em * 2.7, width, em * 1.2), first, "left", "failed")
        self.words(painter, QRectF(left, area.top() - em * 1.6, width, em * 1.2), second, "left", "accent")
