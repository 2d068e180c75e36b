"""A run while it goes on, as its events tell it. No Qt: the page shows what this holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from explorer.base.events import (
    AttemptFailed,
    CallSettled,
    CapReached,
    Event,
    InFlight,
    Notice,
    StageProgress,
    StageStarted,
    TextStreamed,
)
from explorer.gui.places.ask.figures import money
from explorer.gui.words import count

_WORDS = {"map": "batches read", "reduce": "Writing the answer", "rate": "reports rated"}


@dataclass
class LiveRun:
    """What a run did so far. `cost` is None once a call was charged whose price is not known."""

    stage: str = ""
    done: int = 0
    total: int | None = None
    calls: int = 0
    cached: int = 0
    lost: int = 0
    cost: float | None = 0.0
    out: int = 0
    out_cost: float | None = None
    waiting: str = ""  # why a call is made again
    cap: CapReached | None = None
    notices: list[str] = field(default_factory=list)

    def take(self, events: Sequence[Event]) -> tuple[str, bool]:
        """Take a batch of events; returns the new text of the answer, and whether it begins anew."""
        text, anew = "", False
        for event in events:
            if isinstance(event, TextStreamed):
                if event.text:
                    text += event.text
                else:  # what had come of it is void
                    text, anew = "", True
            elif isinstance(event, AttemptFailed):
                what = event.outcome.replace("_", " ")
                when = f"in {event.wait:.1f} s" if event.wait >= 0.1 else "at once"
                self.waiting = f"{event.subject or event.stage}: {what}, again {when}"
                if event.stage in ("reduce", "answer"):
                    text, anew = "", True
            else:
                self._note(event)
        return text, anew

    def _note(self, event: Event) -> None:
        if isinstance(event, StageStarted):
            self.stage, self.done, self.total = event.stage, 0, event.total
        elif isinstance(event, StageProgress):
            self.stage, self.done = event.stage, event.done
            self.total = event.total if event.total is not None else self.total
        elif isinstance(event, CallSettled):
            self._settle(event)
        elif isinstance(event, InFlight):
            self.out, self.out_cost = event.calls, event.cost_at_most
        elif isinstance(event, CapReached):
            self.cap = event
        elif isinstance(event, Notice):
            self.notices.append(event.sentence)

    def _settle(self, event: CallSettled) -> None:
        self.waiting = ""
        self.lost += event.fate in ("failed", "malformed")
        if event.fate == "cached":
            self.cached += 1
            return
        self.calls += 1
        if event.cost is None and event.prompt_tokens + event.output_tokens > 0:
            self.cost = None
        elif self.cost is not None:
            self.cost += event.cost or 0.0

    def line(self) -> str:
        """How far it is and what it cost, in one line."""
        words = _WORDS.get(self.stage, self.stage)
        where = f"{self.done} of {self.total} {words}" if self.stage == "map" and self.total else words
        parts = [where or "Getting ready …", count(self.calls, "call")]
        parts += [f"{self.cached} from the store"] if self.cached else []
        parts += [f"{self.lost} lost"] if self.lost else []
        parts += [f"{money(self.cost)} so far"]
        parts += [self.waiting] if self.waiting and self.cap is None else []
        return " · ".join(parts)

    def stopping_line(self) -> str:
        """The first step of a stop: what is out is finished, since it is paid for."""
        if not self.out:
            return "Stopping: nothing is out any more"
        calls = count(self.out, "call")
        most = "price unknown" if self.out_cost is None else f"at most {money(self.out_cost)}"
        return f"Finishing {calls} in flight, {most}"
