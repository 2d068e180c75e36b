"""A text browser for text that nobody vouches for: it fetches nothing, follows nothing and tells what was clicked."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QByteArray, QUrl, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QTextBrowser, QWidget


class SafeBrowser(QTextBrowser):
    """Shows HTML that this program made (everything foreign in it is escaped). Links are of our own schemes only."""

    link_clicked = Signal(str, str)  # what stands before and behind the first colon

    SCHEMES = ("cite", "community", "entity", "more")

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setOpenLinks(False)
        self.setOpenExternalLinks(False)
        self.setUndoRedoEnabled(False)
        self.document().setDocumentMargin(2)
        self.anchorClicked.connect(self._clicked)

    def loadResource(self, type: int, name: QUrl) -> Any:
        """Refuse every picture, sheet and page, local or remote."""
        return QByteArray()

    def show_html(self, text: str) -> None:
        """Show a page from its beginning."""
        self.setHtml(text)
        self.moveCursor(QTextCursor.MoveOperation.Start)
        self.verticalScrollBar().setValue(0)

    def _clicked(self, url: QUrl) -> None:
        scheme, _, rest = url.toString().partition(":")
        if scheme in self.SCHEMES:
            self.link_clicked.emit(scheme, rest)
