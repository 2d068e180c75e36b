"""The stages of indexing, live: steps, rate, time, what is left, what was made."""

from __future__ import annotations

import time
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from explorer.gui.calls_log import Spent
from explorer.gui.indexing import IndexingRun, Stage
from explorer.gui.theme import Theme
from explorer.gui.widgets.shapes import shape_pixmap
from explorer.gui.words import counts, duration, money, stage_words

COLUMNS = ("Stage", "Progress", "Steps", "Rate", "Time", "Left", "Made", "Calls", "Tokens", "Money")
PAID = (7, 8, 9)  # columns that mean something where calls are made
_NUMBERS = ("Steps", "Rate", "Time", "Left", "Calls", "Tokens", "Money")
_MARKS = {
    "waiting": ("ring", "muted"), "running": ("dot", "accent"), "done": ("check", "good"), "stopped": ("pause", "warn"),
}  # fmt: skip


class StagesModel(QAbstractTableModel):
    """A row a stage of the run. `refresh` reads the run again."""

    def __init__(self, run: IndexingRun, theme: Theme) -> None:
        super().__init__()
        self._run, self._theme = run, theme
        self._rows = len(run.stages)
        run.stages_changed.connect(self.refresh)
        theme.changed.connect(self.refresh)

    def refresh(self) -> None:
        if self._rows != len(self._run.stages):  # a run of another kind has begun
            self.beginResetModel()
            self._rows = len(self._run.stages)
            self.endResetModel()
        self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, len(COLUMNS) - 1))

    def rowCount(self, parent: QModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else self._rows

    def columnCount(self, parent: QModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, way: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if way != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if COLUMNS[section] in _NUMBERS else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        stage, column = self._run.stages[index.row()], COLUMNS[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            spent = self._run.calls.stages.get(stage.name)
            return _paid(spent, column) if index.column() in PAID else _text(stage, column)
        if role == Qt.ItemDataRole.UserRole:
            return stage
        if role == Qt.ItemDataRole.TextAlignmentRole and column in _NUMBERS:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return f"{stage_words(stage.name)}: {stage.state}. {counts(stage.counts)}"
        if role == Qt.ItemDataRole.DecorationRole and column == "Stage":
            shape, colour = _MARKS[stage.state]
            return shape_pixmap(shape, self._theme.colour(colour), round(self._theme.em * 0.8))
        if role == Qt.ItemDataRole.ForegroundRole and stage.state == "waiting":
            return self._theme.colour("muted")
        return None


def _paid(spent: Spent | None, column: str) -> str:
    """Calls with those that gave nothing, tokens charged, money."""
    if spent is None or not spent.calls:
        return ""
    if column == "Calls":
        return f"{spent.calls:,}" + (f" ({spent.lost:,} lost)" if spent.lost else "")
    if column == "Tokens":
        return f"{spent.tokens:,}"
    return money(spent.cost)


def _text(stage: Stage, column: str) -> str:
    now = time.monotonic()
    if column == "Stage":
        return stage_words(stage.name)
    if column == "Made":
        return counts(stage.counts)
    if stage.state == "waiting":
        return ""
    if column == "Steps":
        if stage.total is not None:
            return f"{stage.done:,} of {stage.total:,}"
        return f"{stage.done:,}" if stage.done else ""
    if column == "Rate":
        rate = stage.rate(now)
        return "" if rate is None else f"{rate:,.1f}/s"
    if column == "Time":
        return duration(stage.elapsed(now))
    if column == "Left":
        left = stage.left(now)
        return "" if left is None else f"≈ {duration(left)}"
    return ""


class ProgressBars(QStyledItemDelegate):
    """Draws a thin bar; a stage whose number of steps is not known draws none."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        stage: Stage = index.data(Qt.ItemDataRole.UserRole)
        share = 1.0 if stage.state == "done" else stage.done / stage.total if stage.total else 0.0
        em = self._theme.em
        height = max(3, round(em * 0.32))
        box = option.rect.adjusted(round(em * 0.3), 0, -round(em * 0.3), 0)
        box.setTop(box.center().y() - height // 2)
        box.setHeight(height)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("border"))
        painter.drawRoundedRect(box, height / 2, height / 2)
        if share > 0:
            box.setWidth(max(height, round(box.width() * min(1.0, share))))
            painter.setBrush(self._theme.colour("good" if stage.state == "done" else "accent"))
            painter.drawRoundedRect(box, height / 2, height / 2)
        painter.restore()
