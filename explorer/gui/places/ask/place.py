"""The Ask place: the question and its plan above, the answer at the left, the four panes of the run at the right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from explorer.gui.actions import ActionRegistry
from explorer.gui.job import Job
from explorer.gui.places.ask import figures
from explorer.gui.places.ask.answer_view import AnswerView
from explorer.gui.places.ask.batch_dialog import BatchDialog, CallDialog
from explorer.gui.places.ask.knobs import Knobs
from explorer.gui.places.ask.panes import BatchesPane, CallsPane, PointsPane, SelectionPane
from explorer.gui.places.ask.running import ask, earlier_runs, make_plan
from explorer.gui.places.base import Place
from explorer.gui.session import Citation
from explorer.gui.widgets.pane import EmptyState, Pane

_PLAN_DELAY_MS = 250  # after the last key


class AskPlace(Place):
    name, title, icon_name = "ask", "Ask", "ask"

    def declare_actions(self, actions: ActionRegistry) -> None:
        add = actions.add
        self.ask_action = add("ask.ask", "Ask", self.ask, category="Ask", shortcut="Ctrl+Return")
        self.stop_action = add("ask.stop", "Stop asking", self.stop, category="Ask")
        self.knobs_action = add("ask.knobs", "Knobs of the search", self.show_knobs, category="Ask")
        self.suggest_action = add("ask.suggest", "Suggest a question", self.suggest, category="Ask")
        self.export_action = add("ask.export-trace", "Export the trace …", self.export, category="Ask")
        self.tables = {
            pane: add(f"ask.{pane}-table", f"{pane.title()} as a table", category="Ask")
            for pane in ("batches", "points", "calls")
        }
        for action in self.tables.values():
            action.setIconText("Table")
        self.stop_action.setEnabled(False)

    def build(self) -> None:
        self._job: Job | None = None
        self._plan_job: Job | None = None
        self._suggested = 0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_PLAN_DELAY_MS)
        self._timer.timeout.connect(self._replan)
        em = self.theme.em
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._make_bar(em))
        layout.addWidget(self._make_plan_line(em))
        self.split = QSplitter()
        self.split.setChildrenCollapsible(False)
        self.split.setContentsMargins(em // 2, em // 2, em // 2, em // 2)
        self.split.addWidget(self._make_answer())
        self.split.addWidget(self._make_panes(em))
        self.split.setStretchFactor(0, 4)
        self.split.setStretchFactor(1, 9)
        self.split.setHandleWidth(em // 2)
        self.split.setSizes([em * 24, em * 54])
        layout.addWidget(self.split, 1)
        session = self.session
        session.index_opened.connect(self._opened)
        session.index_closed.connect(lambda: self._opened(None))
        session.trace_changed.connect(self._show_trace)
        self._opened(session.index)
        self._show_trace(session.trace)

    def _make_bar(self, em: int) -> QWidget:
        bar = QWidget()
        bar.setObjectName("TopBar")
        row = QHBoxLayout(bar)
        row.setContentsMargins(em // 2, em // 2, em // 2, em // 2)
        self.question = QLineEdit()
        self.question.setPlaceholderText("Ask about the whole folder: themes, causes, who is connected with whom …")
        self.question.setAccessibleName("The question")
        self.question.setClearButtonEnabled(True)
        self.question.textChanged.connect(lambda _text: self._timer.start())
        self.question.returnPressed.connect(self.ask)
        self.level = QComboBox()
        self.level.setAccessibleName("Level of the communities whose reports are read")
        self.level.currentIndexChanged.connect(lambda _index: self._timer.start())
        self.knobs = Knobs(self.theme, self)
        self.knobs.changed.connect(self._timer.start)
        self.knobs_button = QPushButton("Knobs ▾")
        self.knobs_button.setAccessibleName("Knobs of the search")
        self.knobs_button.clicked.connect(self.show_knobs)
        self.runs = QComboBox()
        self.runs.setAccessibleName("Earlier runs of this index")
        self.runs.setMaximumWidth(em * 12)
        self.runs.activated.connect(self._open_run)
        self.suggest_button = QPushButton("Suggest")
        self.suggest_button.setToolTip("A question that this index can answer")
        self.suggest_button.clicked.connect(self.suggest)
        self.ask_button = QPushButton("Ask")
        self.ask_button.setProperty("role", "primary")
        self.ask_button.clicked.connect(self._ask_or_stop)
        row.addWidget(self.question, 1)
        for widget in (
            self.suggest_button,
            QLabel("Global"),
            self.level,
            self.knobs_button,
            self.runs,
            self.ask_button,
        ):
            row.addWidget(widget)
        return bar

    def _make_plan_line(self, em: int) -> QWidget:
        line = QWidget()
        line.setObjectName("TopBar")
        row = QHBoxLayout(line)
        row.setContentsMargins(em // 2, em // 4, em // 2, em // 4)
        self.plan_line = QLabel()
        self.run_line = QLabel()
        self.run_line.setProperty("role", "muted")
        row.addWidget(self.plan_line, 1)
        row.addWidget(self.run_line)
        return line

    def _make_answer(self) -> Pane:
        self.answer_pane = Pane("Answer", action=self.export_action)
        self.export_action.setIconText("Export")
        self.answer_empty = EmptyState("Type a question, or let one be suggested.", self.suggest_action)
        self.answer = AnswerView(self.theme)
        self.answer.cited.connect(self._cited)
        self.losses = QLabel()
        self.losses.setWordWrap(True)
        self.losses.setProperty("role", "muted")
        self.losses.setAccessibleName("Waste and ledger of the run")
        for widget, stretch in ((self.answer_empty, 1), (self.answer, 1), (self.losses, 0)):
            self.answer_pane.body.addWidget(widget, stretch)
        return self.answer_pane

    def _make_panes(self, em: int) -> QWidget:
        panes = QWidget()
        grid = QGridLayout(panes)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(em // 2)
        self.batches = BatchesPane(self.theme, self.tables["batches"], self._open_batch)
        self.points = PointsPane(self.theme, self.tables["points"])
        self.selection = SelectionPane()
        self.calls = CallsPane(self.theme, self.tables["calls"], self._open_call)
        self.measure = QComboBox()
        for key, words in (("tokens", "Tokens"), ("seconds", "Seconds"), ("cost", "Money")):
            self.measure.addItem(words, key)
        self.measure.setAccessibleName("What the length of a call shows")
        self.measure.currentIndexChanged.connect(lambda _index: self.calls.set_measure(self.measure.currentData()))
        self.calls.header.insertWidget(2, self.measure)
        for number, pane in enumerate((self.batches, self.points, self.selection, self.calls)):
            grid.addWidget(pane, number // 2, number % 2)
        for track in (0, 1):
            grid.setRowStretch(track, 1)
            grid.setColumnStretch(track, 1)
        return panes

    # What the person does

    def ask(self) -> None:
        """Ask the question as it stands; without an index or words it says what is missing."""
        self.ensure_built()
        if self._job is not None:
            return
        if self.session.index is None:
            self.plan_line.setText("There is no index to ask. Open a folder or the sample on the Start page.")
            return
        question = self.question.text().strip()
        if not question:
            self.plan_line.setText("Type a question first.")
            self.question.setFocus()
            return
        index, options = self.session.index, self._options()
        self.set_settled(False)
        self._running(True)
        self._job = self.engine.run(
            lambda sink, scope: ask(index, question, options, sink, scope),
            name="Asking",
            on_done=self._done,
            on_error=self._failed,
            on_cancelled=lambda: self._failed("The question was stopped; nothing was kept of it."),
        )

    def stop(self) -> None:
        """Stop asking: the calls in flight end, the others are cancelled, and the trace says so."""
        if self._built and self._job is not None:
            self._job.cancel()

    def suggest(self) -> None:
        """Put the next question that this index can answer into the line."""
        from explorer.search.suggest import suggest_questions

        self.ensure_built()
        if self.session.index is None:
            return
        questions = suggest_questions(self.session.index, 6)
        if questions:
            self.question.setText(questions[self._suggested % len(questions)])
            self._suggested += 1

    def show_knobs(self) -> None:
        self.ensure_built()
        self.knobs.adjustSize()
        corner = self.knobs_button.mapToGlobal(self.knobs_button.rect().bottomRight())
        self.knobs.move(corner.x() - self.knobs.width(), corner.y() + 2)
        self.knobs.show()

    def export(self) -> None:
        """Write the trace that is shown to a file of the person's choice."""
        from explorer.gui.places.ask.running import save_trace

        self.ensure_built()
        if self.session.trace is not None:
            save_trace(self, self.session.trace)

    def prepare_screenshot(self) -> None:
        """Ask the first suggested question, so that the picture shows a run."""
        self.ensure_built()
        if self.session.index is not None and self.session.trace is None:
            self.suggest()
            self.ask()

    # What comes back

    def _opened(self, index: Any) -> None:
        self.level.clear()
        self.runs.clear()
        self._suggested = 0
        for level in index.levels if index is not None else []:
            self.level.addItem(f"Level {level}", level)
        if index is not None and index.levels:
            self.level.setCurrentIndex(self.level.findData(min(2, max(index.levels))))
        for widget in (self.ask_button, self.level, self.knobs_button, self.suggest_button, self.runs):
            widget.setEnabled(index is not None)
        self.answer_empty.set_text(
            "Open a folder or the sample first: then this page answers questions about it."
            if index is None
            else "Type a question, or let one be suggested. The plan above says what it will read before it is asked."
        )
        self._list_runs()
        self._timer.start()

    def _replan(self) -> None:
        index = self.session.index
        if index is None:
            self.plan_line.setText("No index is open.")
            return
        if self._plan_job is not None and self._plan_job.running:
            self._plan_job.cancel()
        options, question = self._options(), self.question.text().strip()
        self._plan_job = self.engine.run(
            lambda sink, scope: make_plan(index, options, question),
            name="Planning",
            quiet=True,
            on_done=lambda plan: self._show_plan(index, plan),
            on_error=self.plan_line.setText,
        )

    def _show_plan(self, index: Any, plan: Any) -> None:
        if index is self.session.index:
            low, high = (plan.prompt_tokens + value for value in plan.output_tokens)
            span = figures.token_span(low, high)
            self.plan_line.setText(
                f"Plan: {plan.reports:,} reports · {len(plan.batches):,} batches · "
                f"{figures.calls_range(plan.calls)} calls · {span} tokens · {figures.money_range(plan.cost)}"
            )

    def _done(self, trace: Any) -> None:
        self._job = None
        self._running(False)
        self.session.set_trace(trace)
        self._list_runs()
        self.set_settled(True)

    def _failed(self, sentence: str) -> None:
        self._job = None
        self._running(False)
        self.answer_empty.set_text(sentence)
        self.answer_empty.show()
        self.answer.hide()
        self.set_settled(True)

    def _show_trace(self, trace: Any) -> None:
        has = trace is not None
        self.answer_empty.setVisible(not has)
        self.answer.setVisible(has)
        self.losses.setVisible(has)
        self.export_action.setEnabled(has)
        if not has:
            self.run_line.clear()
            return
        self.answer.show_answer(trace.answer.text or trace.answer.reason)
        status = trace.answer.status.replace("_", " ")
        reports = trace.ledger.reports
        self.answer_pane.set_figure(
            f"{status} · {reports.fates.get('read', 0)} of {reports.candidates} reports read · "
            f"{trace.reduce.kept} of {len(trace.points)} points used"
        )
        self.run_line.setText(f"This run: {figures.run_line(trace)}")
        ledger = [
            figures.account_line(kind, getattr(trace.ledger, kind))
            for kind in ("reports", "batches", "points", "calls")
        ]
        self.losses.setText("\n".join([f"Waste: {figures.waste_line(trace)}", *ledger, *trace.notes]))
        for pane in (self.batches, self.points, self.selection, self.calls):
            pane.show_trace(trace)

    def _cited(self, citation: Citation) -> None:
        self.session.open_citation(citation)
        self.session.show_place("communities")

    def _open_batch(self, number: int) -> None:
        self.dialog = BatchDialog(self.session.trace, number, self.theme, self)
        self.dialog.show()

    def _open_call(self, call: Any) -> None:
        self.dialog = CallDialog(call, self.theme, self)
        self.dialog.show()

    def _options(self) -> Any:
        return self.knobs.options(self.level.currentData())

    def _running(self, running: bool) -> None:
        self.ask_button.setText("Stop" if running else "Ask again" if self.session.trace is not None else "Ask")
        self.stop_action.setEnabled(running)
        if running:
            self.run_line.setText("Reading the reports …")

    def _ask_or_stop(self) -> None:
        if self._job is not None:
            self.stop()
            self.ask_button.setText("Stopping …")
        else:
            self.ask()

    def _list_runs(self) -> None:
        """List the kept runs; their files are read on a worker thread."""
        self.runs.clear()
        index = self.session.index
        if index is None:
            return
        self.runs.addItem("Runs", None)
        self.engine.run(
            lambda sink, scope: earlier_runs(index),
            name="Listing the runs",
            quiet=True,
            on_done=lambda runs: self._show_runs(index, runs),
        )

    def _show_runs(self, index: Any, runs: list[tuple[str, Path]]) -> None:
        if index is self.session.index:
            self.runs.clear()
            self.runs.addItem("Runs", None)
            for words, path in runs:
                self.runs.addItem(words, path)

    def _open_run(self, place: int) -> None:
        from explorer.search.runs import load_run

        path = self.runs.itemData(place)
        if path is None:
            return
        self.engine.run(
            lambda sink, scope: load_run(path),
            name="Opening a run",
            quiet=True,
            on_done=self._reopen,
            on_error=self._failed,
        )

    def _reopen(self, trace: Any) -> None:
        self.question.setText(trace.question)
        self.session.set_trace(trace)
