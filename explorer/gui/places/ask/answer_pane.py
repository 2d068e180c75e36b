"""The answer, what the run lost on the way to it, and the way to ask what was lost again."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QToolButton

from explorer.base.words import share
from explorer.gui.places.ask import figures
from explorer.gui.places.ask.answer_view import AnswerView
from explorer.gui.theme import Theme
from explorer.gui.widgets.pane import EmptyState, Pane
from explorer.search.trace import Trace


class AnswerPane(Pane):
    """Shows a sentence while there is no run, the answer as it is written, and at the end the run's ledger."""

    def __init__(self, theme: Theme, export: QAction, suggest: QAction, retry: QAction) -> None:
        super().__init__("Answer", action=export)
        export.setIconText("Export")
        self.empty = EmptyState("Type a question, or let one be suggested.", suggest)
        self.view = AnswerView(theme)
        self.losses = QLabel()
        self.losses.setWordWrap(True)
        self.losses.setTextFormat(Qt.TextFormat.PlainText)
        self.losses.setProperty("role", "muted")
        self.losses.setAccessibleName("Waste and ledger of the run")
        self.retry = QToolButton(self)
        self.retry.setProperty("role", "link")
        self.retry.setDefaultAction(retry)
        self.retry.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.retry.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        for widget, stretch in ((self.empty, 1), (self.view, 1), (self.losses, 0), (self.retry, 0)):
            self.body.addWidget(widget, stretch)
        self.show_lost(0)

    def show_trace(self, trace: Trace | None) -> None:
        """Show a run's answer and its ledger, or the sentence where there is none."""
        has = trace is not None
        self.empty.setVisible(not has)
        self.view.setVisible(has)
        self.losses.setVisible(has)
        if trace is None:
            return
        self.view.show_answer(trace.answer.text or trace.answer.reason)
        status = trace.answer.status.replace("_", " ")
        reports = trace.ledger.reports
        self.set_figure(
            f"{status} · {share(reports.fates.get('read', 0), reports.candidates, 'report')} read · "
            f"{share(trace.reduce.kept, len(trace.points), 'point')} used"
        )
        ledger = [
            figures.account_line(kind, getattr(trace.ledger, kind))
            for kind in ("reports", "batches", "points", "calls")
        ]
        self.losses.setText("\n".join([f"Waste: {figures.waste_line(trace)}", *ledger, *trace.notes]))

    def write(self, text: str, anew: bool) -> None:
        """More of the answer as it streams; `anew` takes back what stood there."""
        self.empty.hide()
        self.losses.hide()
        self.view.show()
        self.set_figure("being written …")
        self.view.add_text(text, anew)

    def say(self, sentence: str) -> None:
        """Why there is no answer."""
        self.empty.set_text(sentence)
        self.empty.show()
        self.view.hide()

    def show_lost(self, lost: int) -> None:
        """Offer to ask again what was lost; 0 takes the offer away."""
        action = self.retry.defaultAction()
        action.setEnabled(lost > 0)
        action.setIconText(f"Ask the {lost} lost again" if lost else "Ask the lost again")
        self.retry.setAccessibleName(action.iconText())
        self.retry.setVisible(lost > 0)
