"""One call opened: what was sent, what came back, what was repaired or wrong, each attempt; and making it again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPlainTextEdit, QTabWidget, QVBoxLayout, QWidget

from explorer.gui.theme import Theme, tabular
from explorer.gui.widgets.sentences import sentence
from explorer.gui.words import count, money

if TYPE_CHECKING:
    from explorer.models.stored_call import StoredCall

_NO_REPLY = "There is none: no attempt brought a reply."
_MOST = 400_000  # characters of one text that are laid out; a view of more would hold the window


class CallDialog(QDialog):
    """Shows a stored call. `retry` makes it again; None where nothing can be started now."""

    def __init__(
        self, call: StoredCall, theme: Theme, parent: QWidget | None = None, *, retry: Callable[[], None] | None = None
    ) -> None:
        super().__init__(parent)
        about = f"{call.stage} · {call.subject}" if call.subject else call.stage
        self.setWindowTitle(f"Call: {about}")
        self.setAccessibleName(self.windowTitle())
        self.resize(theme.em * 52, theme.em * 34)
        column = QVBoxLayout(self)
        self.figures = _line(
            f"{call.fate} · {call.model or 'no model'} · {call.prompt_tokens:,} tokens read, {call.output_tokens:,} "
            f"written · charged {call.billed_prompt_tokens + call.billed_output_tokens:,} tokens, {money(call.cost)} · "
            f"{call.seconds:.1f} s · {count(call.retries, 'retry', 'retries')}"
        )
        column.addWidget(self.figures)
        for what, words in (("Wrong", call.error), ("Repaired or lost", "" if call.note == call.error else call.note)):
            if words:
                column.addWidget(_line(f"{what}: {words}"))
        self.tabs = QTabWidget()
        self.tabs.setAccessibleName("Parts of the call")
        self.tabs.addTab(_text("Messages as sent", _messages(call)), "Messages as sent")
        self.tabs.addTab(_text("Reply as it came", call.reply or _last_text(call) or _NO_REPLY), "Reply as it came")
        if call.attempts:
            self.tabs.addTab(_text("Attempts", _attempts(call)), f"Attempts ({len(call.attempts)})")
        column.addWidget(self.tabs, 1)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        if retry is not None:
            button = buttons.addButton("Make this call again", QDialogButtonBox.ButtonRole.ActionRole)
            button.setToolTip("The run goes on with this call alone; everything else comes from the call store")

            def again() -> None:
                self.accept()
                retry()

            button.clicked.connect(again)
        column.addWidget(buttons)


def _messages(call: StoredCall) -> str:
    if not call.messages:
        return "They were not kept: the call was made by an older version of this program."
    return "\n\n".join(f"── {role} ──\n{content}" for role, content in call.messages)


def _last_text(call: StoredCall) -> str:
    return next((attempt.text for attempt in reversed(call.attempts) if attempt.text), "")


def _attempts(call: StoredCall) -> str:
    parts = []
    for number, attempt in enumerate(call.attempts, start=1):
        waited = f", after waiting {attempt.waited:.1f} s" if attempt.waited >= 0.05 else ""
        charged = attempt.prompt_tokens + attempt.output_tokens
        outcome = attempt.outcome.replace("_", " ")
        head = f"{number}. {outcome} in {attempt.seconds:.1f} s{waited}, charged {charged:,} tokens"
        reply = attempt.text if attempt.text and attempt.text != call.reply else ""
        parts.append("\n".join(part for part in (head, attempt.error, reply) if part))
    return "\n\n".join(parts)


def _text(name: str, text: str) -> QPlainTextEdit:
    """Plain text: nothing that a document or a model wrote is markup here."""
    page = QPlainTextEdit()
    page.setReadOnly(True)
    page.setAccessibleName(name)
    page.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
    cut = f"\n… {len(text) - _MOST:,} more characters" if len(text) > _MOST else ""
    page.setPlainText(text[:_MOST] + cut)
    return page


def _line(text: str) -> QLabel:
    label = sentence(text, selectable=True)
    label.setFont(tabular(label.font()))
    return label
