"""Real mouse and keyboard events for a window on an X server, sent from inside the program that owns the window."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable

from PySide6.QtCore import QPoint, QPointF
from PySide6.QtWidgets import QApplication, QWidget


class Hand:
    """Moves, clicks, scrolls and types through the X server; between the events the program runs on."""

    def __init__(self, app: QApplication) -> None:
        self.app = app

    def wait(self, ready: Callable[[], object], what: str, seconds: float = 180.0) -> None:
        """Let the program run until `ready()`; AssertionError with `what` after `seconds`."""
        deadline = time.monotonic() + seconds
        while not ready():
            assert time.monotonic() < deadline, f"waited {seconds:.0f} s for {what}"
            self.app.processEvents()
            time.sleep(0.005)

    def rest(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.app.processEvents()
            time.sleep(0.005)

    def move(self, widget: QWidget, at: QPointF | QPoint | None = None) -> None:
        point = widget.mapToGlobal((QPointF(at) if at is not None else QPointF(widget.rect().center())).toPoint())
        self._send("mousemove", str(point.x()), str(point.y()))

    def click(self, widget: QWidget, at: QPointF | QPoint | None = None) -> None:
        self.move(widget, at)
        self._send("click", "1")

    def wheel(self, widget: QWidget, at: QPointF | QPoint | None, notches: int) -> None:
        """Positive notches come closer."""
        self.move(widget, at)
        for _ in range(abs(notches)):
            self._send("click", "4" if notches > 0 else "5")

    def drag(self, widget: QWidget, start: QPointF, steps: list[QPointF]) -> None:
        self.move(widget, start)
        self._send("mousedown", "1")
        for step in steps:
            self.move(widget, step)
        self._send("mouseup", "1")

    def type(self, text: str) -> None:
        self._send("type", "--delay", "5", text)

    def key(self, *names: str) -> None:
        self._send("key", *names)

    def _send(self, *words: str) -> None:
        subprocess.run(["xdotool", *words], check=True, timeout=120)
        self.rest(0.05)
