"""Before a run that costs money, or that a settings.yaml decides: what it will take, until a person says yes or no."""

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
    from explorer.gui.folder_settings import FolderSettings
    from explorer.indexing.options import IndexOptions
    from explorer.models.connection import Connection
    from explorer.planning.estimated import Estimate

Estimator = Callable[..., Any]
"""(folder, home, connection, pilot, sink, scope) → Estimate; `options` where not our defaults hold."""


def _in_process(
    folder: Path,
    home: Path | None,
    connection: Connection,
    pilot: Any,
    sink: EventSink,
    scope: CancelScope,
    options: IndexOptions | None = None,
) -> Any:
    from explorer.base.jobs import run_job
    from explorer.gui.indexing_job import estimate_in_child

    return run_job(estimate_in_child, folder, home, connection, pilot, options, sink=sink, scope=scope)


class Preparation(QObject):
    """One folder at a time. Without a connection (the offline analyst) there is nothing to estimate, only `settings` of
    the folder's project to say yes to. `estimator` is the engine's own, in a process of its own; tests give others.

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
        self.settings: FolderSettings | None = None
        self.estimate: Estimate | None = None
        self.pilot: Any = None  # PilotResult
        self.caps: tuple[float | None, int | None] = (None, None)
        run.tried.connect(self._take_pilot)
        run.state_changed.connect(self._follow_run)

    @property
    def open(self) -> bool:
        """Whether a folder waits for a yes or a no."""
        return self.state != "idle"

    @property
    def why(self) -> str:
        """Why it waits for a yes, in words."""
        if self.connection is None:
            return "a settings.yaml of GraphRAG belongs to it"
        unknown = self.estimate is not None and self.estimate.cost is None
        return "what it costs is not known" if unknown else "indexing it costs money"

    def begin(
        self, folder: Path, home: Path | None, connection: Connection | None, settings: FolderSettings | None = None
    ) -> None:
        """Ask what a folder would take with a connection; `settings` are those of its GraphRAG project."""
        self.folder, self.home, self.connection, self.settings = folder, home, connection, settings
        self.estimate, self.pilot = None, None
        self._ask()

    def change_connection(self, connection: Connection | None) -> None:
        """Another connection is in use: the estimate is made anew; None (offline) costs nothing and needs none."""
        if not self.open or self.state == "piloting":
            return
        if connection is None and self.settings is None:
            self.leave()
        elif self.folder is not None:
            self.begin(self.folder, self.home, connection, self.settings)

    def use_settings(self, used: bool) -> None:
        """Let the values of the project's settings.yaml decide, or this program's defaults. What a pilot of the others
        saw does not count."""
        if self.settings is None or self.state == "piloting" or self.settings.used == used:
            return
        self.settings = self.settings.with_used(used)
        self.pilot = None
        self._ask()

    def look_again(self, settings: FolderSettings | None) -> None:
        """The project's prompts, or which of them are used, are others now: the estimate is made anew."""
        if self.open and self.state != "piloting" and self.folder is not None:
            used = self.settings is None or self.settings.used
            self.settings = settings.with_used(used) if settings is not None else None
            self.pilot = None
            self._ask()

    def try_out(self, units: int) -> bool:
        """Run a pilot of some text units; its result and the new estimate come with `changed`."""
        if self.state != "ready" or self.folder is None or self.connection is None:
            return False
        self._move("piloting")
        order = Order(self.connection, max_cost=self.caps[0], max_calls=self.caps[1], pilot=units)
        if not self._run.start(self.folder, self.home, order, self._options):
            self._move("ready")
            return False
        return True

    def start(self) -> bool:
        """Begin the run that was estimated."""
        if self.state not in ("ready", "failed") or self.folder is None:
            return False
        order = None
        if self.connection is not None:
            order = Order(self.connection, max_cost=self.caps[0], max_calls=self.caps[1], said=self.estimate)
        if not self._run.start(self.folder, self.home, order, self._options):
            return False
        self._move("idle")
        return True

    def leave(self) -> None:
        """Not now: nothing is begun, what a pilot brought is kept in the call store."""
        if self._job is not None:
            self._job.cancel()
            self._job = None
        self._move("idle")

    @property
    def _options(self) -> IndexOptions | None:
        return None if self.settings is None else self.settings.options

    def _ask(self) -> None:
        folder, home, connection, pilot = self.folder, self.home, self.connection, self.pilot
        if self._job is not None:
            self._job.cancel()
            self._job = None
        if connection is None:
            self._list(folder)
            self._move("ready")
            return
        options = self._options
        more = {} if options is None else {"options": options}

        def work(sink: EventSink, scope: CancelScope) -> Any:
            if pilot is None and folder is not None:
                sink(Listed(tuple(self._run.lister(folder))))  # type: ignore[arg-type]
            return self._estimator(folder, home, connection, pilot, sink, scope, **more)

        self._job = job = self._engine.run(
            work, name=f"Estimating {folder.name if folder else ''}", on_event=self._hear,
            on_done=lambda estimate: self._take(job, estimate), on_error=lambda sentence: self._fail(job, sentence),
            on_cancelled=lambda: self.leave() if job is self._job else None,
        )  # fmt: skip
        self._move("estimating")

    def _list(self, folder: Path | None) -> None:
        """Show the files of a folder for which nothing is estimated."""
        if folder is not None:
            self._engine.run(
                lambda sink, scope: self._run.lister(folder), name=f"Listing {folder.name}", quiet=True,
                on_done=lambda files: self.files_found.emit(files) if self.folder == folder and self.open else None,
                on_error=lambda _sentence: None,
            )  # fmt: skip

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
