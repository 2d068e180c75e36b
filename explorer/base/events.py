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
    """A model call ended. Tokens are those that were charged, all attempts together (0 for a cached reply).

    `key` finds the call in the call store ("" where it is in none); `subject` says what it was about; `files` are
    the source files it read from, where indexing knows them; `cost` is in US dollars, None where no price is known.
    """

    stage: str
    fate: str
    prompt_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    key: str = ""
    subject: str = ""
    model: str = ""
    cost: float | None = None
    retries: int = 0
    error: str = ""
    note: str = ""  # what was repaired or lost, in one sentence
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class AttemptFailed:
    """An attempt of a call failed and will be made again after `wait` seconds."""

    stage: str
    subject: str
    outcome: str
    wait: float
    attempt: int  # 1 for the first


@dataclass(frozen=True)
class InFlight:
    """Calls that are out, and the most that they may still cost in US dollars (None where no price is known)."""

    calls: int
    cost_at_most: float | None = None


@dataclass(frozen=True)
class CapReached:
    """A cap is reached: the run has paused itself, with everything kept, until the cap is raised or the run is stopped.

    `name` is "max_cost" or "max_calls"; `spent` and `cap` are US dollars or calls.
    """

    name: str
    spent: float
    cap: float
    sentence: str


@dataclass(frozen=True)
class TextStreamed:
    """A piece of an answer as it comes in."""

    stage: str
    text: str


@dataclass(frozen=True)
class Notice:
    """One plain sentence that the user should see (a fallback taken, a read-only folder, what was left out)."""

    sentence: str


Event = (
    StageStarted
    | StageProgress
    | StageFinished
    | FileSettled
    | CallSettled
    | AttemptFailed
    | InFlight
    | CapReached
    | TextStreamed
    | Notice
)


class EventSink(Protocol):
    """Anything that can be called with an event."""

    def __call__(self, event: Event, /) -> None: ...


def ignore(event: Event, /) -> None:
    """The sink of callers who do not listen."""
