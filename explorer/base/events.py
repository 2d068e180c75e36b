"""Events that a running job sends out. The engine knows only this sink; a window or a progress bar listens.

A sink is called from any thread and must return at once: listeners put the event in a buffer and drain it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True)
class StageStarted:
    """A stage begins; `total` is the number of its steps, or None while it is unknown."""

    stage: str
    total: int | None = None


@dataclass(frozen=True)
class StageProgress:
    """`done` of `total` steps of a stage are finished."""

    stage: str
    done: int
    total: int | None = None


@dataclass(frozen=True)
class StageFinished:
    """A stage ended after `seconds`; `counts` are what it made (entities, relationships, dropped pairs …)."""

    stage: str
    seconds: float
    counts: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class FileSettled:
    """A source file has its fate. `path` is relative to the folder, with forward slashes."""

    path: str
    fate: str
    reason: str = ""
    size: int = 0
    documents: int = 0
    text_units: int = 0
    tokens: int = 0


@dataclass(frozen=True)
class CallSettled:
    """A model call ended; `call` is the record as it stands in the trace."""

    stage: str
    fate: str
    prompt_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Notice:
    """One plain sentence that the user should see (a fallback taken, a read-only folder, what was left out)."""

    sentence: str


Event = StageStarted | StageProgress | StageFinished | FileSettled | CallSettled | Notice


class EventSink(Protocol):
    """Anything that can be called with an event."""

    def __call__(self, event: Event, /) -> None: ...


def ignore(event: Event, /) -> None:
    """The sink of callers who do not listen."""
