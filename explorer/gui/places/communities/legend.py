"""The legend over a corner of the graph: what the colours mean, where they mean more than a label says."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from explorer.gui.theme import Theme


class Legend(QWidget):
    """Rows of a dot and its words; hidden while there are none."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows: list[tuple[QColor, str]] = []
        self._caption = ""
        self.setAccessibleName("Legend")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def set_rows(self, rows: list[tuple[QColor, str]], caption: str) -> None:
        self._rows, self._caption = rows, caption
        self.setAccessibleDescription("; ".join([*(words for _, words in rows), caption]))
        self.setVisible(bool(rows))
        self.resize(self.sizeHint())
        self.update()

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        texts = [*(words for _, words in self._rows), self._caption]
        width = max((metrics.horizontalAdvance(text) for text in texts), default=0)
        lines = len(self._rows) + (1 if self._caption else 0)
        return QSize(width + round(metrics.height() * 2.0), round(metrics.height() * (lines * 1.2 + 0.7)))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.colour("border"), 1))
        painter.setBrush(self._theme.colour("surface", 235))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
        line, height = self.fontMetrics().height() * 1.2, self.fontMetrics().height()
        for place, (colour, words) in enumerate(self._rows):
            y = height * 0.35 + place * line
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawEllipse(QPointF(height * 0.8, y + line / 2), height * 0.28, height * 0.28)
            painter.setPen(self._theme.colour("text"))
            painter.drawText(QRectF(height * 1.4, y, self.width(), line), Qt.AlignmentFlag.AlignVCenter, words)
        if self._caption:
            y = height * 0.35 + len(self._rows) * line
            painter.setPen(self._theme.colour("muted"))
            painter.drawText(QRectF(height * 0.5, y, self.width(), line), Qt.AlignmentFlag.AlignVCenter, self._caption)
        painter.end()
