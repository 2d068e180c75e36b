"""The pane of a test: its lines as they come, and what it came to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QStackedWidget, QWidget

from explorer.gui.engine import Engine
from explorer.gui.job import Job
from explorer.gui.places.connections.checking import check_work
from explorer.gui.places.connections.lines import LinesModel, LinesView
from explorer.gui.theme import Theme
from explorer.gui.widgets.pane import EmptyState, Pane

if TYPE_CHECKING:
    from explorer.models.check_report import CheckLine, ConnectionReport
    from explorer.models.connection import Connection
    from explorer.models.keys import Keys


class TestPane(Pane):
    """`run` tests a connection; one test at a time. `tested` is the name of the connection of the last one."""

    __test__ = False  # no test itself

    def __init__(self, engine: Engine, theme: Theme, stop: QAction, parent: QWidget | None = None) -> None:
        super().__init__("Test", action=stop, parent=parent)
        self._engine = engine
        self._job: Job | None = None
        self.tested = ""
        self.lines = LinesModel(theme, self)
        self.view = LinesView()
        self.view.setModel(self.lines)
        self._none = EmptyState(
            "The test makes one chat and one embedding call and says what works and what is wrong: the server, the "
            "key, the models, JSON, and whether a real prompt fits into the context window."
        )
        self._stack = QStackedWidget()
        self._stack.addWidget(self._none)
        self._stack.addWidget(self.view)
        self.body.addWidget(self._stack, 1)

    @property
    def running(self) -> bool:
        return self._job is not None

    def show_for(self, name: str) -> None:
        """Show the lines of the last test where it was of this connection; else what a test does."""
        if name != self.tested or not name:
            self._stack.setCurrentWidget(self._none)
            self.set_figure("")
        else:
            self._stack.setCurrentWidget(self.view)

    def show_lines(self, name: str, lines: list[CheckLine], figure: str) -> None:
        """Show lines that no test of now found (for pictures)."""
        self.tested = name
        self.lines.set_lines(lines)
        self.set_figure(figure)
        self.show_for(name)

    def run(
        self, connection: Connection, keys: Keys, typed: str, ended: Callable[[ConnectionReport | None, bool], None]
    ) -> None:
        """Test a connection; `typed` is a key that is not kept yet.

        `ended(report, stopped)` is called when it is over: without a report where there was no key, or it was stopped.
        """
        self.lines.clear()
        self.tested = connection.name
        self.show_for(connection.name)
        self.set_figure("running …")

        def over(words: str, report: ConnectionReport | None = None, stopped: bool = False) -> None:
            self._job = None
            self.set_figure(words)
            ended(report, stopped)

        def failed(sentence: str) -> None:
            from explorer.models.check_report import CheckLine

            self._add(CheckLine("key", "wrong", sentence))
            over("something is wrong")

        self._job = self._engine.run(
            check_work(connection, keys, typed), name=f"Testing {connection.name}", on_event=self._add,
            on_done=lambda report: over("all is right" if report.ok else "something is wrong", report),
            on_error=failed, on_cancelled=lambda: over("stopped", stopped=True),
        )  # fmt: skip

    def stop(self) -> None:
        """End the test that runs; calls that are out are broken off."""
        if self._job is not None:
            self._job.cancel()

    def _add(self, line: CheckLine) -> None:
        self.lines.add(line)
        self.view.scrollToBottom()
