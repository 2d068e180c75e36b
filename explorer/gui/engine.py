"""Where the window's work runs: one asyncio loop in one daemon thread, a thread for each blocking call, one timer.

Nothing here touches a widget from another thread. Events and results are put in a buffer, which one timer on the GUI
thread empties 15 times a second in one batch; the timer rests while no job runs.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import inspect
import logging
import sys
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable
from queue import SimpleQueue
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from explorer.base.cancel import CancelScope
from explorer.base.errors import Cancelled, ExplorerError
from explorer.base.events import Event, EventSink
from explorer.gui.job import Job, Listener

log = logging.getLogger(__name__)

Work = Callable[[EventSink, CancelScope], Any]
"""Called on a worker thread with an event sink and a cancel scope; returns the result, or an awaitable of it."""

_DRAIN_MS = 66  # 15 Hz
_LONGEST_TURN = 5.0  # seconds: after as long the next one begins beside it


class Engine(QObject):
    """Runs work off the GUI thread and brings its events and result back to it.

        engine.run(lambda sink, scope: global_search(index, question, analyst, options, sink=sink, scope=scope),
                   name="Asking", on_event=self.show, on_done=self.keep, on_error=self.say)

    The callable is called on a thread of its own, so it may block. Where it returns a coroutine, that runs on the
    asyncio loop. All listeners are called on the GUI thread: `on_event(event)` for each event in order,
    `on_batch(list of events)` once a batch, then exactly one of `on_done(result)`, `on_error(sentence)`,
    `on_cancelled()`.
    """

    job_started = Signal(object)  # Job
    job_ended = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._buffer: deque[tuple[Job, str, Any]] = deque()
        self._jobs: list[Job] = []
        self._threads: list[threading.Thread] = []
        self._queue: SimpleQueue[tuple[Job, Work] | None] = SimpleQueue()
        self._waiting: list[tuple[int, Job, Work]] = []  # jobs whose turn has not come
        self._turn: tuple[Job, float] | None = None  # the job whose turn it is, and since when
        self._next_at = 0.0  # no turn begins before: what the last one made is painted first
        self._spare = 0  # threads that wait at the queue and are not promised to a job yet
        self._tasks: dict[Job, asyncio.Future[Any]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._loop_thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._timer = QTimer(self)
        self._timer.setInterval(_DRAIN_MS)
        self._timer.timeout.connect(self.drain)

    @property
    def jobs(self) -> list[Job]:
        """The jobs that have not ended, oldest first."""
        return list(self._jobs)

    def run(
        self,
        work: Work,
        *,
        name: str = "",
        quiet: bool = False,
        turn: int | None = None,
        on_event: Listener | None = None,
        on_batch: Listener | None = None,
        on_done: Listener | None = None,
        on_error: Listener | None = None,
        on_cancelled: Callable[[], None] | None = None,
    ) -> Job:
        """Start work (see the class) and return its job at once.

        Jobs with a `turn` run one after the other, those of a smaller number first: threads that compute at once
        would hold up the window. None waits longer for the one before it than `_LONGEST_TURN`.
        """
        job = Job(name, quiet=quiet, parent=self)
        job.on_event, job.on_batch, job.on_done = on_event, on_batch, on_done
        job.on_error, job.on_cancelled = on_error, on_cancelled
        self._jobs.append(job)
        if turn is None:
            self._begin(job, work)
        else:
            self._waiting.append((turn, job, work))
            QTimer.singleShot(0, self, self._next_turn)  # once all that want a turn have said so
        self._timer.start()
        self.job_started.emit(job)
        return job

    def _begin(self, job: Job, work: Work) -> None:
        with self._lock:
            ready = self._spare > 0
            self._spare -= ready
        if not ready:
            self._start_thread()
        self._queue.put((job, work))

    def _next_turn(self) -> None:
        """Begin the next job that waits for its turn, unless another one's is not over."""
        if self._turn is not None:
            job, since = self._turn
            if job in self._jobs and time.monotonic() < since + _LONGEST_TURN:
                return
            self._turn = None
        if self._waiting and time.monotonic() >= self._next_at:
            first = min(self._waiting, key=lambda waiting: waiting[0])
            self._waiting.remove(first)
            _, job, work = first
            if job.scope.cancelled:
                self._buffer.append((job, "cancelled", None))
            else:
                self._turn = (job, time.monotonic())
                self._begin(job, work)

    def prepare(self, threads: int) -> None:
        """Start threads ahead of the jobs: starting one waits until it has begun, while others compute."""
        for _ in range(threads):
            self._start_thread()
        with self._lock:
            self._spare += threads

    def drain(self) -> None:
        """Empty the buffer once: a batch of events for each job, then what became of it."""
        batches: dict[Job, list[Event]] = {}
        ended: list[tuple[Job, str, Any]] = []
        for _ in range(len(self._buffer)):
            job, kind, value = self._buffer.popleft()
            if kind == "event":
                batches.setdefault(job, []).append(value)
            else:
                ended.append((job, kind, value))
        for job, events in batches.items():
            _guarded(job.take, events)
        for job, state, value in ended:
            self._jobs.remove(job)
            _guarded(job.end, state, value)
            self.job_ended.emit(job)
            job.setParent(None)  # whoever still holds it may read it
        if ended:
            self._next_at = time.monotonic() + _DRAIN_MS / 2000
        self._next_turn()
        if not self._jobs and not self._buffer:
            self._timer.stop()

    def stop(self, seconds: float = 10.0) -> bool:
        """Cancel every job, wait for all of them at most `seconds`, end the loop; True if nothing was left behind."""
        deadline = time.monotonic() + seconds
        patient = deadline - seconds / 2
        while self._jobs and time.monotonic() < deadline:  # a job that ends may begin another one
            for job in self._jobs:
                job.cancel()
            if self._loop is not None and time.monotonic() >= patient:
                for task in list(self._tasks.values()):
                    self._loop.call_soon_threadsafe(task.cancel)
            time.sleep(0.005)
            self.drain()
        self._timer.stop()
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
        for _ in self._threads:
            self._queue.put(None)
        left = []
        for thread in (*self._threads, self._loop_thread):
            if thread is not None:
                thread.join(max(0.1, deadline - time.monotonic()))
                if thread.is_alive():
                    left.append(thread)
        self._threads, self._loop, self._loop_thread, self._spare = [], None, None, 0
        return not left

    def _start_thread(self) -> None:
        thread = threading.Thread(target=self._serve_jobs, name=f"engine {len(self._threads)}", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _serve_jobs(self) -> None:
        while (task := self._queue.get()) is not None:
            self._work(*task)
            del task  # a thread that waits must not keep an index alive
            with self._lock:
                self._spare += 1

    def _work(self, job: Job, work: Work) -> None:
        """On the job's thread: do the work and put what became of it in the buffer."""
        put = self._buffer.append

        def sink(event: Event, /) -> None:
            put((job, "event", event))

        try:
            result = work(sink, job.scope)
            if inspect.isawaitable(result):
                result = self._on_loop(job, result)
            put((job, "done", result))
        except (Cancelled, asyncio.CancelledError, concurrent.futures.CancelledError):
            put((job, "cancelled", None))
        except ExplorerError as error:
            put((job, "failed", error.sentence))
        except Exception as error:
            # A fault of ours must reach the person and the log, not vanish with the thread.
            log.exception("the job %r failed", job.name)
            put((job, "failed", f"{job.name or 'The work'} failed through a fault of the program: {error!r}."))

    def _on_loop(self, job: Job, awaitable: Awaitable[Any]) -> Any:
        """Run an awaitable on the one loop and wait for it here, on the job's own thread."""
        loop = self._running_loop()

        async def body() -> Any:
            task = asyncio.ensure_future(awaitable)
            self._tasks[job] = task
            try:
                return await task
            finally:
                self._tasks.pop(job, None)

        return asyncio.run_coroutine_threadsafe(body(), loop).result()

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._loop_thread = threading.Thread(
                    target=_serve, args=(self._loop,), name="engine: loop", daemon=True
                )
                self._loop_thread.start()
            return self._loop


def _guarded(listener: Callable[..., None], *arguments: Any) -> None:
    """Call a listener; its fault goes to the hook for exceptions and does not keep the other jobs from ending."""
    try:
        listener(*arguments)
    except Exception:  # noqa: BLE001
        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        loop.close()
