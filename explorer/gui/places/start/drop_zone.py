"""The place for a folder: drop it, or choose one of three ways to open something."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QAction, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from explorer.gui.icons import icon
from explorer.gui.theme import Theme
from explorer.gui.widgets.action_button import ActionButton
from explorer.gui.widgets.sentences import sentence


class DropZone(QWidget):
    """Draws the dashed frame; the drop itself is the window's, which takes it anywhere."""

    def __init__(self, theme: Theme, primary: QAction, others: list[QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setAccessibleName("Drop a folder here")
        em = theme.em
        column = QVBoxLayout(self)
        column.setContentsMargins(em * 2, em * 2, em * 2, em * 2)
        column.setSpacing(round(em * 0.7))
        column.addStretch(1)
        self._picture = QLabel()
        self._picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column.addWidget(self._picture)
        column.addWidget(_line("Drop a folder of documents here", "headline"))
        column.addWidget(
            _line(
                "Text, Markdown, HTML, reStructuredText, CSV, JSON, PDF and Word files become a graph of what they "
                "name, grouped into communities with a report on each.",
                "muted",
            )
        )
        self._where = _line("", "muted")
        column.addWidget(self._where)
        row = QHBoxLayout()
        row.addStretch(1)
        self.buttons = [ActionButton(primary, "primary"), *(ActionButton(action) for action in others)]
        for button in self.buttons:
            row.addWidget(button)
        row.addStretch(1)
        column.addSpacing(em)
        column.addLayout(row)
        column.addStretch(1)
        theme.changed.connect(self._colour)
        self._colour()

    def say_where(self, sentence: str) -> None:
        """Say where what is read goes."""
        self._where.setText(sentence)

    def paintEvent(self, event: QPaintEvent) -> None:
        em = self._theme.em
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.colour("border"), max(1.0, em / 9), Qt.PenStyle.DashLine))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(2, 2, -2, -2), em * 0.5, em * 0.5)
        painter.end()

    def _colour(self) -> None:
        size = self._theme.em * 3
        picture = icon("drop", self._theme.colour("muted"), size=size).pixmap(QSize(size, size))
        self._picture.setPixmap(picture)
        self.update()


def _line(text: str, role: str) -> QLabel:
    label = sentence(text, role)
    label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    return label
