"""A scope that one side can pause, resume or cancel and the other side asks at its checkpoints."""

from __future__ import annotations

import threading

from explorer.base.errors import Cancelled


class CancelScope:
    """Thread-safe. The window (or Ctrl+C) calls `pause`, `resume`, `cancel`; the engine calls `checkpoint`."""

    def __init__(self) -> None:
        self._cancelled = threading.Event()
        self._running = threading.Event()
        self._running.set()

    def cancel(self) -> None:
        self._cancelled.set()
        self._running.set()

    def pause(self) -> None:
        self._running.clear()

    def resume(self) -> None:
        self._running.set()

    @property
    def cancelled(self) -> bool:
        return self._cancelled.is_set()

    @property
    def paused(self) -> bool:
        return not self._running.is_set()

    def checkpoint(self) -> None:
        """Wait while paused; raise Cancelled once cancelled. Never call it on a thread that draws."""
        self._running.wait()
        if self._cancelled.is_set():
            raise Cancelled
