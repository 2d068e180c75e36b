"""The find box: a list of entities, reports and relationships under the line; Enter goes to the first or the chosen."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCompleter, QLineEdit, QWidget

from explorer.gui.places.communities.find_index import FindIndex, Found

_MARKS = {"entity": "●", "report": "◍", "relationship": "–"}
_WAIT_MS = 60


class FoundModel(QAbstractListModel):
    """Matches, as the list under the line shows them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.found: list[Found] = []

    def set_found(self, found: list[Found]) -> None:
        self.beginResetModel()
        self.found = found
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.found)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        found = self.found[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{_MARKS[found.kind]}  {found.title}   —   {found.detail}"
        if role == Qt.ItemDataRole.EditRole:
            return found.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{found.kind}: {found.title}, {found.detail}"
        return None


class FindBox(QLineEdit):
    """Emits `chosen(Found)`; `set_index` gives it the names."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._index: FindIndex | None = None
        self._typed = ""
        self.setPlaceholderText("Find an entity, a relationship, a report…")
        self.setAccessibleName("Find an entity, a relationship or a report")
        self.setClearButtonEnabled(True)
        self.model = FoundModel(self)
        completer = QCompleter(self.model, self)
        completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        completer.setMaxVisibleItems(14)
        completer.activated[QModelIndex].connect(self._activated)  # type: ignore[index]
        completer.popup().setAccessibleName("Matches")
        self.setCompleter(completer)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_WAIT_MS)
        self._timer.timeout.connect(self.look)
        self.textEdited.connect(self._edited)
        self.returnPressed.connect(self._enter)

    def set_index(self, index: FindIndex | None) -> None:
        self._index = index
        self.clear()
        self.model.set_found([])
        self.setEnabled(index is not None)

    def look(self) -> None:
        """Fill the list for what was typed."""
        self._timer.stop()
        self.model.set_found(self._index.search(self._typed) if self._index is not None else [])
        if self.model.found and self.hasFocus() and self.isVisible():
            self.completer().complete()

    def _edited(self, text: str) -> None:
        self._typed = text
        self._timer.start()

    def _enter(self) -> None:
        if self._timer.isActive() or not self.model.found:
            self._typed = self.text()
            self.look()
        popup = self.completer().popup()
        row = popup.currentIndex().row() if popup.isVisible() else -1
        if self.model.found:
            popup.hide()
            self.chosen.emit(self.model.found[max(row, 0)])

    def _activated(self, index: QModelIndex) -> None:
        # The completer shows the rows through a proxy of its own, which keeps their order.
        if 0 <= index.row() < len(self.model.found):
            self._timer.stop()
            self.chosen.emit(self.model.found[index.row()])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
            self._edited("")
            return
        super().keyPressEvent(event)
