"""The Fan-out place: how reports, batches, calls and tokens grow with the level, as a chart and as a table."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QLabel, QStackedLayout, QVBoxLayout, QWidget

from explorer.gui.job import Job
from explorer.gui.places.ask.figures import money_range, tokens
from explorer.gui.places.ask.tables import table
from explorer.gui.places.base import Place
from explorer.gui.places.fanout.levels import MODE_WORDS, LevelPlan, level_plans
from explorer.gui.places.fanout.levels_chart import LevelsChart
from explorer.gui.widgets.pane import EmptyState, Pane
from explorer.gui.widgets.rows_model import Column


def _span(pair: tuple[int, int]) -> str:
    return f"{pair[0]:,}" if pair[0] == pair[1] else f"{pair[0]:,}–{pair[1]:,}"


_COLUMNS = (
    Column("Level", lambda row: str(row.level), lambda row: row.level, number=True),
    Column("Reports that stand for it", lambda row: MODE_WORDS[row.mode]),
    Column("Reports", lambda row: f"{row.reports:,}", lambda row: row.reports, number=True),
    Column("Report tokens", lambda row: f"{row.report_tokens:,}", lambda row: row.report_tokens, number=True),
    Column("Batches", lambda row: f"{row.batches:,}", lambda row: row.batches, number=True),
    Column("Calls", lambda row: _span(row.calls), lambda row: row.calls, number=True),
    Column("Prompt tokens", lambda row: f"{row.prompt_tokens:,}", lambda row: row.prompt_tokens, number=True),
    Column("Output tokens", lambda row: _span(row.output), lambda row: row.output, number=True),
    Column("Cost", lambda row: money_range(row.cost), lambda row: row.cost or (0.0, 0.0), number=True),
)


class FanoutPlace(Place):
    name, title, icon_name = "fan-out", "Fan-out", "fan-out"

    def build(self) -> None:
        self._job: Job | None = None
        em = self.theme.em
        layout = QVBoxLayout(self)
        layout.setContentsMargins(em // 2, em // 2, em // 2, em // 2)
        layout.setSpacing(em // 2)
        self.chart_pane = Pane("One question at each level")
        holder = QWidget()
        self._stack = QStackedLayout(holder)
        self.empty = EmptyState("")
        self.chart = LevelsChart(self.theme)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.chart)
        self.chart_pane.body.addWidget(holder, 1)
        self.legend = QLabel(
            f"■ {MODE_WORDS['roll_up']} (default here)   ▨ {MODE_WORDS['at_or_below']} (GraphRAG since 2.0)"
        )
        self.legend.setProperty("role", "muted")
        self.chart_pane.body.addWidget(self.legend)
        self.table_pane = Pane("The plan in figures")
        self.view, self.model = table("The plan at each level", _COLUMNS)
        self.table_pane.body.addWidget(self.view, 1)
        self.difference = QLabel()
        self.difference.setWordWrap(True)
        self.difference.setProperty("role", "muted")
        self.table_pane.body.addWidget(self.difference)
        layout.addWidget(self.chart_pane, 3)
        layout.addWidget(self.table_pane, 2)
        self.session.index_opened.connect(self._opened)
        self.session.index_closed.connect(lambda: self._opened(None))
        self._opened(self.session.index)

    def _opened(self, index: Any) -> None:
        if self._job is not None and self._job.running:
            self._job.cancel()
        self._show([], "Open a folder or the sample: then this page plans one question at each level of it.")
        if index is None or not index.levels:
            if index is not None:
                self.empty.set_text("This index has no communities, so there is nothing to fan out over.")
            return
        self.empty.set_text("Counting the tokens of the reports …")
        self.set_settled(False)
        self._job = self.engine.run(
            lambda sink, scope: level_plans(index, sink, scope),
            name="Planning each level",
            turn=4,
            on_done=lambda plans: self._planned(index, plans),
            on_error=lambda sentence: self._planned(index, [], sentence),
            on_cancelled=lambda: self.set_settled(True),
        )

    def _planned(self, index: Any, plans: list[LevelPlan], sentence: str = "") -> None:
        if index is self.session.index:
            self._show(plans, sentence)
            self.set_settled(True)

    def _show(self, plans: list[LevelPlan], sentence: str) -> None:
        self.chart.show_plans(plans)
        self.model.set_rows(plans)
        self.empty.set_text(sentence)
        self._stack.setCurrentWidget(self.chart if plans else self.empty)
        self.legend.setVisible(bool(plans))
        self.chart_pane.set_figure(f"{len(plans) // 2} levels" if plans else "")
        self.difference.setText(_difference(plans))


def _difference(plans: list[LevelPlan]) -> str:
    """What the two meanings of the deepest level differ in, in one sentence."""
    if len(plans) < 2:
        return "No call is made for this page: it counts."
    deepest, every = plans[-2], plans[-1]
    more = tokens(every.prompt_tokens - deepest.prompt_tokens)
    return (
        f"At level {deepest.level}, sending every report instead of the deepest ones reads "
        f"{every.reports - deepest.reports:,} more reports and {more} more prompt tokens. "
        "No call was made for this page: it counts."
    )
