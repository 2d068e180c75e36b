"""The panes of a run: batches, points, selection and calls, each a chart that can be turned into a table."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QStackedLayout, QTableView, QWidget

from explorer.base.fate_words import FATE_WORDS
from explorer.base.fates import PointFate
from explorer.gui.places.ask import geometry, tables
from explorer.gui.places.ask.batches_chart import BatchesChart
from explorer.gui.places.ask.calls_chart import CallsChart
from explorer.gui.places.ask.figures import tokens
from explorer.gui.places.ask.points_chart import PointsChart
from explorer.gui.theme import Theme
from explorer.gui.widgets.pane import EmptyState, Pane
from explorer.gui.widgets.rows_model import RowsModel
from explorer.search.trace import Trace


class RunPane(Pane):
    """A pane with three faces: a sentence while there is no run, the chart, the table."""

    def __init__(self, title: str, empty: str, chart: QWidget, view: QTableView, switch: QAction) -> None:
        super().__init__(title, action=switch)
        self.chart, self.view = chart, view
        self.empty = EmptyState(empty)
        self.legend = QLabel()
        self.legend.setProperty("role", "muted")
        self.legend.setTextFormat(Qt.TextFormat.RichText)  # our own words only
        self.legend.setWordWrap(True)
        self._stack = QStackedLayout()
        for face in (self.empty, chart, view):
            self._stack.addWidget(face)
        self.body.addLayout(self._stack, 1)
        self.body.addWidget(self.legend)
        self.legend.hide()
        self._switch = switch
        switch.setCheckable(True)
        switch.toggled.connect(self._turn)

    def show_run(self, has_rows: bool, sentence: str = "") -> None:
        """Show the chart or table, or a sentence where the run has nothing for this pane."""
        if has_rows:
            self._turn(self._switch.isChecked())
        else:
            self.empty.set_text(sentence)
            self._stack.setCurrentWidget(self.empty)
        self.legend.setVisible(has_rows and bool(self.legend.text()))
        self._switch.setEnabled(has_rows)

    def _turn(self, as_table: bool) -> None:
        if self._switch.isEnabled() or self._stack.currentWidget() is not self.empty:
            self._stack.setCurrentWidget(self.view if as_table else self.chart)


class BatchesPane(RunPane):
    def __init__(self, theme: Theme, switch: QAction, opened: Callable[[int], None]) -> None:
        self._bars_chart = BatchesChart(theme)
        view, self.model = tables.table("Batches", tables.BATCH_COLUMNS)
        super().__init__(
            "Batches", "Ask a question: each batch of reports will stand here as a bar.", self._bars_chart, view, switch
        )
        self._bars_chart.activated.connect(opened)
        view.activated.connect(lambda index: opened(self.model.rows[index.row()].index))
        theme.changed.connect(lambda: self._legend(theme))
        self._legend(theme)

    def show_trace(self, trace: Trace) -> None:
        self._bars_chart.show_bars(geometry.batch_bars(trace))
        self.model.set_rows(trace.batches)
        counts = trace.ledger.batches.fates
        words = " · ".join(f"{count} {FATE_WORDS.get(fate, fate)}" for fate, count in counts.items())
        self.set_figure(f"{len(trace.batches)}: {words}" if words else f"{len(trace.batches)}")
        self.show_run(bool(trace.batches), "No report stands for this level, so no batch was made.")

    def _legend(self, theme: Theme) -> None:
        def colour(name: str) -> str:
            return theme.colour(name).name()

        self.legend.setText(
            f'<span style="color:{colour("used")}">■</span>&nbsp;kept &nbsp; '
            f'<span style="color:{colour("cut")}">■</span>&nbsp;cut &nbsp; '
            f'<span style="color:{colour("accent")}">●</span>&nbsp;would&nbsp;have&nbsp;fitted &nbsp; '
            f"○&nbsp;nothing&nbsp;relevant &nbsp; "
            f'<span style="color:{colour("malformed")}">▨</span>&nbsp;malformed &nbsp; '
            f'<span style="color:{colour("failed")}">✕</span>&nbsp;failed'
        )


class PointsPane(RunPane):
    def __init__(self, theme: Theme, switch: QAction) -> None:
        self._bars_chart = PointsChart(theme)
        view, self.model = tables.table("Points", tables.POINT_COLUMNS)
        super().__init__(
            "Points", "The points that the batches make will stand here by their score.", self._bars_chart, view, switch
        )

    def show_trace(self, trace: Trace) -> None:
        bars = geometry.point_bars(trace)
        self._bars_chart.show_bars(bars, geometry.waterline(trace, bars))
        self.model.set_rows(sorted(trace.points, key=lambda point: (point.rank is None, point.rank or 0)))
        zero = sum(1 for point in trace.points if point.fate is PointFate.ZERO_SCORE)
        bad = sum(1 for point in trace.points if point.fate is PointFate.MALFORMED)
        self.set_figure(
            f"{trace.reduce.kept} of {len(trace.points)} kept · budget {tokens(trace.reduce.budget)}, "
            f"used {tokens(trace.reduce.used)}"
            + (f" · {zero} of score zero" if zero else "")
            + (f" · {bad} malformed" if bad else "")
        )
        self.show_run(bool(bars), "No point above zero was made: no batch found anything that bears on the question.")


class CallsPane(RunPane):
    def __init__(self, theme: Theme, switch: QAction, opened: Callable[[object], None]) -> None:
        self._bars_chart = CallsChart(theme)
        view, self.model = tables.table("Calls", tables.CALL_COLUMNS)
        super().__init__(
            "Calls", "Every call, what it read and what it cost will stand here.", self._bars_chart, view, switch
        )
        self._bars_chart.activated.connect(lambda key: opened(self._bars_chart.call_of(key)))
        view.activated.connect(lambda index: opened(self.model.rows[index.row()]))

    def set_measure(self, measure: str) -> None:
        self._bars_chart.set_measure(measure)

    def show_trace(self, trace: Trace) -> None:
        lanes = trace.parameters.get("concurrency", 8)
        self._bars_chart.show_calls(trace.calls, lanes if isinstance(lanes, int) else 8)
        self.model.set_rows(trace.calls)
        retried = sum(call.retries for call in trace.calls)
        fates = " · ".join(f"{count} {FATE_WORDS.get(fate, fate)}" for fate, count in trace.ledger.calls.fates.items())
        self.set_figure(f"{len(trace.calls)}: {fates}" + (f" · {retried} retried" if retried else ""))
        self.show_run(bool(trace.calls), "No call was made.")


class SelectionPane(Pane):
    """Which reports stood for the level, and the fate of the others. Global search rates no community."""

    def __init__(self) -> None:
        super().__init__("Selection")
        self.note = QLabel("Global search selects nothing: it reads every report that stands for the level.")
        self.note.setWordWrap(True)
        self.note.setProperty("role", "muted")
        self.body.addWidget(self.note)
        self.view, self.model = tables.table("Reports and their fates", tables.SELECTION_COLUMNS)
        self.body.addWidget(self.view, 1)
        self.view.hide()
        self.body.addStretch(0)

    @property
    def rows_model(self) -> RowsModel:
        return self.model

    def show_trace(self, trace: Trace) -> None:
        fates = " · ".join(
            f"{count} {FATE_WORDS.get(fate, fate)}" for fate, count in trace.ledger.reports.fates.items()
        )
        self.set_figure(fates)
        mode = "each entity's deepest report" if trace.parameters.get("reports") == "roll_up" else "every report"
        level = trace.parameters.get("level")
        where = "all levels" if level is None else f"level {level}"
        self.note.setText(
            f"No community was rated: global search does not select, it reads {mode} at or below {where}. "
            "The reports and what became of each:"
        )
        self.model.set_rows(trace.reports)
        QTimer.singleShot(0, self.view, self.view.show)  # apart from all else that a run shows: it takes longest
