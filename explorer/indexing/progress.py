"""The stages of a run as events and seconds, and the calls that went by."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from explorer.analysts.judgements import CallCount
from explorer.base.cancel import CancelScope
from explorer.base.events import CallSettled, Event, EventSink, StageFinished, StageProgress, StageStarted
from explorer.indexing.call_files import CallFiles
from explorer.indexing.summary import StageCalls
from explorer.indexing.tally import CallTally

# The stages of every run, in their order; a language model has "describe" after extract, and "vectors" may come last.
STAGES = ("read", "chunk", "extract", "graph", "communities", "reports", "finish", "positions")
DESCRIBE, VECTORS = "describe", "vectors"


class Progress:
    """Sends the events of a run on and keeps its seconds and calls by stage.

    A call that settled goes on with the files that it read from. Calls may settle on another thread.
    """

    def __init__(self, sink: EventSink, scope: CancelScope) -> None:
        self._sink = sink
        self._scope = scope
        self.seconds: dict[str, float] = {}
        self.files = CallFiles()
        self.tally = CallTally()
        self._rehearsed: dict[str, StageCalls] = {}
        self._listeners: list[EventSink] = []

    def listen(self, listener: EventSink) -> None:
        """Have another sink hear every call that settles."""
        self._listeners.append(listener)

    @property
    def calls(self) -> dict[str, StageCalls]:
        """Calls by stage: those that were made, else those that were counted and not made."""
        return {**self._rehearsed, **self.tally.stages}

    def __call__(self, event: Event, /) -> None:
        if isinstance(event, CallSettled):
            event = self.files.tell(event)
            self.tally.add(event)
            for listener in self._listeners:
                listener(event)
        self._sink(event)

    @contextmanager
    def stage(self, name: str, total: int | None = None) -> Iterator[dict[str, int]]:
        """One stage; what is put into the dictionary goes out as its counts. Raises Cancelled at its door."""
        self._scope.checkpoint()
        self._sink(StageStarted(name, total))
        started = time.perf_counter()
        counts: dict[str, int] = {}
        yield counts
        seconds = time.perf_counter() - started
        self.seconds[name] = round(self.seconds.get(name, 0.0) + seconds, 3)
        self._sink(StageFinished(name, seconds, counts))

    def rehearsed(self, stage: str, calls: CallCount | StageCalls) -> None:
        """Calls that were counted and not sent one by one (offline); calls that went by as events count instead."""
        self._rehearsed[stage] = StageCalls(
            count=calls.count,
            cached=calls.cached,
            failed=calls.failed,
            prompt_tokens=calls.prompt_tokens,
            output_tokens=calls.output_tokens,
        )


def inside(sink: EventSink, stage: str, done: int = 0, total: int | None = None) -> EventSink:
    """A sink for work inside a stage: its progress goes on from `done` of `total` under the stage's name, and where
    it starts or ends is not the stage's affair.
    """

    def inner(event: Event, /) -> None:
        if isinstance(event, StageProgress):
            sink(StageProgress(stage, done + event.done, event.total if total is None else total))
        elif not isinstance(event, (StageStarted, StageFinished)):
            sink(event)

    return inner
