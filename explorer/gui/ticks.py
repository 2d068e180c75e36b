"""How long the GUI thread was held: the times between the ticks of a 10 ms timer, less those 10 ms."""

from __future__ import annotations

import time
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, QTimer

TICK_MS = 10


@dataclass(frozen=True)
class Stalls:
    """Delays in ms: how many ticks, the delay that 99.9 % of them stay under, the longest, and how many over 50."""

    ticks: int
    p999: float
    longest: float
    over_50: int

    @property
    def smooth(self) -> bool:
        """Whether 99.9 % are under 50 ms and none is over 100 ms."""
        return self.p999 < 50.0 and self.longest <= 100.0


class TickRecorder(QObject):
    """Records from `start` to `stop`. `delays` holds one number of milliseconds a tick."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.delays: list[float] = []
        self._last = 0.0
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._tick)

    def start(self) -> None:
        self.delays.clear()
        self._last = time.perf_counter()
        self._timer.start()

    def stop(self) -> Stalls:
        """Stop and sum up."""
        self._timer.stop()
        return summary(self.delays)

    def _tick(self) -> None:
        now = time.perf_counter()
        self.delays.append(max(0.0, (now - self._last) * 1000 - TICK_MS))
        self._last = now


def summary(delays: list[float]) -> Stalls:
    """The figures of a list of delays (nearest rank); zeros for none."""
    if not delays:
        return Stalls(0, 0.0, 0.0, 0)
    ordered = sorted(delays)
    rank = max(0, -(-len(ordered) * 999 // 1000) - 1)
    return Stalls(len(ordered), ordered[rank], ordered[-1], sum(delay > 50.0 for delay in ordered))
