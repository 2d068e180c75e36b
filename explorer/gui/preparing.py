"""Before a run that costs money: what it will take, what a pilot saw, and the caps, until a person says yes or no."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from explorer.base.cancel import CancelScope
from explorer.base.events import EventSink
from explorer.gui.engine import Engine
from explorer.gui.indexing import IndexingRun, Listed
from explorer.gui.indexing_job import Order
from explorer.gui.job import Job

if TYPE_CHECKING:
    from explorer.models.connection import Connection
    from explorer.planning.estimated import Estimate

Estimator = Callable[..., Any]
"""(folder, home, connection, pilot, sink, scope) → Estimate."""


def _in_process(
    folder: Path, home: Path | None, connection: Connection, pilot: Any, sink: EventSink, scope: CancelScope
) -> Any:
    from explorer.base.jobs import run_job
    from explorer.gui.indexing_job import estimate_in_child

    return run_job(estimate_in_child, folder, home, connection, pilot, sink=sink, scope=scope)


class Preparation(QObject):
    """One folder at a time. `estimator` is the engine's own, in a process of its own; tests give others.

    `state` is idle, estimating, ready, piloting or failed (`sentence` says why). `changed` says that any of it is new.
    """

    changed = Signal()
    files_found = Signal(list)  # (path, size, reason to skip) of every file, sorted

    def __init__(
        self,
        engine: Engine,
        run: IndexingRun,
        *,
        estimator: Estimator = _in_process,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._engine, self._run, self._estimator = engine, run, estimator
        self._job: Job | None = None
        self.state = "idle"
        self.sentence = ""
        self.folder: Path | None = None
        self.home: Path | None = None
        self.connection: Connection | None = None
        self.estimate: Estimate | None = None
        self.pilot: Any = None  # PilotResult
        self.caps: tuple[float | None, int | None] = (None, None)
        run.tried.connect(self._take_pilot)
        run.state_changed.connect(self._follow_run)

    @property
    def open(self) -> bool:
        """Whether a folder waits for a yes or a no."""
        return self.state != "idle"

    def begin(self, folder: Path, home: Path | None, connection: Connection) -> None:
        """Ask what a folder would take with a connection."""
        self.folder, self.home, self.connection = folder, home, connection
        self.estimate, self.pilot = None, None
        self._ask()

    def change_connection(self, connection: Connection | None) -> None:
        """Another connection is in use: the estimate is made anew; None (offline) costs nothing and needs none."""
        if not self.open or self.state == "piloting":
            return
        if connection is None:
            self.leave()
        elif self.folder is not None:
            self.begin(self.folder, self.home, connection)

    def try_out(self, units: int) -> bool:
        """Run a pilot of some text units; its result and the new estimate come with `changed`."""
        if self.state != "ready" or self.folder is None or self.connection is None:
            return False
        self._move("piloting")
        order = Order(self.connection, max_cost=self.caps[0], max_calls=self.caps[1], pilot=units)
        if not self._run.start(self.folder, self.home, order):
            self._move("ready")
            return False
        return True

    def start(self) -> bool:
        """Begin the run that was estimated."""
        if self.state not in ("ready", "failed") or self.folder is None or self.connection is None:
            return False
        order = Order(self.connection, max_cost=self.caps[0], max_calls=self.caps[1], said=self.estimate)
        if not self._run.start(self.folder, self.home, order):
            return False
        self._move("idle")
        return True

    def leave(self) -> None:
        """Not now: nothing is begun, what a pilot brought is kept in the call store."""
        if self._job is not None:
            self._job.cancel()
            self._job = None
        self._move("idle")

    def _ask(self) -> None:
        folder, home, connection, pilot = self.folder, self.home, self.connection, self.pilot
        if self._job is not None:
            self._job.cancel()

        def work(sink: EventSink, scope: CancelScope) -> Any:
            if pilot is None and folder is not None:
                sink(Listed(tuple(self._run.lister(folder))))  # type: ignore[arg-type]
            return self._estimator(folder, home, connection, pilot, sink, scope)

        self._job = job = self._engine.run(
            work, name=f"Estimating {folder.name if folder else ''}", on_event=self._hear,
            on_done=lambda estimate: self._take(job, estimate), on_error=lambda sentence: self._fail(job, sentence),
            on_cancelled=lambda: self.leave() if job is self._job else None,
        )  # fmt: skip
        self._move("estimating")

    def _hear(self, event: object) -> None:
        if isinstance(event, Listed):
            self.files_found.emit(list(event.files))

    def _take(self, job: Job, estimate: Any) -> None:
        if job is self._job:
            self._job = None
            self.estimate = estimate
            self._move("ready")

    def _fail(self, job: Job, sentence: str) -> None:
        if job is self._job:
            self._job = None
            self._move("failed", sentence)

    def _take_pilot(self, summary: Any) -> None:
        if self.state == "piloting":
            self.pilot = summary.pilot
            self._ask()

    def _follow_run(self, state: str) -> None:
        if self.state == "piloting" and state in ("stopped", "failed"):
            self._move("ready", self._run.sentence)

    def _move(self, state: str, sentence: str = "") -> None:
        self.state, self.sentence = state, sentence
        self.changed.emit()
