"""Work that holds the interpreter, done in spawned processes of lower priority.

A spawned process shares nothing with the window: leidenalg, igraph and spaCy may hold their own interpreter as long
as they like. Priority is lowered so that a person who types is served first.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.process import BaseProcess
from typing import TypeVar

import psutil

from explorer.base.cancel import CancelScope
from explorer.base.errors import WorkerError

T = TypeVar("T")
R = TypeVar("R")


def lower_priority() -> None:
    """Make the calling process yield to others: nice 10, or below normal on Windows."""
    with contextlib.suppress(psutil.Error, OSError):
        process = psutil.Process()
        if os.name == "nt":
            process.nice(getattr(psutil, "BELOW_NORMAL_PRIORITY_CLASS", 16384))
        else:
            process.nice(max(10, process.nice()))


def lower_thread_priority() -> None:
    """Make the calling thread yield to others, where a thread has a priority of its own (Linux); the process keeps
    its own.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            thread = threading.get_native_id()
            os.setpriority(os.PRIO_PROCESS, thread, max(10, os.getpriority(os.PRIO_PROCESS, thread)))


def end_with_parent() -> None:
    """End the calling process when its parent ends: a parent that is killed cannot tell its workers to stop."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent,), name="end with parent", daemon=True).start()


def _follow(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def workers() -> int:
    """How many worker processes a job may use: one a core, four at most (memory is the other limit)."""
    return max(1, min(4, os.cpu_count() or 1))


def run_in_process(function: Callable[..., R], /, *arguments: object, scope: CancelScope | None = None) -> R:
    """Call a module-level function in one spawned process and wait for its result.

    Arguments and result are pickled. Raises what the function raised, Cancelled where the scope ended first.
    """
    (result,) = map_in_processes(_call, [(function, arguments)], scope=scope, processes=1)
    return result


def map_in_processes(
    function: Callable[[T], R],
    items: Iterable[T],
    *,
    scope: CancelScope | None = None,
    processes: int | None = None,
    initializer: Callable[[], None] | None = None,
) -> Iterator[R]:
    """Results of a module-level function over items, in the order of the items, computed in spawned processes.

    At most two items a process are in flight, so a pause or a cancel takes hold after what is being worked on.
    Raises Cancelled where the scope was cancelled; the processes are then killed. Raises WorkerError where a process
    ended before its work was done (a pipe that breaks while one is started is the same thing, seen earlier).
    """
    count = processes or workers()
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(count, mp_context=context, initializer=_start, initargs=(initializer,))
    try:
        pending: list[Future[R]] = []
        source = iter(items)
        exhausted = False
        while True:
            while not exhausted and len(pending) < count * 2:
                if scope is not None:
                    scope.checkpoint()
                try:
                    item = next(source)
                except StopIteration:
                    exhausted = True
                    continue
                with _without_interrupts():
                    pending.append(pool.submit(function, item))
            if not pending:
                return
            while not pending[0].done():
                wait([pending[0]], timeout=0.1, return_when=FIRST_COMPLETED)
                if scope is not None and scope.cancelled:
                    scope.checkpoint()
            yield pending.pop(0).result()
    except (BrokenProcessPool, BrokenPipeError) as error:
        raise WorkerError(
            "A process that did part of the work was ended from outside (perhaps for want of memory); what was "
            "finished before is kept. Start again: it goes on where it stopped."
        ) from error
    finally:
        _end(pool)


def _end(pool: ProcessPoolExecutor) -> None:
    children = list((getattr(pool, "_processes", None) or {}).values())
    unfinished = pool._pending_work_items if hasattr(pool, "_pending_work_items") else {}
    if unfinished:
        for child in children:
            child.kill()
    pool.shutdown(wait=True, cancel_futures=True)


@contextlib.contextmanager
def _without_interrupts() -> Iterator[None]:
    """Processes started here are deaf to Ctrl+C, which a terminal sends to all: the parent decides what it means."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start(initializer: Callable[[], None] | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    lower_priority()
    if initializer is not None:
        initializer()


def _call(task: tuple[Callable[..., R], tuple[object, ...]]) -> R:
    function, arguments = task
    return function(*arguments)
