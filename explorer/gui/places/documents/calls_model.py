"""Calls as rows: those that gave nothing first, then the newest. Of a run a window on its log, never all of it; of a
call store a page at a time, the next one when the last row comes to sight."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QPixmap

from explorer.base.events import CallSettled
from explorer.base.fate_words import fate_words as words_of_fate
from explorer.gui.calls_log import CallsLog
from explorer.gui.kept_log import REPLACED, KeptLog
from explorer.gui.theme import Theme
from explorer.gui.widgets.rows_model import Column, RowsModel
from explorer.gui.widgets.shapes import shape_pixmap
from explorer.gui.words import money, stage_words

# Each fate by shape and colour; its words are those of everywhere.
FATES = {
    "ok": ("check", "good"),
    "cached": ("dash", "muted"),
    "repaired": ("triangle", "warn"),
    "malformed": ("diamond", "malformed"),
    "failed": ("cross", "failed"),
    "cancelled": ("square", "muted"),
    REPLACED: ("dash", "muted"),
}
_STAGES = {
    "extract": "Finding entities", "glean": "Looking again", "claims": "Finding claims",
    "describe": "Joining descriptions", "reports": "Writing a report", "embed": "Making vectors",
}  # fmt: skip


def fate_words(fate: str) -> str:
    return "replaced since" if fate == REPLACED else words_of_fate(fate)


def kind_words(stage: str) -> str:
    """The stage that a call names, for a person."""
    return _STAGES.get(stage) or stage_words(stage)


def kind_order(stage: str) -> int:
    """By which stages stand in the order of a run."""
    return list(_STAGES).index(stage) if stage in _STAGES else len(_STAGES)


def stage_of(call: CallSettled) -> str:
    return kind_words(call.stage)


def about(call: CallSettled) -> str:
    """What a call was about, for a person: the file of a text unit, a title, a community."""
    if call.stage in ("extract", "glean", "claims") and call.files:
        return call.files[0]
    return call.subject or ", ".join(call.files[:2])


COLUMNS = (
    Column("Fate", lambda call: fate_words(call.fate)),
    Column("Stage", stage_of),
    Column("About", about),
    Column("Read", lambda call: f"{call.prompt_tokens:,}", number=True, tip=lambda _: "Tokens of prompts, charged"),
    Column("Written", lambda call: f"{call.output_tokens:,}", number=True, tip=lambda _: "Tokens of replies, charged"),
    Column("Money", lambda call: money(call.cost), number=True),
    Column("Time", lambda call: f"{call.seconds:.1f} s" if call.seconds else "", number=True),
    Column("Retries", lambda call: str(call.retries or ""), number=True),
    Column("What was wrong or repaired", lambda call: " ".join((call.error or call.note).split())),
)


class CallsModel(RowsModel):
    """`refresh` takes what the log shows now; a call that was chosen stays chosen by its key (`row_of`). `fetch` reads
    the next page of a store."""

    def __init__(self, theme: Theme, fetch: Callable[[], None], parent: QObject | None = None) -> None:
        super().__init__(COLUMNS, parent)
        self._theme, self._fetch = theme, fetch
        self._log: CallsLog | None = None
        self._marks: dict[str, QPixmap] = {}
        self._version = -1
        theme.changed.connect(self._recolour)

    def refresh(self, log: CallsLog) -> bool:
        """Show what the log shows; False where nothing changed since the last time."""
        same = log is self._log
        if same and log.version == self._version:
            return False
        self._log, self._version = log, log.version
        shown = log.shown()
        if same and isinstance(log, KeptLog) and len(shown) > len(self.rows):  # what is in sight stays where it is
            self.beginInsertRows(QModelIndex(), len(self.rows), len(shown) - 1)
            self.rows.extend(shown[len(self.rows) :])
            self.endInsertRows()
        else:
            self.set_rows(shown)
        return True

    def canFetchMore(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> bool:
        return not parent.isValid() and isinstance(self._log, KeptLog) and self._log.more

    def fetchMore(self, parent: QModelIndex | QPersistentModelIndex) -> None:
        self._fetch()

    def row_of(self, key: str) -> int:
        """The row of a call, or −1."""
        return next((row for row, call in enumerate(self.rows) if call.key == key), -1) if key else -1

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if index.isValid() and index.column() == 0:
            shape, colour = FATES.get(self.rows[index.row()].fate, ("ring", "muted"))
            if role == Qt.ItemDataRole.DecorationRole:
                if shape not in self._marks:
                    self._marks[shape] = shape_pixmap(shape, self._theme.colour(colour), round(self._theme.em * 0.8))
                return self._marks[shape]
            if role == Qt.ItemDataRole.ForegroundRole:
                return self._theme.colour(colour)
        return super().data(index, role)

    def _recolour(self) -> None:
        self._marks.clear()
        if self.rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.rows) - 1, 0))
