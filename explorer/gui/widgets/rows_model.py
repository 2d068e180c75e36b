"""A read-only table of rows for views: headings, a text and a sort key a cell, sorted here and not in a proxy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

Where = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True)
class Column:
    """`text` gives what stands in the cell, `key` what it is sorted by (the text without it)."""

    heading: str
    text: Callable[[Any], str]
    key: Callable[[Any], Any] | None = None
    number: bool = False
    tip: Callable[[Any], str] | None = None


class RowsModel(QAbstractTableModel):
    def __init__(self, columns: Sequence[Column], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = list(columns)
        self.rows: list[Any] = []
        self._sorted: tuple[int, Qt.SortOrder] | None = None

    def set_rows(self, rows: Sequence[Any]) -> None:
        """Show other rows; an order that the user chose stays."""
        self.beginResetModel()
        self.rows = list(rows)
        if self._sorted is not None:
            self._order(*self._sorted)
        self.endResetModel()

    def rowCount(self, parent: Where = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Where = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Where, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        column = self.columns[index.column()]
        row = self.rows[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return column.text(row)
        if role == Qt.ItemDataRole.ToolTipRole:
            return (column.tip or column.text)(row)
        if role == Qt.ItemDataRole.TextAlignmentRole and column.number:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self.columns[section].heading
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if self.columns[section].number else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        if not 0 <= column < len(self.columns):
            self._sorted = None
            return
        self._sorted = (column, order)
        self.layoutAboutToBeChanged.emit()
        self._order(column, order)
        self.layoutChanged.emit()

    def _order(self, column: int, order: Qt.SortOrder) -> None:
        chosen = self.columns[column]
        self.rows.sort(key=chosen.key or chosen.text, reverse=order == Qt.SortOrder.DescendingOrder)
