"""A folder dropped anywhere on the window is opened; while it hovers the window says what will happen."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from explorer.gui.theme import Theme


def dropped_path(data: QMimeData) -> Path | None:
    """What a drop means: the folder itself, or the folder of a file; None for what is not on this machine."""
    for url in data.urls():
        if url.isLocalFile():
            path = Path(url.toLocalFile())
            return path.parent if path.is_file() else path
    return None


class DropHint(QWidget):
    """Covers its window with one sentence while something hovers over it."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._words = ""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def show_for(self, path: Path) -> None:
        self._words = f"Drop to open {path.name}"
        self.setAccessibleName(self._words)
        self.setGeometry(self.parentWidget().rect())
        self.raise_()
        self.show()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), theme.colour("background", 225))
        em = theme.em
        painter.setPen(QPen(theme.colour("accent"), max(1.0, em / 8), Qt.PenStyle.DashLine))
        painter.drawRoundedRect(self.rect().adjusted(em, em, -em, -em), em * 0.6, em * 0.6)
        font = painter.font()
        font.setPointSizeF(font.pointSizeF() * 1.6)
        painter.setFont(font)
        painter.setPen(theme.colour("text"))
        painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignCenter), self._words)
        painter.end()
