"""The legend above the graph: what the colours mean, where they mean more than a label says."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.gui.theme import Theme


class Legend(QWidget):
    """Dots with their words, in as many lines as they need; hidden while there are none."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows: list[tuple[QColor, str]] = []
        self._caption = ""
        font = self.font()
        font.setPointSizeF(font.pointSizeF() * 0.92)
        self.setFont(font)
        self.setAccessibleName("Legend")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.hide()

    def set_rows(self, rows: list[tuple[QColor, str]], caption: str) -> None:
        """Colours with their words, and what is said of the discs."""
        self._rows, self._caption = rows, caption
        self.setAccessibleDescription("; ".join([*(words for _, words in rows), caption]))
        self.setFixedHeight(self._height(self.width()))
        self.setVisible(bool(rows))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(300, self._height(max(self.width(), 300)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.setFixedHeight(self._height(self.width()))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.paint_on(painter)
        painter.end()

    def paint_on(self, painter: QPainter) -> None:
        """Paint the entries from the painter's origin on."""
        painter.setFont(self.font())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = self._line()
        for (x, y), (colour, words) in zip(
            self._places(self.width()), [*self._rows, (None, self._caption)], strict=True
        ):
            left = x
            if colour is not None:
                painter.setPen(QPen(self._theme.colour("surface"), 1))
                painter.setBrush(colour)
                painter.drawEllipse(QPointF(x + 0.35 * line, y + line / 2), 0.27 * line, 0.27 * line)
                left = x + 0.85 * line
            painter.setPen(self._theme.colour("text" if colour is not None else "muted"))
            painter.drawText(QRectF(left, y, self.width() - left, line), Qt.AlignmentFlag.AlignVCenter, words)

    def _line(self) -> int:
        return round(self.fontMetrics().height() * 1.25)

    def _places(self, width: int) -> list[tuple[int, int]]:
        """Where each entry begins, the caption last."""
        line, places, x, y = self._line(), [], 0, 0
        for number, words in enumerate([*(words for _, words in self._rows), self._caption]):
            dot = 0.85 * line if number < len(self._rows) else 0
            needed = round(self.fontMetrics().horizontalAdvance(words) + dot + 1.1 * line)
            if x and x + needed > width:
                x, y = 0, y + line
            places.append((x, y))
            x += needed
        return places

    def _height(self, width: int) -> int:
        return self._places(max(width, 200))[-1][1] + self._line()
