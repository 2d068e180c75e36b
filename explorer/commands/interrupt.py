"""Ctrl+C as a request: the work stops at its next checkpoint and keeps what is finished."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from explorer.base.cancel import CancelScope
from explorer.commands.output import write_message

_STOPPING = "Stopping after what is being worked on …"
_ABANDONED = "Abandoned: what is still out is not waited for, and may be charged."


@contextmanager
def interruptible(in_flight: Callable[[], str] | None = None) -> Iterator[CancelScope]:
    """A scope that Ctrl+C (and a polite kill) cancels; a second Ctrl+C interrupts at once.

    `in_flight` says what a model still works on ("" for nothing). With it the first Ctrl+C finishes calls that are out
    and keeps them, the second abandons them, and the third interrupts at once.
    """
    scope = CancelScope()
    if threading.current_thread() is not threading.main_thread():
        yield scope
        return

    def cancel(number: int, frame: FrameType | None) -> None:
        if scope.cancelled and number == signal.SIGINT:
            if in_flight is None or scope.abandoned:
                raise KeyboardInterrupt
            scope.abandon()
            write_message(_ABANDONED)
            return
        scope.cancel()
        write_message((in_flight() if in_flight is not None else "") or _STOPPING)

    signals = [signal.SIGINT, signal.SIGTERM]
    before = {number: signal.signal(number, cancel) for number in signals}
    try:
        yield scope
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
