"""One run at a time: begun, watched, stopped in two steps, and brought to its end. The page listens to its signals."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, Signal

from explorer.base.events import CapReached, Event
from explorer.gui.engine import Engine
from explorer.gui.job import Job
from explorer.gui.places.ask.live import LiveRun
from explorer.gui.places.ask.running import OFFLINE, Who, ask

_STOPPED = "The question was stopped; the calls that came back are kept, and asking again costs nothing for them."


class RunControl(QObject):
    """`begin` starts a run; exactly one of `done(trace)` and `failed(sentence)` ends it."""

    changed = Signal()  # the line about the run is out of date
    text = Signal(str, bool)  # more of the answer, and whether it begins anew
    capped = Signal(object)  # CapReached
    noticed = Signal(str)
    done = Signal(object)  # Trace
    failed = Signal(str)

    def __init__(self, engine: Engine, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.engine = engine
        self.live = LiveRun()
        self.paid = False  # whether a connection answers, whose calls are paid for
        self._job: Job | None = None

    @property
    def running(self) -> bool:
        return self._job is not None

    @property
    def stopping(self) -> bool:
        return self._job is not None and self._job.state == "stopping"

    def begin(self, index: Any, question: str, options: Any, turned: frozenset[str], who: Who) -> None:
        """Ask; the trace comes with `done`. Does nothing while a run goes on."""
        if self._job is not None:
            return
        self.live, self.paid = LiveRun(), who.name != OFFLINE
        self._job = self.engine.run(
            lambda sink, scope: ask(index, question, options, turned, who, sink, scope),
            name="Asking",
            on_batch=self._take,
            on_done=self._done,
            on_error=self._failed,
            on_cancelled=lambda: self._failed(_STOPPED),
        )
        self.changed.emit()

    def stop(self) -> None:
        """The first time no further call is made, and those that are out are finished; the second time they are let
        go: what they bring is lost, and may be charged."""
        if self._job is None:
            return
        if self.stopping and self.paid:
            self._job.scope.abandon()
        else:
            self._job.cancel()
        self.changed.emit()

    def raise_cap(self, name: str, value: float) -> None:
        """Go on up to another cap."""
        if self._job is not None:
            self.live.cap = None
            self._job.scope.set_cap(name, value)
            self.changed.emit()

    def line(self) -> str:
        """What the run does, in one line."""
        if self.stopping and self.paid:
            return self.live.stopping_line()
        if not self.paid:
            return "Reading the reports …"
        return f"Paused at the cap · {self.live.line()}" if self.live.cap else self.live.line()

    def _take(self, events: list[Event]) -> None:
        notices = len(self.live.notices)
        text, anew = self.live.take(events)
        for sentence in self.live.notices[notices:]:
            self.noticed.emit(sentence)
        if text or anew:
            self.text.emit(text, anew)
        for event in events:
            if isinstance(event, CapReached) and not self.stopping:
                self.capped.emit(event)
        self.changed.emit()

    def _done(self, trace: Any) -> None:
        self._job = None
        self.done.emit(trace)

    def _failed(self, sentence: str) -> None:
        self._job = None
        self.failed.emit(sentence)
