"""A row a file: what became of it, how big it is, what it gave. Sorted here, never through a proxy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt
from PySide6.QtGui import QPixmap

from explorer.base.events import FileSettled
from explorer.gui.calls_log import Spent
from explorer.gui.theme import Theme
from explorer.gui.widgets.shapes import shape_pixmap
from explorer.gui.words import money, size


@dataclass(frozen=True, slots=True)
class FileLine:
    """A file as it is shown. `fate` is one of FATES: those of a run; waiting before it; read for a document of a
    foreign index; changed, new and gone for what differs from the folder as it was indexed."""

    path: str
    fate: str = "waiting"
    size: int | None = None
    documents: int | None = None
    units: int | None = None
    tokens: int | None = None
    reason: str = ""
    spent: Spent | None = None  # by the calls that read it

    @property
    def type(self) -> str:
        return PurePosixPath(self.path).suffix.lstrip(".").lower()


# Each fate by shape, colour and word.
FATES = {
    "waiting": ("ring", "muted"),
    "indexed": ("check", "good"),
    "read": ("check", "good"),
    "unchanged": ("dash", "muted"),
    "skipped": ("diamond", "warn"),
    "failed": ("cross", "failed"),
    "changed": ("triangle", "warn"),
    "new": ("dot", "accent"),
    "gone": ("square", "muted"),
}


@dataclass(frozen=True)
class Column:
    title: str
    value: Callable[[FileLine], Any]  # what is sorted by
    text: Callable[[FileLine], str]
    number: bool = False


def _calls(spent: Spent | None) -> str:
    if spent is None:
        return ""
    return f"{spent.calls:,}" + (f" ({spent.lost:,} lost)" if spent.lost else "")


def _charged(spent: Spent | None) -> str:
    return "" if spent is None else f"{spent.tokens:,}"


def _money(spent: Spent | None) -> str:
    return "" if spent is None else money(spent.cost)


def _money_key(spent: Spent | None) -> float:
    return -1.0 if spent is None or spent.cost is None else spent.cost


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


COLUMNS = (
    Column("File", lambda line: line.path.casefold(), lambda line: line.path),
    Column("Status", lambda line: (list(FATES).index(line.fate), line.path), lambda line: line.fate),
    Column("Type", lambda line: line.type, lambda line: line.type),
    Column("Size", lambda line: line.size or 0, lambda line: "" if line.size is None else size(line.size), True),
    Column("Documents", lambda line: line.documents or 0, lambda line: _number(line.documents), True),
    Column("Text units", lambda line: line.units or 0, lambda line: _number(line.units), True),
    Column("Tokens", lambda line: line.tokens or 0, lambda line: _number(line.tokens), True),
    Column("Reason", lambda line: line.reason.casefold(), lambda line: line.reason),
    Column("Calls", lambda line: line.spent.calls if line.spent else 0, lambda line: _calls(line.spent), True),
    Column("Charged", lambda line: line.spent.tokens if line.spent else 0, lambda line: _charged(line.spent), True),
    Column("Money", lambda line: _money_key(line.spent), lambda line: _money(line.spent), True),
)
PAID = (8, 9, 10)  # columns that mean something where calls are made


class FilesModel(QAbstractTableModel):
    """`set_lines` shows a folder or an index; `settle` puts in what became of some files."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._lines: list[FileLine] = []
        self._at: dict[str, int] = {}
        self._sorted_by: tuple[int, Qt.SortOrder] | None = None
        self._marks: dict[str, QPixmap] = {}
        theme.changed.connect(self._recolour)

    @property
    def lines(self) -> list[FileLine]:
        """The files in the order of the rows."""
        return list(self._lines)

    def set_lines(self, lines: Iterable[FileLine]) -> None:
        """Show these files instead of those that were shown."""
        self.beginResetModel()
        self._lines = list(lines)
        self._order()
        self.endResetModel()

    def settle(self, events: Iterable[FileSettled]) -> None:
        """Give files their fates; a file that was not listed gets a row at the end."""
        changed: list[int] = []
        new: list[FileLine] = []
        for event in events:
            row = self._at.get(event.path)
            known = self._lines[row] if row is not None else FileLine(event.path)
            line = replace(
                known, fate=event.fate, size=event.size or known.size, documents=event.documents,
                units=event.text_units, tokens=event.tokens, reason=event.reason,
            )  # fmt: skip
            if row is None:
                new.append(line)
            else:
                self._lines[row] = line
                changed.append(row)
        if changed:
            last = len(COLUMNS) - 1
            self.dataChanged.emit(self.index(min(changed), 0), self.index(max(changed), last))
        if new:
            first = len(self._lines)
            self.beginInsertRows(QModelIndex(), first, first + len(new) - 1)
            for line in new:
                self._at[line.path] = len(self._lines)
                self._lines.append(line)
            self.endInsertRows()

    def set_spent(self, spent: Mapping[str, Spent]) -> None:
        """Put in what the calls about each file were charged; only rows with new calls change."""
        changed = []
        for path, sums in spent.items():
            row = self._at.get(path)
            if row is None:
                continue
            known = self._lines[row].spent
            if known is None or known.calls != sums.calls:
                self._lines[row] = replace(self._lines[row], spent=replace(sums))
                changed.append(row)
        if changed:
            self.dataChanged.emit(self.index(min(changed), PAID[0]), self.index(max(changed), PAID[-1]))

    def fates(self) -> dict[str, int]:
        """How many files have each fate, in the order of FATES; fates without a file are left out."""
        counts = dict.fromkeys(FATES, 0)
        for line in self._lines:
            counts[line.fate] += 1
        return {fate: number for fate, number in counts.items() if number}

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort the source itself; equal rows keep their order."""
        if not 0 <= column < len(COLUMNS):
            return
        self._sorted_by = (column, order)
        self.layoutAboutToBeChanged.emit()
        old = self.persistentIndexList()
        paths = [(self._lines[index.row()].path, index.column()) for index in old]
        self._order()
        self.changePersistentIndexList(old, [self.index(self._at[path], at) for path, at in paths])
        self.layoutChanged.emit()

    def rowCount(self, parent: QModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._lines)

    def columnCount(self, parent: QModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        line, column = self._lines[index.row()], COLUMNS[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.text(line)
        if role == Qt.ItemDataRole.TextAlignmentRole and column.number:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.ToolTipRole and index.column() in PAID:
            return "A call that read several files is shared out evenly among them"
        if role == Qt.ItemDataRole.ToolTipRole:
            return line.reason or line.path
        if role == Qt.ItemDataRole.UserRole:
            return column.value(line)
        if column.title == "Status":
            return self._status(line, role)
        return None

    def headerData(self, section: int, way: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if way != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section].title
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if COLUMNS[section].number else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None

    def _status(self, line: FileLine, role: int) -> Any:
        if role == Qt.ItemDataRole.DecorationRole:
            if line.fate not in self._marks:
                shape, colour = FATES[line.fate]
                self._marks[line.fate] = shape_pixmap(shape, self._theme.colour(colour), round(self._theme.em * 0.8))
            return self._marks[line.fate]
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._theme.colour(FATES[line.fate][1])
        return None

    def _order(self) -> None:
        if self._sorted_by is not None:
            column, order = self._sorted_by
            backwards = order == Qt.SortOrder.DescendingOrder
            self._lines.sort(key=COLUMNS[column].value, reverse=backwards)
        self._at = {line.path: row for row, line in enumerate(self._lines)}

    def _recolour(self) -> None:
        self._marks.clear()
        if self._lines:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._lines) - 1, len(COLUMNS) - 1))
