"""What the charts of this place share: margins, a labelled axis, bars that can be pointed at, chosen and walked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from explorer.gui.theme import Theme, tabular


@dataclass(frozen=True)
class Mark:
    """A thing on the chart that can be pointed at: where it is, what it says, and its key for `chosen`."""

    rect: QRectF
    words: str
    key: int


def ticks(high: float, wanted: int = 4) -> list[float]:
    """Round numbers from 0 up to at least `high`, about `wanted` of them."""
    if high <= 0:
        return [0.0, 1.0]
    raw = high / wanted
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= raw * 0.999)
    return [step * number for number in range(math.ceil(high / step - 1e-9) + 1)]


class Chart(QWidget):
    """Subclasses give `paint_chart` and fill `marks`. `activated(key)` is a click, Enter or Space on a mark."""

    activated = Signal(int)

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.marks: list[Mark] = []
        self.current: int | None = None
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(theme.em * 6)
        theme.changed.connect(self.update)

    def paint_chart(self, painter: QPainter, area: QRectF) -> Sequence[Mark]:
        """Draw inside `area` and return the marks in reading order."""
        raise NotImplementedError

    def margins(self) -> tuple[float, float, float, float]:
        """Left, top, right, bottom in pixels, from the font."""
        em = self.theme.em
        return em * 3.0, em * 0.7, em * 0.5, em * 2.6

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(tabular(self.font()))
        left, top, right, bottom = self.margins()
        area = QRectF(left, top, max(10.0, self.width() - left - right), max(10.0, self.height() - top - bottom))
        self.marks = list(self.paint_chart(painter, area))
        if self.hasFocus() and self.current is not None and self.current < len(self.marks):
            painter.setPen(QPen(self.theme.colour("accent"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.marks[self.current].rect.adjusted(-2, -2, 2, 2))
        painter.end()

    def axis(self, painter: QPainter, area: QRectF, high: float, unit: str, below: str) -> float:
        """Draw the value axis with its grid lines and the words below; returns the highest value of the axis."""
        values = ticks(high, max(2, min(5, int(area.height() / (self.theme.em * 2.2)))))
        top = values[-1]
        for value in values:
            y = area.bottom() - area.height() * value / top
            painter.setPen(QPen(self.theme.colour("border"), 1))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            self.words(
                painter, QRectF(0, y - self.theme.em, area.left() - 6, self.theme.em * 2), f"{value:,.6g}", "right"
            )
        below_rect = QRectF(area.left(), area.bottom() + self.theme.em * 1.35, area.width(), self.theme.em * 1.2)
        self.words(painter, below_rect, f"{below} · height: {unit}" if unit else below, "centre")
        return top

    def words(self, painter: QPainter, rect: QRectF, text: str, align: str = "left", colour: str = "muted") -> None:
        """One line of text inside a rectangle, cut with an ellipsis where it does not fit."""
        flags = {
            "left": Qt.AlignmentFlag.AlignLeft,
            "right": Qt.AlignmentFlag.AlignRight,
            "centre": Qt.AlignmentFlag.AlignHCenter,
        }[align] | Qt.AlignmentFlag.AlignVCenter
        painter.setPen(self.theme.colour(colour))
        fitted = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(rect.width()))
        painter.drawText(rect, int(flags), fitted)

    def hatch(self, painter: QPainter, rect: QRectF, colour: QColor) -> None:
        """Fill with slanted lines: a second way to tell a fate beside its colour."""
        painter.save()
        painter.setClipRect(rect)
        painter.setPen(QPen(colour, 2))
        step = 6.0
        start = rect.left() - rect.height()
        while start < rect.right():
            painter.drawLine(QPointF(start, rect.bottom()), QPointF(start + rect.height(), rect.top()))
            start += step
        painter.restore()
        painter.setPen(QPen(colour, 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(rect)

    def mark_at(self, position: QPointF) -> int | None:
        return next(
            (n for n, mark in enumerate(self.marks) if mark.rect.adjusted(-1, -1, 1, 1).contains(position)), None
        )

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        number = self.mark_at(event.position())
        if number is None:
            QToolTip.hideText()
        else:
            QToolTip.showText(event.globalPosition().toPoint(), self.marks[number].words, self)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        number = self.mark_at(event.position())
        if number is not None and event.button() == Qt.MouseButton.LeftButton:
            self._choose(number)
            self.activated.emit(self.marks[number].key)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1, Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1}.get(
            Qt.Key(event.key()), 0
        )
        if step and self.marks:
            now = -1 if self.current is None and step > 0 else (self.current or 0)
            self._choose(max(0, min(len(self.marks) - 1, now + step)))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self.current is not None:
            self.activated.emit(self.marks[self.current].key)
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        self.update()
        super().changeEvent(event)

    def _choose(self, number: int) -> None:
        self.current = number
        self.setAccessibleDescription(self.marks[number].words)
        self.update()
