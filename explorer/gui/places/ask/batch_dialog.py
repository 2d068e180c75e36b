"""One batch opened: its reports, its points, and its call: prompt as sent, reply as it came, attempts, retry."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPlainTextEdit, QTabWidget, QVBoxLayout, QWidget

from explorer.base.fate_words import FATE_WORDS
from explorer.gui.places.ask.figures import money
from explorer.gui.places.ask.tables import ATTEMPT_COLUMNS, POINT_COLUMNS, REPORT_COLUMNS, table
from explorer.gui.theme import Theme
from explorer.gui.widgets.sentences import sentence
from explorer.gui.words import count
from explorer.search.trace import CallEntry, Trace

_NOTHING = "There is none: the call was never made, or it brought nothing back."
Retry = Callable[[CallEntry], None]
"""Asks a call anew; None where nobody can be asked."""


class BatchDialog(QDialog):
    """Shows batch `number` of a trace; it only reads the trace. `retry` asks the batch's call anew."""

    def __init__(
        self, trace: Trace, number: int, theme: Theme, parent: QWidget | None = None, *, retry: Retry | None = None
    ) -> None:
        super().__init__(parent)
        batch = next(entry for entry in trace.batches if entry.index == number)
        call = next((entry for entry in trace.calls if entry.id == batch.call), None)
        self.setWindowTitle(f"Batch {number + 1}")
        self.setAccessibleName(self.windowTitle())
        em = theme.em
        self.resize(em * 52, em * 34)
        layout = QVBoxLayout(self)
        fate = FATE_WORDS.get(str(batch.fate), "no fate: a fault of the program")
        layout.addWidget(
            sentence(
                f"Batch {number + 1} of {len(trace.batches)}: {fate} · {count(len(batch.report_ids), 'report')} · "
                f"{count(batch.points, 'point')}, {batch.used_points} used · "
                f"{batch.prompt_tokens:,} tokens in the prompt"
            )
        )
        if call is None:
            layout.addWidget(sentence("It was never sent: the run ended before its turn."))
        else:
            add_remarks(layout, call)
        self.tabs = QTabWidget()
        self.tabs.setAccessibleName("Parts of the batch")
        reports, report_model = table("Reports of the batch", REPORT_COLUMNS)
        report_model.set_rows([entry for entry in trace.reports if entry.batch == number])
        points, point_model = table("Points of the batch", POINT_COLUMNS)
        point_model.set_rows([entry for entry in trace.points if entry.batch == number])
        self.tabs.addTab(reports, f"Reports ({report_model.rowCount()})")
        self.tabs.addTab(points, f"Points ({point_model.rowCount()})")
        add_call_tabs(self.tabs, call)
        layout.addWidget(self.tabs, 1)
        add_buttons(self, layout, call, retry, "Ask this batch again")


class CallDialog(QDialog):
    """Shows one call: its messages, its reply and its attempts. `retry` asks it anew."""

    def __init__(
        self, call: CallEntry, theme: Theme, parent: QWidget | None = None, *, retry: Retry | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Call {call.id}")
        self.setAccessibleName(self.windowTitle())
        self.resize(theme.em * 52, theme.em * 34)
        layout = QVBoxLayout(self)
        fate = FATE_WORDS.get(str(call.fate), "no fate: a fault of the program")
        layout.addWidget(
            sentence(
                f"{call.id} · {call.stage} · {fate} · {call.model} · {call.prompt_tokens:,} tokens read, "
                f"{call.output_tokens:,} written · {money(call.cost)} · {call.seconds:.2f} s · "
                f"{count(call.retries, 'retry', 'retries')}"
            )
        )
        add_remarks(layout, call)
        self.tabs = QTabWidget()
        self.tabs.setAccessibleName("Parts of the call")
        add_call_tabs(self.tabs, call)
        layout.addWidget(self.tabs, 1)
        add_buttons(self, layout, call, retry, "Make this call again")


def add_remarks(layout: QVBoxLayout, call: CallEntry) -> None:
    """Why a call brought nothing, and what was repaired in its reply."""
    if call.error:
        layout.addWidget(sentence(f"What went wrong: {call.error}"))
    if call.note:
        layout.addWidget(sentence(f"What was repaired: {call.note}"))


def add_call_tabs(tabs: QTabWidget, call: CallEntry | None) -> None:
    """The prompt as sent and the reply as it came, as plain text: nothing in them is markup; then the attempts."""
    prompt = "\n\n".join(f"── {message.role} ──\n{message.content}" for message in call.messages) if call else ""
    for heading, text in (("Prompt as sent", prompt), ("Reply as it came", call.reply if call else "")):
        tabs.addTab(
            _text(heading, text or "There is none: the call was never made, or it brought nothing back."), heading
        )
    if call is not None and call.attempts:
        view, model = table("Attempts of the call", ATTEMPT_COLUMNS)
        model.set_rows(list(enumerate(call.attempts, start=1)))
        tabs.addTab(view, f"Attempts ({len(call.attempts)})")


def add_buttons(
    dialog: QDialog, layout: QVBoxLayout, call: CallEntry | None, retry: Retry | None, words: str
) -> QDialogButtonBox:
    """Close, and where a model can be asked again, the button that does it."""
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    buttons.rejected.connect(dialog.reject)
    if retry is not None and call is not None and call.key:
        button = buttons.addButton(words, QDialogButtonBox.ButtonRole.ActionRole)
        button.setToolTip(
            "The call is made and paid for once more; the answer is then written from what all batches give."
        )

        def again() -> None:
            dialog.accept()
            retry(call)

        button.clicked.connect(again)
    layout.addWidget(buttons)
    return buttons


def _text(name: str, text: str) -> QPlainTextEdit:
    page = QPlainTextEdit()
    page.setReadOnly(True)
    page.setAccessibleName(name)
    page.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
    page.setPlainText(text)
    return page
