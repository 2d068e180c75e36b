"""A scope that one side can pause, resume or cancel and the other side asks at its checkpoints."""

from __future__ import annotations

import threading

from explorer.base.errors import Cancelled


class CancelScope:
    """Thread-safe. The window (or Ctrl+C) calls `pause`, `resume`, `cancel`; the engine calls `checkpoint`."""

    def __init__(self) -> None:
        self._cancelled = threading.Event()
        self._abandoned = threading.Event()
        self._caps: dict[str, float | None] = {}
        self._running = threading.Event()
        self._running.set()

    def cancel(self) -> None:
        self._cancelled.set()
        self._running.set()

    def abandon(self) -> None:
        """Cancel, and do not wait for calls that are out: what they bring is lost, and may be charged."""
        self._abandoned.set()
        self.cancel()

    def set_cap(self, name: str, value: float | None) -> None:
        """Change a cap of the run ("max_cost" in US dollars, "max_calls"); None lifts it."""
        self._caps[name] = value

    @property
    def caps(self) -> dict[str, float | None]:
        """The caps that were changed since the run began."""
        return dict(self._caps)

    @property
    def abandoned(self) -> bool:
        return self._abandoned.is_set()

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
