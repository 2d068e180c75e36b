"""The indexing of one folder as the window shows it: its files, its stages, its switches, and how it ended."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from explorer.base.cancel import CancelScope
from explorer.base.events import (
    CallSettled,
    CapReached,
    Event,
    EventSink,
    FileSettled,
    Notice,
    StageFinished,
    StageProgress,
    StageStarted,
)
from explorer.gui.calls_log import CallsLog
from explorer.gui.engine import Engine
from explorer.gui.indexing_job import Order
from explorer.gui.job import Job
from explorer.gui.words import count, money

if TYPE_CHECKING:
    from explorer.indexing.options import IndexOptions

STAGES = ("read", "chunk", "extract", "graph", "communities", "reports", "finish", "positions")
MODEL_STAGES = ("read", "chunk", "extract", "describe", "graph", "communities", "reports", "finish", "positions")
PILOT_STAGES = ("read", "chunk", "extract", "describe", "graph", "reports")
STOPPING = "Stopping: finishing what is in flight; everything done is kept."
ABANDONING = "Stopping now: the calls in flight are given up; what they bring is lost and may be charged."
STOPPED = "Stopped. Everything done is kept; the next start goes on from here."

Runner = Callable[..., Any]
"""(folder, home, sink, scope), and the Order of a run with a language model; `options` where not our defaults hold."""
KeyOf = Callable[[Any], "str | None"]
"""The secret of a connection; asked on a worker thread, for a keyring may take seconds."""


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


def _in_process(
    folder: Path,
    home: Path | None,
    sink: EventSink,
    scope: CancelScope,
    order: Order | None = None,
    options: IndexOptions | None = None,
) -> Any:
    from explorer.base.jobs import run_job
    from explorer.gui.indexing_job import index_in_child

    return run_job(index_in_child, folder, home, order, options, sink=sink, scope=scope)


def _listing(folder: Path) -> list[tuple[str, int, str]]:
    from explorer.corpus.folder import find_files

    return [(file.path, file.size, file.reason) for file in find_files(folder)]


class IndexingRun(QObject):
    """One run at a time. `runner` is the engine's own, in a process of its own; tests give others."""

    began = Signal(object)  # Path
    files_found = Signal(list)  # (path, size, reason to skip) of every file, sorted
    files_settled = Signal(list)  # FileSettled events of one batch
    stages_changed = Signal()
    calls_changed = Signal()  # `calls` heard of some
    cap_reached = Signal(object)  # CapReached
    tried = Signal(object)  # IndexSummary of a pilot, which makes no index
    state_changed = Signal(str)  # idle | running | paused | stopping | done | stopped | failed
    finished = Signal(object)  # Path of the folder, after a whole run
    charged_later = Signal(object)  # Path of the home of an index for which calls were made after its run
    noticed = Signal(str)

    def __init__(
        self,
        engine: Engine,
        *,
        runner: Runner = _in_process,
        key_of: KeyOf = lambda _connection: None,
        lister: Callable[[Path], list[tuple[str, int, str]]] = _listing,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._engine, self._runner, self.lister = engine, runner, lister
        self.key_of = key_of
        self._job: Job | None = None
        self.order: Order | None = None
        self.options: IndexOptions | None = None
        self.calls = CallsLog()
        self.folder: Path | None = None
        self.home: Path | None = None
        self.state = "idle"
        self.sentence = ""
        self.summary: Any = None
        self.stages = [Stage(name) for name in STAGES]

    @property
    def running(self) -> bool:
        return self.state in ("running", "paused", "stopping")

    @property
    def piloting(self) -> bool:
        """Whether the run is a pilot."""
        return self.order is not None and self.order.pilot is not None

    def start(
        self,
        folder: Path,
        home: Path | None = None,
        order: Order | None = None,
        options: IndexOptions | None = None,
    ) -> bool:
        """Index a folder, or go on with one that was stopped; False where another run has not ended.

        Without `options` those of this program hold.
        Without an order the offline analyst does it. The order needs no key: it is asked for when the work begins.
        """
        if self.running:
            return False
        self.folder, self.home, self.order, self.options = folder, home, order, options
        names = STAGES if order is None else PILOT_STAGES if order.pilot is not None else MODEL_STAGES
        self.stages = [Stage(name) for name in names]
        self.calls = CallsLog()
        self.summary, self.sentence = None, ""
        self._move("running")
        self.began.emit(folder)
        self.stages_changed.emit()
        self.calls_changed.emit()
        self._job = self._engine.run(
            self._work, name=f"{'Pilot of' if self.piloting else 'Indexing'} {folder.name}", on_batch=self._take,
            on_done=self._done, on_error=self._failed, on_cancelled=self._stopped,
        )  # fmt: skip
        self._job.changed.connect(self._follow)
        return True

    def retry(self, keys: frozenset[str] | None = None) -> bool:
        """Run again and make calls again that gave nothing: those of the keys, or all."""
        if self.folder is None or self.order is None or self.running:
            return False
        again = replace(self.order, key=None, pilot=None, retry=keys, said=None, before={})
        return self.start(self.folder, self.home, again, self.options)

    def go_on(self) -> bool:
        """Go on with a run that was stopped or failed: its caps hold for all its parts together, and so does its
        estimate. False where nothing is left of a cap."""
        if self.folder is None or self.order is None or self.running:
            return False
        from explorer.gui.indexing_job import charged
        from explorer.tables.index_file import StageCalls

        part = {
            stage: StageCalls(
                count=spent.calls, cached=spent.cached, failed=spent.lost, prompt_tokens=spent.prompt_tokens,
                output_tokens=spent.output_tokens, cost=spent.cost,
            )
            for stage, spent in self.calls.kinds.items()
        }  # fmt: skip
        before = charged(self.order, part)
        caps = {}
        if self.order.max_cost is not None:
            caps["max_cost"] = self.order.max_cost - (self.calls.total.cost or 0.0)
        if self.order.max_calls is not None:
            made = self.calls.total.calls - self.calls.total.cached + self.calls.retries
            caps["max_calls"] = self.order.max_calls - made
        if any(left <= 0 for left in caps.values()):
            return False
        again = replace(self.order, key=None, retry=None, before=before, **caps)
        return self.start(self.folder, self.home, again, self.options)

    def pause(self) -> None:
        if self._job is not None:
            self._job.pause()

    def resume(self) -> None:
        if self._job is not None:
            self._job.resume()

    def stop(self) -> None:
        """The first of two steps: nothing new is begun, what is out is finished. The second comes when the process has
        ended."""
        if self._job is not None and self._job.running:
            self.sentence = STOPPING
            self._job.cancel()

    def abandon(self) -> None:
        """Do not wait for calls that are out: what they bring is lost, and may be charged."""
        if self._job is not None and self._job.running:
            self.sentence = ABANDONING
            self._job.scope.abandon()
            self._move("stopping")

    def raise_cap(self, name: str, value: float) -> None:
        """Go on after a cap was reached, up to another."""
        self.calls.cap = None
        if self._job is not None:
            self._job.scope.set_cap(name, value)
        if self.order is not None:
            new = {"max_cost": value} if name == "max_cost" else {"max_calls": int(value)}
            self.order = replace(self.order, **new)
        self.calls_changed.emit()

    @property
    def stopping_words(self) -> str:
        """What the first step of a stop waits for."""
        calls = self.calls
        if self.sentence == ABANDONING or not calls.out:
            return self.sentence
        most = "at a price that is not known" if calls.out_cost is None else f"at most {money(calls.out_cost)}"
        return f"Finishing {count(calls.out, 'call')} in flight, {most}. Everything done is kept."

    def hear_later(self, folder: Path, events: list[Event]) -> None:
        """Take calls into the run that made the index of a folder: its vectors are made after it."""
        calls = [event for event in events if isinstance(event, CallSettled)]
        if calls and self.state == "done" and self.order is not None and self.folder == folder:
            self.calls.take(calls)
            self.calls_changed.emit()

    def _work(self, sink: EventSink, scope: CancelScope) -> Any:
        folder, home, order = self.folder, self.home, self.order
        assert folder is not None
        sink(Listed(tuple(self.lister(folder))))  # type: ignore[arg-type]
        more = {} if self.options is None else {"options": self.options}
        if order is None:
            return self._runner(folder, home, sink, scope, **more)
        keyed = replace(order, key=self.key_of(order.connection))
        return self._runner(folder, home, sink, scope, keyed, **more)

    def _take(self, events: list[Event]) -> None:
        settled: list[FileSettled] = []
        moved = False
        for event in events:
            if isinstance(event, FileSettled):
                settled.append(event)
            elif isinstance(event, Listed):
                self.files_found.emit(list(event.files))
            elif isinstance(event, Notice):
                self.noticed.emit(event.sentence)
            else:
                moved = self._take_stage(event) or moved
        heard = self.calls.take(events)
        if settled:
            self.files_settled.emit(settled)
        if moved:
            self.stages_changed.emit()
        if heard:
            self.calls_changed.emit()
            for event in events:
                if isinstance(event, CapReached):
                    self.cap_reached.emit(event)

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
        assert self.folder is not None
        if self.piloting:
            self._end("idle", "")
            self.tried.emit(summary)
            return
        bill = getattr(summary, "bill", None) or {}
        self._end("done", "")
        if bill:
            self.noticed.emit(str(bill.get("sentence", "")))
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
        self.calls.cap, self.calls.out = None, 0
        self.sentence = sentence
        self.stages_changed.emit()
        self._move(state)

    def _move(self, state: str) -> None:
        self.state = state
        self.state_changed.emit(state)


@dataclass(frozen=True)
class Listed:
    """The files that stand in the folder before anything is read."""

    files: tuple[tuple[str, int, str], ...]
