"""The calls of a run as their events tell them: counts, tokens and money by stage and by file, and the calls to show.

No Qt: views show what this holds. However many calls go by, only the newest and the failed ones are kept.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from explorer.base.events import AttemptFailed, CallSettled, CapReached, Event, InFlight
from explorer.base.fates import LOST_CALLS

NEWEST = 300  # calls that came well and are still shown
MOST_LOST = 1000  # calls that gave nothing and are shown; all of them are counted
PART_OF = {"glean": "extract", "claims": "extract", "embed": "vectors"}  # the stage of the run, by the call's own


class Charge(Protocol):
    """A call that ended, as far as it is counted: an event, or a record of the call store."""

    @property
    def fate(self) -> str: ...
    @property
    def prompt_tokens(self) -> int: ...
    @property
    def output_tokens(self) -> int: ...
    @property
    def cost(self) -> float | None: ...


@dataclass
class Spent:
    """Calls with what they were charged. `cost` is None as soon as one has no known price."""

    calls: int = 0
    cached: int = 0
    lost: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = 0.0

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.output_tokens

    def add(self, event: Charge, share: float = 1.0) -> None:
        """Count a call that ended."""
        self.calls += 1
        self.cached += event.fate == "cached"
        self.lost += event.fate in LOST_CALLS
        self.charge(event, share)

    def charge(self, event: Charge, share: float = 1.0) -> None:
        """Take in what a call was charged, and count none."""
        self.prompt_tokens += round(event.prompt_tokens * share)
        self.output_tokens += round(event.output_tokens * share)
        if event.cost is None and event.prompt_tokens + event.output_tokens > 0:
            self.cost = None
        elif self.cost is not None:
            self.cost += (event.cost or 0.0) * share


@dataclass
class CallsLog:
    """`stages` by the stage of the run that a call belongs to, `files` by path (a call that read several files is
    shared out evenly among them)."""

    total: Spent = field(default_factory=Spent)
    stages: dict[str, Spent] = field(default_factory=dict)
    kinds: dict[str, Spent] = field(default_factory=dict)  # by the stage that the call itself names
    files: dict[str, Spent] = field(default_factory=dict)
    fates: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)  # why calls gave nothing
    retries: int = 0
    out: int = 0
    out_cost: float | None = None
    waiting: str = ""  # why a call is made again, while that is the last thing heard
    cap: CapReached | None = None
    version: int = 0  # counts up with every change of what is shown
    _lost: dict[str, CallSettled] = field(default_factory=dict)
    _newest: deque[CallSettled] = field(default_factory=lambda: deque(maxlen=NEWEST))

    def take(self, events: Iterable[Event]) -> bool:
        """Take some events; whether any of them was about calls."""
        heard = False
        for event in events:
            if isinstance(event, CallSettled):
                self._settle(event)
            elif isinstance(event, InFlight):
                self.out, self.out_cost = event.calls, event.cost_at_most
            elif isinstance(event, AttemptFailed):
                what = event.outcome.replace("_", " ").replace("http ", "HTTP ")
                when = f"again in {event.wait:.0f} s" if event.wait >= 0.5 else "again at once"
                self.waiting = f"a call had {what}, {when}"
            elif isinstance(event, CapReached):
                self.cap = event
            else:
                continue
            heard = True
        return heard

    def shown(self) -> list[CallSettled]:
        """The calls to show: those that gave nothing first, then the others, the newest of each first."""
        return [*reversed(self._lost.values()), *reversed(self._newest)]

    def lost_keys(self, path: str | None = None) -> frozenset[str]:
        """Keys of the calls that gave nothing: all, or those that read a file."""
        return frozenset(
            event.key for event in self._lost.values() if event.key and (path is None or path in event.files)
        )

    def _settle(self, event: CallSettled) -> None:
        self.version += 1
        self.waiting = ""
        self.total.add(event)
        self.fates[event.fate] += 1
        self.retries += event.retries
        stage = PART_OF.get(event.stage, event.stage)
        self.stages.setdefault(stage, Spent()).add(event)
        self.kinds.setdefault(event.stage, Spent()).add(event)
        for path in event.files:
            self.files.setdefault(path, Spent()).add(event, 1 / len(event.files))
        if event.fate in LOST_CALLS:
            self.reasons[event.error or event.note or event.fate] += 1
            if len(self._lost) < MOST_LOST:
                self._lost[event.key or f"{event.stage} {event.subject}"] = event
        else:
            self._newest.append(event)
