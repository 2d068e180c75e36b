"""The indexing of one folder as the window shows it: its files, its stages, its switches, and how it ended."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from explorer.base.cancel import CancelScope
from explorer.base.events import Event, EventSink, FileSettled, Notice, StageFinished, StageProgress, StageStarted
from explorer.gui.engine import Engine
from explorer.gui.job import Job

STAGES = ("read", "chunk", "extract", "graph", "communities", "reports", "finish", "positions")
STOPPING = "Stopping: finishing what is in flight; everything done is kept."
STOPPED = "Stopped. Everything done is kept; the next start goes on from here."

Runner = Callable[[Path, Path | None, EventSink, CancelScope], Any]


@dataclass
class Stage:
    """One stage: waiting, running or done; its steps, the time it began and took, and what it made."""

    name: str
    state: str = "waiting"
    done: int = 0
    total: int | None = None
    began: float = 0.0
    seconds: float = 0.0
    counts: dict[str, int] = field(default_factory=dict)

    def elapsed(self, now: float) -> float:
        return self.seconds if self.state != "running" else now - self.began

    def rate(self, now: float) -> float | None:
        """Steps a second, or None before the first step."""
        elapsed = self.elapsed(now)
        return self.done / elapsed if self.done and elapsed > 0.2 else None

    def left(self, now: float) -> float | None:
        """Seconds that the rest will take at this rate, or None where that cannot be said."""
        rate = self.rate(now)
        if self.state != "running" or not rate or self.total is None:
            return None
        return max(0.0, (self.total - self.done) / rate)


def _in_process(folder: Path, home: Path | None, sink: EventSink, scope: CancelScope) -> Any:
    from explorer.base.jobs import run_job
    from explorer.gui.indexing_job import index_in_child

    return run_job(index_in_child, folder, home, sink=sink, scope=scope)


def _listing(folder: Path) -> list[tuple[str, int, str]]:
    from explorer.corpus.folder import find_files

    return [(file.path, file.size, file.reason) for file in find_files(folder)]


class IndexingRun(QObject):
    """One run at a time. `runner` is the engine's own, in a process of its own; tests give others."""

    began = Signal(object)  # Path
    files_found = Signal(list)  # (path, size, reason to skip) of every file, sorted
    files_settled = Signal(list)  # FileSettled events of one batch
    stages_changed = Signal()
    state_changed = Signal(str)  # idle | running | paused | stopping | done | stopped | failed
    finished = Signal(object)  # Path of the folder, after a whole run
    noticed = Signal(str)

    def __init__(
        self,
        engine: Engine,
        *,
        runner: Runner = _in_process,
        lister: Callable[[Path], list[tuple[str, int, str]]] = _listing,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._engine, self._runner, self._lister = engine, runner, lister
        self._job: Job | None = None
        self.folder: Path | None = None
        self.home: Path | None = None
        self.state = "idle"
        self.sentence = ""
        self.summary: Any = None
        self.stages = [Stage(name) for name in STAGES]

    @property
    def running(self) -> bool:
        return self.state in ("running", "paused", "stopping")

    def start(self, folder: Path, home: Path | None = None) -> bool:
        """Index a folder, or go on with one that was stopped; False where another run has not ended."""
        if self.running:
            return False
        self.folder, self.home = folder, home
        self.stages = [Stage(name) for name in STAGES]
        self.summary, self.sentence = None, ""
        self._move("running")
        self.began.emit(folder)
        self.stages_changed.emit()
        self._job = self._engine.run(
            self._work, name=f"Indexing {folder.name}", on_batch=self._take, on_done=self._done, on_error=self._failed,
            on_cancelled=self._stopped,
        )  # fmt: skip
        self._job.changed.connect(self._follow)
        return True

    def pause(self) -> None:
        if self._job is not None:
            self._job.pause()

    def resume(self) -> None:
        if self._job is not None:
            self._job.resume()

    def stop(self) -> None:
        """The first of two steps: nothing new is begun. The second comes when the process has ended."""
        if self._job is not None and self._job.running:
            self.sentence = STOPPING
            self._job.cancel()

    def _work(self, sink: EventSink, scope: CancelScope) -> Any:
        folder, home = self.folder, self.home
        assert folder is not None
        sink(_Listed(tuple(self._lister(folder))))  # type: ignore[arg-type]
        return self._runner(folder, home, sink, scope)

    def _take(self, events: list[Event]) -> None:
        settled: list[FileSettled] = []
        moved = False
        for event in events:
            if isinstance(event, FileSettled):
                settled.append(event)
            elif isinstance(event, _Listed):
                self.files_found.emit(list(event.files))
            elif isinstance(event, Notice):
                self.noticed.emit(event.sentence)
            else:
                moved = self._take_stage(event) or moved
        if settled:
            self.files_settled.emit(settled)
        if moved:
            self.stages_changed.emit()

    def _take_stage(self, event: Event) -> bool:
        name = getattr(event, "stage", "")
        stage = next((stage for stage in self.stages if stage.name == name), None)
        if stage is None:
            return False
        if isinstance(event, StageStarted):
            stage.state, stage.began, stage.done, stage.total = "running", time.monotonic(), 0, event.total
        elif isinstance(event, StageProgress):
            stage.done = event.done
            stage.total = event.total if event.total is not None else stage.total
        elif isinstance(event, StageFinished):
            stage.state, stage.seconds, stage.counts = "done", event.seconds, dict(event.counts)
            if stage.total is not None:
                stage.done = stage.total
        return True

    def _follow(self) -> None:
        job = self._job
        if job is not None and job.running and job.state != self.state:
            self._move(job.state)

    def _done(self, summary: Any) -> None:
        self.summary = summary
        self._end("done", "")
        assert self.folder is not None
        self.finished.emit(self.folder)

    def _failed(self, sentence: str) -> None:
        self._end("failed", sentence)

    def _stopped(self) -> None:
        self._end("stopped", STOPPED)

    def _end(self, state: str, sentence: str) -> None:
        now = time.monotonic()
        for stage in self.stages:
            if stage.state == "running":
                stage.seconds = stage.elapsed(now)
                stage.state = "done" if state == "done" else "stopped"
        self._job = None
        self.sentence = sentence
        self.stages_changed.emit()
        self._move(state)

    def _move(self, state: str) -> None:
        self.state = state
        self.state_changed.emit(state)


@dataclass(frozen=True)
class _Listed:
    """The files that stand in the folder before anything is read."""

    files: tuple[tuple[str, int, str], ...]
