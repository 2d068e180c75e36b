"""The Fan-out place: how reports, batches, calls and tokens grow with the level, as a chart and as a table."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QComboBox, QLabel, QStackedLayout, QVBoxLayout, QWidget

from explorer.base.errors import ExplorerError
from explorer.gui.job import Job
from explorer.gui.places.ask.tables import table
from explorer.gui.places.base import Place
from explorer.gui.places.fanout.levels import MODE_WORDS, LevelPlan, level_plans, with_differences
from explorer.gui.places.fanout.levels_chart import LevelsChart
from explorer.gui.places.fanout.words import COLUMNS, difference_words
from explorer.gui.session import OFFLINE
from explorer.gui.widgets.pane import EmptyState, Pane
from explorer.gui.words import count


class FanoutPlace(Place):
    name, title, icon_name = "fan-out", "Fan-out", "fan-out"

    def build(self) -> None:
        self._job: Job | None = None
        self._asked = 0  # plans; what an earlier one ends with is not shown
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
            f"Reports that are sent:   ■ {MODE_WORDS['roll_up']} (roll_up, the default here)   "
            f"▨ {MODE_WORDS['at_or_below']} (at_or_below, as GraphRAG since 2.0)"
        )
        self.legend.setProperty("role", "muted")
        self.chart_pane.body.addWidget(self.legend)
        self.table_pane = Pane("The plan in figures")
        self.prices = QComboBox()
        self.prices.setAccessibleName("Whose prices the plan takes")
        self.prices.currentIndexChanged.connect(lambda _: self._opened(self.session.index))
        self.table_pane.header.addWidget(self.prices)
        self.view, self.model = table("The plan at each level", COLUMNS)
        self.table_pane.body.addWidget(self.view, 1)
        self.difference = QLabel()
        self.difference.setWordWrap(True)
        self.difference.setProperty("role", "muted")
        self.table_pane.body.addWidget(self.difference)
        layout.addWidget(self.chart_pane, 1)
        layout.addWidget(self.table_pane, 1)
        self.session.index_opened.connect(self._opened)
        self.session.index_closed.connect(lambda: self._opened(None))
        self.session.connection_changed.connect(self._use_connection)
        self._offer_prices(self.session.connection_name)
        self._opened(self.session.index)

    def _use_connection(self, name: str) -> None:
        self._offer_prices(name)
        self._opened(self.session.index)

    def _offer_prices(self, name: str) -> None:
        """The prices of who answers, and those of every model whose price is known."""
        from explorer.models.prices import known_prices

        try:
            models = sorted(known_prices())
        except ExplorerError:  # the page of prices says what is wrong with their file
            models = []
        chosen = self.prices.currentData()
        with QSignalBlocker(self.prices):
            self.prices.clear()
            self.prices.addItem("Offline: no price" if name == OFFLINE else f"Prices of {name}", None)
            for model in models:
                self.prices.addItem(f"Prices of {model}", model)
            self.prices.setCurrentIndex(max(0, self.prices.findData(chosen)))

    def _opened(self, index: Any) -> None:
        self._asked += 1
        asked = self._asked
        if self._job is not None and self._job.running:
            self._job.cancel()
        self._show([], "Open a folder or the sample: then this page plans one question at each level of it.")
        if index is None or not index.levels:
            if index is not None:
                self.empty.set_text("This index has no communities, so there is nothing to fan out over.")
            self.set_settled(True)
            return
        self.empty.set_text("Counting the tokens of the reports …")
        self.set_settled(False)
        connection, model = self.session.connection_name, self.prices.currentData()
        self._job = self.engine.run(
            lambda sink, scope: level_plans(index, connection, model, sink, scope),
            name="Planning each level",
            turn=4,
            on_done=lambda plans: self._planned(asked, plans),
            on_error=lambda sentence: self._planned(asked, [], sentence),
            on_cancelled=lambda: self.set_settled(True) if asked == self._asked else None,
        )

    def _planned(self, asked: int, plans: list[LevelPlan], sentence: str = "") -> None:
        if asked == self._asked:
            self._show(plans, sentence)
            self.set_settled(True)

    def _show(self, plans: list[LevelPlan], sentence: str) -> None:
        self.chart.show_plans(plans)
        self.model.set_rows(with_differences(plans))
        self.empty.set_text(sentence)
        self._stack.setCurrentWidget(self.chart if plans else self.empty)
        self.legend.setVisible(bool(plans))
        self.chart_pane.set_figure(count(len(plans) // 2, "level") if plans else "")
        self.difference.setText(difference_words(plans))
