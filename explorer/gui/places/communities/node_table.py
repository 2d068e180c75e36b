"""What the graph shows, in words: a list of the nodes in view, for eyes and readers that do not read a canvas."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from explorer.gui.places.communities.level_of_detail import Drawn
from explorer.gui.places.communities.scene import Scene

Index = QModelIndex | QPersistentModelIndex
_HEADERS = ("Name", "What it is", "Size or degree")
_NOWHERE = QModelIndex()


class NodeTableModel(QAbstractTableModel):
    """Rows are ("community", number) by size, then ("entity", row) by degree; texts are made when asked for."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._scene: Scene | None = None
        self._rows: list[tuple[str, int]] = []

    def set_drawn(self, scene: Scene | None, drawn: Drawn | None) -> None:
        """Follow a frame; keeps quiet where the same nodes are in view."""
        rows: list[tuple[str, int]] = []
        if drawn is not None and scene is not None:
            sizes = scene.hierarchy.nodes
            numbers = sorted((disc.community for disc in drawn.discs), key=lambda n: (-sizes[n].size, n))
            rows = [("community", number) for number in numbers]
            rows += [("entity", row) for row in drawn.dots[::-1].tolist()]
        if rows != self._rows or scene is not self._scene:
            self.beginResetModel()
            self._scene, self._rows = scene, rows
            self.endResetModel()

    def node(self, index: Index) -> tuple[str, int] | None:
        return self._rows[index.row()] if index.isValid() else None

    def row_of(self, kind: str, key: int) -> int:
        """The row of a node, -1 where it is not in view."""
        try:
            return self._rows.index((kind, key))
        except ValueError:
            return -1

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(_HEADERS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self._scene is None:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() == 2:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        kind, key = self._rows[index.row()]
        if kind == "community":
            node = self._scene.hierarchy.nodes[key]
            return (node.title, f"community {key}, level {node.level}", f"{node.size:,}")[index.column()]
        words = (
            self._scene.titles[key],
            self._scene.types[key].lower() or "entity",
            f"{int(self._scene.degree[key]):,}",
        )
        return words[index.column()]

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _HEADERS[section]
        return None
