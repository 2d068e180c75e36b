"""One batch opened: the reports in it, the points that came back, the prompt as sent and the reply as it came."""

from __future__ import annotations

from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPlainTextEdit, QTabWidget, QVBoxLayout, QWidget

from explorer.gui.places.ask.figures import FATE_WORDS, money
from explorer.gui.places.ask.tables import POINT_COLUMNS, REPORT_COLUMNS, table
from explorer.gui.theme import Theme
from explorer.search.trace import CallEntry, Trace


class BatchDialog(QDialog):
    """Shows batch `number` of a trace; it only reads the trace."""

    def __init__(self, trace: Trace, number: int, theme: Theme, parent: QWidget | None = None) -> None:
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
            _line(
                f"Batch {number + 1} of {len(trace.batches)}: {fate} · {len(batch.report_ids)} reports · "
                f"{batch.points} points, {batch.used_points} used · {batch.prompt_tokens:,} tokens in the prompt"
            )
        )
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
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout.addWidget(buttons)


class CallDialog(QDialog):
    """Shows one call: its messages and its reply."""

    def __init__(self, call: CallEntry, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Call {call.id}")
        self.setAccessibleName(self.windowTitle())
        self.resize(theme.em * 52, theme.em * 34)
        layout = QVBoxLayout(self)
        fate = FATE_WORDS.get(str(call.fate), "no fate: a fault of the program")
        layout.addWidget(
            _line(
                f"{call.id} · {call.stage} · {fate} · {call.model} · {call.prompt_tokens:,} tokens read, "
                f"{call.output_tokens:,} written · {money(call.cost)} · {call.seconds:.2f} s · {call.retries} retries"
            )
        )
        if call.error:
            layout.addWidget(_line(call.error))
        tabs = QTabWidget()
        tabs.setAccessibleName("Parts of the call")
        add_call_tabs(tabs, call)
        layout.addWidget(tabs, 1)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout.addWidget(buttons)


def add_call_tabs(tabs: QTabWidget, call: CallEntry | None) -> None:
    """The prompt as sent and the reply as it came, as plain text: nothing in them is markup."""
    prompt = "\n\n".join(f"── {message.role} ──\n{message.content}" for message in call.messages) if call else ""
    for heading, text in (("Prompt as sent", prompt), ("Reply as it came", call.reply if call else "")):
        page = QPlainTextEdit()
        page.setReadOnly(True)
        page.setAccessibleName(heading)
        page.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        page.setPlainText(text or "There is none: the call was never made, or it brought nothing back.")
        tabs.addTab(page, heading)


def _line(text: str) -> QLabel:
    from PySide6.QtCore import Qt

    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    return label
