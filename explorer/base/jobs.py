"""A whole job in one spawned process: its events come back over a pipe, pause and cancel go the other way.

The window runs indexing this way, so that nothing that indexing does can hold the window's interpreter.
"""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from explorer.base.cancel import CancelScope
from explorer.base.errors import Cancelled, ExplorerError
from explorer.base.events import Event, EventSink
from explorer.base.processes import lower_priority

R = TypeVar("R")

# How long the reader waits for news before it looks at the scope again, in seconds.
_POLL = 0.05


class JobDied(ExplorerError):
    """The process of a job ended without a result (killed, or out of memory)."""

    def __init__(self, code: int | None) -> None:
        super().__init__(
            f"The work was ended from outside (exit code {code}); what was finished is kept. "
            "Start it again: it goes on where it stopped."
        )


def run_job(function: Callable[..., R], /, *arguments: object, sink: EventSink, scope: CancelScope) -> R:
    """Call `function(*arguments, sink=…, scope=…)` in a spawned process of lower priority and wait for its result.

    Events of the child reach `sink` on the calling thread, in order. `scope` is passed on: pause, resume and cancel
    hold in the child at its next checkpoint. Raises what the function raised, Cancelled after a cancel, and JobDied
    where the process ended without a word.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_child, args=(theirs, function, arguments), name="explorer-job")
    process.start()
    theirs.close()
    told: str = "resume"
    caps: dict[str, float | None] = {}
    try:
        while True:
            if scope.caps != caps:
                caps = scope.caps
                ours.send(("caps", caps))
            wanted = (
                "abandon" if scope.abandoned else "cancel" if scope.cancelled else "pause" if scope.paused else "resume"
            )
            if wanted != told:
                ours.send(wanted)
                told = wanted
            if not ours.poll(_POLL):
                if process.is_alive():
                    continue
                if not ours.poll(0):
                    raise JobDied(process.exitcode)
            try:
                kind, value = ours.recv()
            except EOFError:
                process.join()
                raise JobDied(process.exitcode) from None
            if kind == "event":
                sink(value)
            elif kind == "result":
                return value  # type: ignore[no-any-return]
            else:
                raise value
    except BrokenPipeError:
        process.join()
        raise JobDied(process.exitcode) from None
    finally:
        ours.close()
        process.join(timeout=10)
        if process.is_alive():
            process.kill()
            process.join()
        process.close()


def _child(pipe: Connection, function: Callable[..., Any], arguments: tuple[object, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl+C means
    lower_priority()
    scope = CancelScope()
    threading.Thread(target=_obey, args=(pipe, scope), daemon=True).start()
    lock = threading.Lock()

    def sink(event: Event, /) -> None:
        with lock:
            pipe.send(("event", event))

    try:
        answer: tuple[str, object] = ("result", function(*arguments, sink=sink, scope=scope))
    except (ExplorerError, Cancelled) as error:
        answer = ("error", error)
    with lock:
        pipe.send(answer)


def _obey(pipe: Connection, scope: CancelScope) -> None:
    try:
        while True:
            told = pipe.recv()
            if isinstance(told, tuple):
                for name, value in told[1].items():
                    scope.set_cap(name, value)
            else:
                getattr(scope, told)()  # pause, resume, cancel or abandon: our own parent's words
    except (EOFError, OSError):
        scope.cancel()  # the parent is gone: stop at the next checkpoint, what is finished is kept
