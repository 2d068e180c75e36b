"""The connections as rows of a list: the offline analyst first, then those that were set up, then broken entries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QSize, Qt

from explorer.gui.session import OFFLINE
from explorer.gui.theme import Theme
from explorer.gui.widgets.shapes import shape_pixmap

_MARKS = {
    "ready": ("check", "good"), "untested": ("ring", "muted"), "wrong": ("cross", "failed"),
    "unreadable": ("triangle", "warn"), "testing": ("dot", "accent"),
}  # fmt: skip
_WORDS = {
    "ready": "works", "untested": "not tested yet", "wrong": "does not work", "unreadable": "cannot be read",
    "testing": "is being tested",
}  # fmt: skip


@dataclass(frozen=True)
class ConnectionRow:
    """`about` is its model and address; `state` is ready, untested, testing, wrong or unreadable."""

    name: str
    about: str
    state: str
    used: bool = False

    @property
    def words(self) -> str:
        state = "" if self.name == OFFLINE else f" · {_WORDS[self.state]}"
        return f"{self.name}{' · in use' if self.used else ''}\n{self.about}{state}"


class ConnectionsModel(QAbstractListModel):
    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.rows: list[ConnectionRow] = []
        theme.changed.connect(self._repaint)

    def set_rows(self, rows: list[ConnectionRow]) -> None:
        """Show other rows; where the names stay the same, what is chosen stays chosen."""
        if [row.name for row in rows] == [row.name for row in self.rows]:
            self.rows = rows
            self._repaint()
            return
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def place(self, name: str) -> QModelIndex:
        """The index of a name; an invalid one where it is not there."""
        for number, row in enumerate(self.rows):
            if row.name == name:
                return self.index(number, 0)
        return QModelIndex()

    def rowCount(self, parent: QModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.words
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return row.words.replace("\n", ", ")
        if role == Qt.ItemDataRole.DecorationRole:
            shape, colour = _MARKS[row.state]
            return shape_pixmap(shape, self._theme.colour(colour), self._theme.em)
        if role == Qt.ItemDataRole.SizeHintRole:
            return QSize(0, round(self._theme.em * 2.7))
        return None

    def _repaint(self) -> None:
        if self.rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.rows) - 1, 0))
