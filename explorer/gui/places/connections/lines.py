"""What a test found, a line after the other, each with its mark; long sentences take the lines that they need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from explorer.gui.theme import Theme
from explorer.gui.widgets.shapes import shape_pixmap

if TYPE_CHECKING:
    from explorer.models.check_report import CheckLine

_MARKS = {"right": ("check", "good"), "note": ("diamond", "warn"), "wrong": ("cross", "failed")}
_WORDS = {"right": "Right", "note": "Note", "wrong": "Wrong"}


class LinesModel(QAbstractListModel):
    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.lines: list[CheckLine] = []
        theme.changed.connect(self._repaint)

    def clear(self) -> None:
        self.beginResetModel()
        self.lines = []
        self.endResetModel()

    def set_lines(self, lines: list[CheckLine]) -> None:
        self.beginResetModel()
        self.lines = list(lines)
        self.endResetModel()

    def add(self, line: CheckLine) -> None:
        self.beginInsertRows(QModelIndex(), len(self.lines), len(self.lines))
        self.lines.append(line)
        self.endInsertRows()

    def rowCount(self, parent: QModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.lines)

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        line = self.lines[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return line.sentence
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{_WORDS[line.state]}: {line.sentence}"
        if role == Qt.ItemDataRole.DecorationRole:
            shape, colour = _MARKS[line.state]
            return shape_pixmap(shape, self._theme.colour(colour), self._theme.em)
        return None

    def _repaint(self) -> None:
        if self.lines:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.lines) - 1, 0))


class _Wrapped(QStyledItemDelegate):
    """As high as the sentence is at the width of the view."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        view = self.parent()
        assert isinstance(view, QListView)
        em = view.fontMetrics().height()
        width = max(em * 8, view.viewport().width() - round(em * 2.2))
        box = view.fontMetrics().boundingRect(
            QRect(0, 0, width, 10_000), int(Qt.TextFlag.TextWordWrap), str(index.data())
        )
        return QSize(view.viewport().width(), max(em, box.height()) + round(em * 0.45))


class LinesView(QListView):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("What the test found")
        self.setWordWrap(True)
        self.setItemDelegate(_Wrapped(self))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setResizeMode(QListView.ResizeMode.Adjust)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()
