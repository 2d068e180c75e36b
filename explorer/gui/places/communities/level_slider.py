"""The level slider: a stop for each level of the index, drawn in the theme's colours."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSlider, QWidget

from explorer.gui.theme import Theme

_APART = 6.0  # pixels: stops that stand closer would be a second line


class LevelSlider(QSlider):
    """A QSlider in every respect (keys, wheel, accessibility) with stops that can be hit with one click."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._theme = theme
        theme.changed.connect(self.update)
        self.setPageStep(1)

    def sizeHint(self) -> QSize:
        line = self.fontMetrics().height()
        stops = max(self.maximum() - self.minimum() + 1, 3)
        return QSize(round(line * min(1.4 * stops + 1, 9)), round(line * 1.4))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def stop(self, value: int) -> QPointF:
        """The middle of a stop, in the widget's pixels."""
        steps = max(self.maximum() - self.minimum(), 1)
        inset = self.height() * 0.35 + 1
        return QPointF(inset + (self.width() - 2 * inset) * (value - self.minimum()) / steps, self.height() / 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        accent = self._theme.colour("accent" if self.isEnabled() else "border")
        painter.setPen(QPen(self._theme.colour("border"), 3, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(self.stop(self.minimum()), self.stop(self.maximum()))
        painter.setPen(QPen(accent, 3, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(self.stop(self.minimum()), self.stop(self.value()))
        painter.setPen(Qt.PenStyle.NoPen)
        apart = self.stop(self.minimum() + 1).x() - self.stop(self.minimum()).x()
        for value in range(self.minimum(), self.maximum() + 1) if apart >= _APART else ():
            painter.setBrush(accent if value <= self.value() else self._theme.colour("muted"))
            painter.drawEllipse(self.stop(value), 2.6, 2.6)
        painter.setBrush(accent)
        painter.setPen(QPen(self._theme.colour("surface"), 2))
        painter.drawEllipse(self.stop(self.value()), self.height() * 0.3, self.height() * 0.3)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(accent, 1))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self.setValue(self._nearest(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self.setValue(self._nearest(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.setSliderDown(False)

    def _nearest(self, x: float) -> int:
        return min(range(self.minimum(), self.maximum() + 1), key=lambda value: abs(self.stop(value).x() - x))
