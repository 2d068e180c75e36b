"""What a command hears of a run while it goes on: enough to say where it stood when it was stopped."""

from __future__ import annotations

from pathlib import Path

from explorer.base.events import CallSettled, CapReached, Event, EventSink, FileSettled, InFlight, StageFinished
from explorer.base.fates import FileFate
from explorer.base.words import agree, counted
from explorer.indexing.files import SettledFile, summarize_files
from explorer.indexing.summary import IndexSummary, Stopped
from explorer.indexing.tally import CallTally


class Heard:
    """A sink before another one, that keeps files, calls and seconds."""

    def __init__(self, sink: EventSink) -> None:
        self._sink = sink
        self._files: dict[str, SettledFile] = {}
        self._seconds: dict[str, float] = {}
        self._flying = InFlight(0)
        self.tally = CallTally()
        self.cap: CapReached | None = None

    def __call__(self, event: Event, /) -> None:
        if isinstance(event, CallSettled):
            self.tally.add(event)
        elif isinstance(event, FileSettled):
            self._files[event.path] = SettledFile(event.path, event.size, "", FileFate(event.fate), event.reason)
        elif isinstance(event, StageFinished):
            self._seconds[event.stage] = round(self._seconds.get(event.stage, 0.0) + event.seconds, 3)
        elif isinstance(event, CapReached):
            self.cap = event
        elif isinstance(event, InFlight):
            self._flying = event
        self._sink(event)

    def in_flight(self) -> str:
        """What is still out and what it may cost, in one sentence; "" where nothing is."""
        calls, cost = self._flying.calls, self._flying.cost_at_most
        if not calls:
            return ""
        price = f", at most ${cost:.2g}" if cost is not None else ""
        count = counted(calls, "call")
        return f"Finishing {count} in flight{price}; Ctrl+C once more abandons {agree(calls, 'it', 'them')}."

    def stopped(self, home: Path) -> IndexSummary:
        """The summary of a run that a cap ended."""
        assert self.cap is not None
        return IndexSummary(
            index=str(home),
            files=summarize_files(self._files.values()),
            calls=dict(self.tally.stages),
            seconds=self._seconds,
            failures=self.tally.failures,
            stopped=Stopped(name=self.cap.name, spent=self.cap.spent, cap=self.cap.cap),
        )
