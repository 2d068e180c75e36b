"""Ctrl+C as a request: the work stops at its next checkpoint and keeps what is finished."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from explorer.base.cancel import CancelScope
from explorer.commands.output import write_message


@contextmanager
def interruptible() -> Iterator[CancelScope]:
    """A scope that Ctrl+C (and a polite kill) cancels; a second Ctrl+C interrupts at once."""
    scope = CancelScope()
    if threading.current_thread() is not threading.main_thread():
        yield scope
        return

    def cancel(number: int, frame: FrameType | None) -> None:
        if scope.cancelled and number == signal.SIGINT:
            raise KeyboardInterrupt
        scope.cancel()
        write_message("Stopping after what is being worked on …")

    signals = [signal.SIGINT, signal.SIGTERM]
    before = {number: signal.signal(number, cancel) for number in signals}
    try:
        yield scope
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
