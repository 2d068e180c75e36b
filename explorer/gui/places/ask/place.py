"""The Ask place: the question and its plan above, the answer at the left, the four panes of the run at the right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from explorer.base.words import counted
from explorer.gui.actions import ActionRegistry
from explorer.gui.job import Job
from explorer.gui.places.ask import figures
from explorer.gui.places.ask.answer_pane import AnswerPane
from explorer.gui.places.ask.bars import PlanBar, QuestionBar
from explorer.gui.places.ask.batch_dialog import BatchDialog, CallDialog
from explorer.gui.places.ask.knobs import Knobs
from explorer.gui.places.ask.panes import BatchesPane, CallsPane, PointsPane, SelectionPane
from explorer.gui.places.ask.run_control import RunControl
from explorer.gui.places.ask.running import OFFLINE, Who, make_plan, project_knobs, retried
from explorer.gui.places.base import Place
from explorer.gui.session import Citation
from explorer.gui.warm_up import warm_up_models
from explorer.gui.widgets.cap_bar import CapBar
from explorer.search.question import question_fault

_PLAN_DELAY_MS = 250  # after the last key


class AskPlace(Place):
    name, title, icon_name = "ask", "Ask", "ask"

    def declare_actions(self, actions: ActionRegistry) -> None:
        add = actions.add
        self.ask_action = add("ask.ask", "Ask", self.ask, category="Ask", shortcut="Ctrl+Return")
        self.stop_action = add("ask.stop", "Stop asking", self.stop, category="Ask")
        self.knobs_action = add("ask.knobs", "Knobs of the search", self.show_knobs, category="Ask")
        self.suggest_action = add("ask.suggest", "Suggest a question", self.suggest, category="Ask")
        self.retry_action = add("ask.retry-failed", "Ask what failed again", self.ask_failed_again, category="Ask")
        self.export_action = add("ask.export-trace", "Export the trace …", self.export, category="Ask")
        self.tables = {
            pane: add(f"ask.{pane}-table", f"{pane.title()} as a table", category="Ask")
            for pane in ("batches", "points", "calls")
        }
        for action in self.tables.values():
            action.setIconText("Table")
        self.stop_action.setEnabled(False)
        self.retry_action.setEnabled(False)

    def build(self) -> None:
        self.control = RunControl(self.engine, self)
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
        self._make_bars(layout, em)
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
        session.connection_changed.connect(self._use_connection)
        control = self.control
        control.changed.connect(self._show_run)
        control.text.connect(self.answer_pane.write)
        control.capped.connect(self.cap_bar.ask)
        control.noticed.connect(session.notice)
        control.done.connect(self._done)
        control.failed.connect(self._failed)
        self._use_connection(session.connection_name)
        self._opened(session.index)
        self._show_trace(session.trace)

    def _make_bars(self, layout: QVBoxLayout, em: int) -> None:
        bar, plan = QuestionBar(self.theme), PlanBar(self.theme)
        self.question, self.level, self.runs = bar.question, bar.level, bar.runs
        self.ask_button, self.suggest_button, self.knobs_button = bar.ask, bar.suggest, bar.knobs
        self.plan_bar, self.plan_line, self.run_line = plan, plan.plan, plan.run
        self.knobs = Knobs(self.theme, self)
        self.cap_bar = CapBar(self.theme)
        self.question.textChanged.connect(lambda _text: self._timer.start())
        self.question.returnPressed.connect(self.ask)
        self.level.currentIndexChanged.connect(lambda _index: self._timer.start())
        self.knobs.changed.connect(self._timer.start)
        self.knobs.changed.connect(self._name_knobs)
        self.knobs_button.clicked.connect(self.show_knobs)
        self.runs.engine = self.engine
        self.runs.opened.connect(self._reopen)
        self.runs.failed.connect(self._failed)
        self.suggest_button.clicked.connect(self.suggest)
        self.ask_button.clicked.connect(self._ask_or_stop)
        plan.connection.clicked.connect(lambda: self.session.show_place("connections"))
        self.cap_bar.raised.connect(self.control.raise_cap)
        self.cap_bar.stopped.connect(self.stop)
        cap_row = QHBoxLayout()
        cap_row.setContentsMargins(em // 2, 0, em // 2, 0)
        cap_row.addWidget(self.cap_bar)
        layout.addWidget(bar)
        layout.addWidget(plan)
        layout.addLayout(cap_row)

    def _make_answer(self) -> AnswerPane:
        pane = AnswerPane(self.theme, self.export_action, self.suggest_action, self.retry_action)
        self.answer_pane, self.answer, self.answer_empty, self.losses = pane, pane.view, pane.empty, pane.losses
        self.answer.cited.connect(self._cited)
        return pane

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
        if self.control.running:
            return
        if self.session.index is None:
            self.plan_line.setText("There is no index to ask. Open a folder or the sample on the Start page.")
            return
        question = self.question.text().strip()
        if not question:
            self.plan_line.setText("Type a question first.")
            self.question.setFocus()
            return
        if fault := question_fault(question):
            self.plan_line.setText(fault)
            return
        self._begin(question, self._options(), self.knobs.turned, self._who())

    def ask_failed_again(self) -> None:
        """Ask what failed in the run that is shown, and write the answer anew; what came back well costs nothing."""
        self._retry(None)

    def stop(self) -> None:
        """Stop asking: the calls in flight end, the others are cancelled, and the trace says so."""
        if self._built:
            self.cap_bar.put_away()
            self.control.stop()

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
        self.runs.list_runs(self.session.index)
        if index is not None:  # between two openings of one project what a person turned stays
            self.knobs.use_project(project_knobs(index))
        self._name_knobs()
        self._timer.start()

    def _name_knobs(self) -> None:
        self.knobs_button.setText(self.knobs.button_words if self.session.index is not None else "Knobs ▾")
        self.knobs_button.setToolTip(self.knobs.note.text())

    def _replan(self) -> None:
        index = self.session.index
        if index is None:
            self.plan_line.setText("No index is open.")
            return
        if self._plan_job is not None and self._plan_job.running:
            self._plan_job.cancel()
        options, turned, question = self._options(), self.knobs.turned, self.question.text().strip()
        name = self.session.connection_name
        self._plan_job = self.engine.run(
            lambda sink, scope: make_plan(index, options, turned, question, name),
            name="Planning",
            quiet=True,
            on_done=lambda planned: self._show_plan(index, name, planned),
            on_error=self.plan_line.setText,
        )

    def _show_plan(self, index: Any, name: str, planned: Any) -> None:
        if index is self.session.index and name == self.session.connection_name:
            plan = planned.plan
            self.knobs.use(planned.defaults, paid=name != OFFLINE)
            self.plan_bar.show_connection(name, dict(planned.models))
            low, high = (plan.prompt_tokens + value for value in plan.output_tokens)
            span = figures.token_span(low, high)
            self.plan_line.setText(
                f"Plan: {counted(plan.reports, 'report')} · {counted(len(plan.batches), 'batch', 'batches')} · "
                f"{figures.calls_range(plan.calls)} calls · {span} tokens · {figures.money_range(plan.cost)}"
                + (f" · {counted(plan.stored, 'batch is', 'batches are')} paid for already" if plan.stored else "")
            )

    def _use_connection(self, name: str) -> None:
        if name != OFFLINE:
            self.engine.run(lambda sink, scope: warm_up_models(scope), name="Getting ready to ask", quiet=True)
        self.plan_bar.show_connection(name, {})
        self.knobs.show_caps(name != OFFLINE)
        self._show_failures(self.session.trace)
        self._timer.start()

    def _begin(self, question: str, options: Any, turned: frozenset[str], who: Who) -> None:
        self.set_settled(False)
        self.control.begin(self.session.index, question, options, turned, who)
        self._running(True)

    def _retry(self, call: Any) -> None:
        """Ask the shown run's failed calls again, or one call of it, whatever it brought."""
        self.ensure_built()
        trace = self.session.trace
        if trace is None or self.session.index is None or self.control.running:
            return
        self.question.setText(trace.question)
        options, turned, who = retried(trace, self._who(), call)
        self._begin(trace.question, options, turned, who)

    def _show_run(self) -> None:
        if self.control.running:
            self.run_line.setText(self.control.line())
            if self.control.stopping:
                self.ask_button.setText("Let them go" if self.control.paid else "Stopping …")

    def _done(self, trace: Any) -> None:
        self.cap_bar.put_away()
        self.session.set_trace(trace)
        self._running(False)
        self.runs.list_runs(self.session.index)
        self._timer.start()  # what is paid for now

    def _failed(self, sentence: str) -> None:
        self.cap_bar.put_away()
        self._running(False)
        self.answer_pane.say(sentence)
        self.set_settled(True)

    def _show_trace(self, trace: Any) -> None:
        has = trace is not None
        self.answer_pane.show_trace(trace)
        self.export_action.setEnabled(has)
        self._show_failures(trace)
        if not has:
            self.run_line.clear()
            self.set_settled(not self.control.running)
            return
        self.run_line.setText(f"This run: {figures.run_line(trace)}")
        self.set_settled(False)
        QTimer.singleShot(
            0, self, lambda: self._show_panes(trace, (self.batches, self.points, self.selection, self.calls))
        )

    def _show_panes(self, trace: Any, panes: Sequence[Any]) -> None:
        """One pane after the other, with the window's events between them: together they would hold it."""
        if trace is not self.session.trace:
            return  # another run is shown now, or none
        panes[0].show_trace(trace)
        if len(panes) > 1:
            QTimer.singleShot(0, self, lambda: self._show_panes(trace, panes[1:]))
        else:
            self.set_settled(not self.control.running)

    def _cited(self, citation: Citation) -> None:
        self.session.open_citation(citation)
        self.session.show_place("communities")

    def _open_batch(self, number: int) -> None:
        self.dialog = BatchDialog(self.session.trace, number, self.theme, self, retry=self._retrier())
        self.dialog.show()

    def _open_call(self, call: Any) -> None:
        self.dialog = CallDialog(call, self.theme, self, retry=self._retrier())
        self.dialog.show()

    def _show_failures(self, trace: Any) -> None:
        """Offer to ask the failed calls again where the connection in use made them."""
        lost = 0 if trace is None or self._retrier() is None else figures.lost_batches(trace)
        self.answer_pane.show_lost(lost)

    def _retrier(self) -> Any:
        """Asks a call of the shown run again; None where the connection in use did not make it."""
        trace = self.session.trace
        same = trace is not None and trace.connection.name == self.session.connection_name != OFFLINE
        return self._retry if same else None

    def _who(self) -> Who:
        """Who answers now, and what may be spent."""
        name = self.session.connection_name
        if name == OFFLINE:
            return Who()
        cost, calls = self.knobs.max_cost.value(), self.knobs.max_calls.value()
        return Who(name, self.session.keys, cost or None, calls or None)

    def _options(self) -> Any:
        return self.knobs.options(self.level.currentData())

    def _running(self, running: bool) -> None:
        self.ask_button.setText("Stop" if running else "Ask again" if self.session.trace is not None else "Ask")
        self.stop_action.setEnabled(running)
        self.answer_pane.retry.setVisible(not running and self.retry_action.isEnabled())
        if running:
            self.run_line.setText(self.control.line())

    def _ask_or_stop(self) -> None:
        if self.control.running:
            self.stop()
        else:
            self.ask()

    def _reopen(self, trace: Any) -> None:
        self.question.setText(trace.question)
        self.session.set_trace(trace)
