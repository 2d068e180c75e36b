"""Every action with its keys, read from the registry."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QHeaderView, QLineEdit, QTableView, QVBoxLayout, QWidget

from explorer.gui.actions import ActionRegistry
from explorer.gui.theme import Theme

_COLUMNS = ("Subject", "Action", "Keys")


class ActionsModel(QAbstractTableModel):
    """A row an action; `filter` keeps those whose words hold a text."""

    def __init__(self, registry: ActionRegistry) -> None:
        super().__init__()
        self._all = [
            (str(action.property("category")), action.text(), action.shortcut().toString()) for action in registry.all()
        ]
        self._rows = self._all

    def filter(self, text: str) -> None:
        """Show the actions whose subject, name or keys hold the text."""
        wanted = text.casefold().strip()
        self.beginResetModel()
        self._rows = [row for row in self._all if wanted in " ".join(row).casefold()]
        self.endResetModel()

    def rowCount(self, parent: QModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: QModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(_COLUMNS)

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if index.isValid() and role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self._rows[index.row()][index.column()]
        return None

    def headerData(self, section: int, way: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if way == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _COLUMNS[section]
        return None


class HelpDialog(QDialog):
    """The list of actions and keys, with a line to search in it."""

    def __init__(self, registry: ActionRegistry, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Actions and keys")
        self.setAccessibleName("Actions and keys")
        em = theme.em
        self.resize(em * 36, em * 34)
        column = QVBoxLayout(self)
        self.line = QLineEdit()
        self.line.setPlaceholderText("Search an action or a key")
        self.line.setAccessibleName("Search an action or a key")
        self.model = ActionsModel(registry)
        self.model.setParent(self)
        self.line.textChanged.connect(self.model.filter)
        self.table = QTableView()
        self.table.setAccessibleName("Actions and keys")
        self.table.setModel(self.model)
        self.table.verticalHeader().hide()
        self.table.setShowGrid(False)
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.table.setColumnWidth(0, em * 8)
        self.table.setColumnWidth(2, em * 9)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        for button in buttons.buttons():
            button.setAccessibleName("Close")
        column.addWidget(self.line)
        column.addWidget(self.table, 1)
        column.addWidget(buttons)
