"""The figures of the charts as tables: for reading exactly, for sorting, and for those who cannot see a chart."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from explorer.base.fate_words import FATE_WORDS
from explorer.gui.places.ask.figures import money
from explorer.gui.theme import tabular
from explorer.gui.widgets.held import HeldTable
from explorer.gui.widgets.rows_model import Column, RowsModel
from explorer.search.trace import AttemptEntry, CallEntry

_MEASURED = 100  # rows whose words decide how wide a column is; a thousand would hold the window


def _fate(row: object) -> str:
    fate = getattr(row, "fate", None)
    return FATE_WORDS.get(str(fate), "no fate: a fault of the program")


def _reason(attempt: AttemptEntry) -> str:
    """Why an attempt does not stand, and what it brought instead."""
    reply = " ".join(attempt.reply.split())
    return f"{attempt.error} Reply: {reply}".strip() if reply else attempt.error


def _remark(call: CallEntry) -> str:
    """Why a call brought nothing, or what was repaired in its reply."""
    return " ".join((call.error or call.note).split())


BATCH_COLUMNS = (
    Column("Batch", lambda row: str(row.index + 1), lambda row: row.index, number=True),
    Column("Fate", _fate),
    Column("Reports", lambda row: str(len(row.report_ids)), lambda row: len(row.report_ids), number=True),
    Column("Points", lambda row: str(row.points), lambda row: row.points, number=True),
    Column("Used", lambda row: str(row.used_points), lambda row: row.used_points, number=True),
    Column("Prompt tokens", lambda row: f"{row.prompt_tokens:,}", lambda row: row.prompt_tokens, number=True),
)
POINT_COLUMNS = (
    Column("Rank", lambda row: "" if row.rank is None else str(row.rank), lambda row: row.rank or 10**9, number=True),
    Column("Score", lambda row: "" if row.score is None else str(row.score), lambda row: row.score or 0, number=True),
    Column("Fate", _fate),
    Column("Tokens", lambda row: f"{row.tokens:,}", lambda row: row.tokens, number=True),
    Column("Batch", lambda row: str(row.batch + 1), lambda row: row.batch, number=True),
    Column("Point", lambda row: " ".join(row.text.split())[:400], tip=lambda row: row.text[:1200]),
)
CALL_COLUMNS = (
    Column("Call", lambda row: row.id),
    Column("Stage", lambda row: row.stage),
    Column("Fate", _fate),
    Column("Read", lambda row: f"{row.prompt_tokens:,}", lambda row: row.prompt_tokens, number=True),
    Column("Written", lambda row: f"{row.output_tokens:,}", lambda row: row.output_tokens, number=True),
    Column("Cost", lambda row: money(row.cost), lambda row: row.cost or 0.0, number=True),
    Column("Seconds", lambda row: f"{row.seconds:.2f}", lambda row: row.seconds, number=True),
    Column("Retries", lambda row: str(row.retries), lambda row: row.retries, number=True),
    Column(
        "Remark", lambda row: " ".join((row.error or row.note).split())[:400], tip=lambda row: row.error or row.note
    ),
)
REPORT_COLUMNS = (
    Column("Community", lambda row: str(row.community), lambda row: row.community, number=True),
    Column("Level", lambda row: str(row.level), lambda row: row.level, number=True),
    Column("Title", lambda row: row.title, tip=lambda row: row.title),
    Column("Tokens", lambda row: f"{row.tokens:,}", lambda row: row.tokens, number=True),
    Column("Fate", _fate),
    Column(
        "Batch",
        lambda row: "" if row.batch is None else str(row.batch + 1),
        lambda row: -1 if row.batch is None else row.batch,
        number=True,
    ),
)
ATTEMPT_COLUMNS = (  # rows are (number, attempt)
    Column("Attempt", lambda row: str(row[0]), lambda row: row[0], number=True),
    Column("Outcome", lambda row: row[1].outcome.replace("_", " ")),
    Column("Waited before", lambda row: f"{row[1].waited:.1f} s", lambda row: row[1].waited, number=True),
    Column("Seconds", lambda row: f"{row[1].seconds:.2f}", lambda row: row[1].seconds, number=True),
    Column("Read", lambda row: f"{row[1].prompt_tokens:,}", lambda row: row[1].prompt_tokens, number=True),
    Column("Written", lambda row: f"{row[1].output_tokens:,}", lambda row: row[1].output_tokens, number=True),
    Column("What was wrong", lambda row: _reason(row[1])[:400], tip=lambda row: _reason(row[1])[:1200]),
)
SELECTION_COLUMNS = (
    Column("Title", lambda row: row.title, tip=lambda row: f"Community {row.community}: {row.title}"),
    Column("Level", lambda row: str(row.level), lambda row: row.level, number=True),
    Column("Fate", _fate),
)


def table(name: str, columns: tuple[Column, ...], parent: QWidget | None = None) -> tuple[QTableView, RowsModel]:
    """A sortable table and its model. The column with the long words takes the room that is left."""
    view = HeldTable(parent)
    view.setAccessibleName(name)
    model = RowsModel(columns, view)
    view.setModel(model)
    view.setFont(tabular(view.font()))
    view.setSortingEnabled(True)
    view.sortByColumn(-1, Qt.SortOrder.AscendingOrder)  # as the rows come, until a heading is clicked
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setShowGrid(False)
    view.setWordWrap(False)
    view.setTabKeyNavigation(False)
    view.verticalHeader().hide()
    view.verticalHeader().setDefaultSectionSize(round(view.fontMetrics().height() * 1.5))
    header = view.horizontalHeader()
    header.setResizeContentsPrecision(_MEASURED)
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    wide = [number for number, column in enumerate(columns) if column.tip] or [
        number for number, column in enumerate(columns) if not column.number
    ]
    header.setSectionResizeMode(wide[-1], QHeaderView.ResizeMode.Stretch)
    return view, model
