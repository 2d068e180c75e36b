"""Servers of language models that run on this machine, as a list from which a connection is set up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QSize, Qt

from explorer.gui.theme import Theme
from explorer.gui.widgets.shapes import shape_pixmap
from explorer.gui.words import count

if TYPE_CHECKING:
    from explorer.models.local_servers import LocalServer


class ServersModel(QAbstractListModel):
    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.servers: list[LocalServer] = []

    def set_servers(self, servers: list[LocalServer]) -> None:
        self.beginResetModel()
        self.servers = list(servers)
        self.endResetModel()

    def rowCount(self, parent: QModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.servers)

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        server = self.servers[index.row()]
        has = "asks for a key" if server.needs_key else count(len(server.models), "model")
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{server.name} · {has}\n{server.base_url}"
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            models = f": {', '.join(server.models)}" if server.models else ""
            return f"{server.name} at {server.base_url}, {has}{models}"
        if role == Qt.ItemDataRole.DecorationRole:
            return shape_pixmap("dot", self._theme.colour("good"), self._theme.em)
        if role == Qt.ItemDataRole.SizeHintRole:
            return QSize(0, round(self._theme.em * 2.7))
        return None
