"""The hierarchy as an item model: no object per row, children looked up in the forest's tables as they are opened."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap

from explorer.gui.places.communities.hierarchy import Hierarchy
from explorer.gui.theme import Theme
from explorer.gui.words import count as counted

Index = QModelIndex | QPersistentModelIndex
TITLE, SIZE = 0, 1
NumberRole = int(Qt.ItemDataRole.UserRole) + 1
_NOWHERE = QModelIndex()


class CommunityTreeModel(QAbstractItemModel):
    """Columns: title with the community's colour, and size. The internal id of an index is the community's number."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._hierarchy: Hierarchy | None = None
        self._dots: dict[tuple[int, bool], QIcon] = {}
        self._sorted, self._arrow = SIZE, "↓"
        theme.changed.connect(self._recolour)

    @property
    def hierarchy(self) -> Hierarchy | None:
        return self._hierarchy

    def set_hierarchy(self, hierarchy: Hierarchy | None) -> None:
        self.beginResetModel()
        self._hierarchy = hierarchy
        self.endResetModel()

    def number(self, index: Index) -> int | None:
        """The community of an index; None for the invisible top."""
        return int(index.internalId()) if index.isValid() else None

    def index_of(self, number: int) -> QModelIndex:
        """The index of a community in the first column."""
        if self._hierarchy is None or number not in self._hierarchy.nodes:
            return QModelIndex()
        return self.createIndex(self._hierarchy.place[number], TITLE, number)

    def index(self, row: int, column: int, parent: Index = _NOWHERE) -> QModelIndex:
        if self._hierarchy is None or not self.hasIndex(row, column, parent):
            return QModelIndex()
        above = int(parent.internalId()) if parent.isValid() else -1
        return self.createIndex(row, column, self._hierarchy.children[above][row])

    def parent(self, index: Index = _NOWHERE) -> Any:
        if not index.isValid() or self._hierarchy is None:
            return QModelIndex()
        above = self._hierarchy.nodes[int(index.internalId())].parent
        return self.index_of(above)

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        if self._hierarchy is None or parent.column() > 0:
            return 0
        above = int(parent.internalId()) if parent.isValid() else -1
        return len(self._hierarchy.children.get(above, ()))

    def hasChildren(self, parent: Index = _NOWHERE) -> bool:
        return self.rowCount(parent) > 0

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 2

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self._hierarchy is None:
            return None
        node = self._hierarchy.nodes[int(index.internalId())]
        if role == Qt.ItemDataRole.DisplayRole:
            return node.title if index.column() == TITLE else f"{node.size:,}"
        if role == NumberRole:
            return node.number
        if index.column() == SIZE and role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if index.column() == SIZE and role == Qt.ItemDataRole.ForegroundRole:
            return self._theme.colour("muted")
        if index.column() == TITLE and role == Qt.ItemDataRole.DecorationRole:
            return self._dot(node.rank, node.has_report)
        if index.column() == TITLE and role == Qt.ItemDataRole.ForegroundRole and not node.has_report:
            return self._theme.colour("muted")
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            rated = "" if node.rating is None else f", rating {node.rating:g}"
            size = counted(node.size, "entity", "entities")
            words = f"{node.title}: community {node.number}, level {node.level}, {size}{rated}"
            # A tooltip that looks like markup would be read as markup.
            return words if role == Qt.ItemDataRole.AccessibleTextRole else words.replace("<", "‹").replace(">", "›")
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                return ("Report", "Size")[section] + (f" {self._arrow}" if section == self._sorted else "")
            if role == Qt.ItemDataRole.TextAlignmentRole:
                side = Qt.AlignmentFlag.AlignRight if section == SIZE else Qt.AlignmentFlag.AlignLeft
                return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort in the source: the forest's own tables are put in order and every index is told where it went."""
        self._sorted = column
        self._arrow = "↓" if order == Qt.SortOrder.DescendingOrder else "↑"
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, 1)
        if self._hierarchy is None:
            return
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        self._hierarchy.sort("size" if column == SIZE else "title", descending=order == Qt.SortOrder.DescendingOrder)
        after = [
            self.createIndex(self._hierarchy.place[int(each.internalId())], each.column(), int(each.internalId()))
            for each in before
        ]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def _dot(self, rank: int, filled: bool) -> QIcon:
        key = (rank, filled)
        if key not in self._dots:
            self._dots[key] = dot_icon(self._theme.community_colour(rank), filled)
        return self._dots[key]

    def _recolour(self) -> None:
        self._dots.clear()
        self.layoutChanged.emit()


def dot_icon(colour: QColor, filled: bool = True) -> QIcon:
    """A round icon; hollow for a community without a report, so that colour is not all that tells them apart."""
    side = 64
    pixmap = QPixmap(side, side)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = painter.pen()
    pen.setColor(colour)
    pen.setWidth(7)
    painter.setPen(pen)
    painter.setBrush(colour if filled else Qt.BrushStyle.NoBrush)
    painter.drawEllipse(14, 14, side - 28, side - 28)
    painter.end()
    return QIcon(pixmap)
