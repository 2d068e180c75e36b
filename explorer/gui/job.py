"""A job as the window sees it: what it is called, how far it is, and the switches to pause and stop it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Signal

from explorer.base.cancel import CancelScope
from explorer.base.events import Event, StageFinished, StageProgress, StageStarted

Listener = Callable[[Any], None]


class Job(QObject):
    """One piece of work on the engine. Lives on the GUI thread; `changed` says that a line about it is out of date.

    `state` is running, paused, stopping, done, failed or cancelled. `sentence` holds the error of a failed job.
    `quiet` jobs (loading for a view) are not listed in the activity panel.
    """

    changed = Signal()

    def __init__(self, name: str, *, quiet: bool = False, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.name = name
        self.quiet = quiet
        self.state = "running"
        self.stage = ""
        self.done = 0
        self.total: int | None = None
        self.sentence = ""
        self.scope = CancelScope()
        self.on_event: Listener | None = None
        self.on_batch: Listener | None = None
        self.on_done: Listener | None = None
        self.on_error: Listener | None = None
        self.on_cancelled: Callable[[], None] | None = None

    @property
    def running(self) -> bool:
        """Whether the work has not ended yet (a paused or stopping job is still running)."""
        return self.state in ("running", "paused", "stopping")

    def cancel(self) -> None:
        """Ask the work to stop at its next checkpoint; what is finished is kept."""
        if self.running and self.state != "stopping":
            self.scope.cancel()
            self._move("stopping")

    def pause(self) -> None:
        """Start nothing new until `resume`."""
        if self.state == "running":
            self.scope.pause()
            self._move("paused")

    def resume(self) -> None:
        if self.state == "paused":
            self.scope.resume()
            self._move("running")

    def take(self, events: list[Event]) -> None:
        """Hand a batch of events to the listeners (GUI thread; the engine calls it)."""
        for event in events:
            if isinstance(event, StageStarted):
                self.stage, self.done, self.total = event.stage, 0, event.total
            elif isinstance(event, StageProgress):
                self.stage, self.done = event.stage, event.done
                self.total = event.total if event.total is not None else self.total
            elif isinstance(event, StageFinished) and self.total is not None:
                self.done = self.total
        if self.on_event is not None:
            for event in events:
                self.on_event(event)
        if self.on_batch is not None:
            self.on_batch(events)
        self.changed.emit()

    def end(self, state: str, value: Any = None) -> None:
        """Settle the job and tell who asked for it (GUI thread; the engine calls it)."""
        if not self.running:
            return
        if state == "failed":
            self.sentence = str(value)
        self._move(state)
        if state == "done" and self.on_done is not None:
            self.on_done(value)
        elif state == "failed" and self.on_error is not None:
            self.on_error(self.sentence)
        elif state == "cancelled" and self.on_cancelled is not None:
            self.on_cancelled()

    def _move(self, state: str) -> None:
        self.state = state
        self.changed.emit()
