"""How far a command is, on stderr: bars where a person looks, sentences alone in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from explorer.base.events import (
    AttemptFailed,
    CallSettled,
    Event,
    EventSink,
    Notice,
    StageFinished,
    StageProgress,
    StageStarted,
)
from explorer.commands.output import write_message


@contextmanager
def progress() -> Iterator[EventSink]:
    """An event sink that shows a bar a stage on a terminal; in a pipe only sentences (Notice) come through."""
    bars = _Bars() if sys.stderr.isatty() else None

    def sink(event: Event, /) -> None:
        if bars is not None:
            bars.show(event)
        if isinstance(event, Notice):
            (bars.say if bars is not None else write_message)(event.sentence)

    try:
        yield sink
    finally:
        if bars is not None:
            bars.close()


class _Bars:
    """One tqdm bar for the stage that runs; a finished stage keeps its line. Calls of a model show what the run has
    been charged so far, and what is being waited for.
    """

    def __init__(self) -> None:
        self._bar: Any = None
        self._tokens = 0
        self._cost: float | None = 0.0

    def show(self, event: Event) -> None:
        if isinstance(event, StageStarted):
            self.close()
            from tqdm import tqdm

            self._bar = tqdm(total=event.total, desc=event.stage, file=sys.stderr, leave=True, dynamic_ncols=True)
        elif isinstance(event, StageProgress) and self._bar is not None:
            if event.total is not None:
                self._bar.total = event.total
            self._bar.update(max(0, event.done - self._bar.n))
        elif isinstance(event, CallSettled) and event.model:  # the offline analyst charges nothing
            self._charge(event)
        elif isinstance(event, AttemptFailed) and self._bar is not None:
            self._bar.set_postfix_str(f"{event.outcome.replace('_', ' ')}, once more in {event.wait:.0f} s")
        elif isinstance(event, StageFinished) and self._bar is not None:
            if event.counts:
                self._bar.set_postfix_str(_counts(event.counts))
            if self._bar.total is not None:
                self._bar.update(max(0, self._bar.total - self._bar.n))
            self.close()

    def _charge(self, event: CallSettled) -> None:
        self._tokens += event.prompt_tokens + event.output_tokens
        if event.cost is None:
            self._cost = None
        elif self._cost is not None:
            self._cost += event.cost
        if self._bar is not None and self._tokens:
            money = "" if self._cost is None else f", ${self._cost:,.4f}"
            self._bar.set_postfix_str(f"{self._tokens:,} tokens{money}", refresh=False)

    def say(self, sentence: str) -> None:
        from tqdm import tqdm

        tqdm.write(sentence, file=sys.stderr)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in counts.items())
