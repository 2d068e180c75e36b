"""The gate through which every request of a run goes out, one behind the other: pause and stop, waiting that the server
asked for, caps, and the limits of the connection."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from explorer.base.cancel import CancelScope
from explorer.base.errors import Cancelled, ExplorerError
from explorer.base.events import CapReached, EventSink, InFlight, Notice
from explorer.models.backoff import backoff
from explorer.models.budget import Budget, CapName
from explorer.models.faults import ModelStop
from explorer.models.limits import RateLimits, Slot

POLL = 0.05  # seconds between two looks at what other threads may have changed


@dataclass(frozen=True)
class Ticket:
    """A request may go out. `sent` is when it did (monotonic seconds)."""

    number: int
    slot: Slot | None
    sent: float


class Admission:
    """Lets requests out in the order in which they ask. Waiting is asleep, never busy; only the first in line looks.

    `patience`: seconds without any connection to the server after which the run ends.
    """

    def __init__(
        self, budget: Budget, limits: RateLimits | None, scope: CancelScope, sink: EventSink, *, priced: bool,
        patience: float = 20.0, clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self.budget = budget
        self._limits = limits
        self._scope = scope
        self._sink = sink
        self._priced = priced
        self._patience = patience
        self._clock = clock
        self._line = asyncio.Lock()
        self._over = asyncio.Event()  # cancelled, abandoned or stopped: nobody waits on
        self._ended: ExplorerError | None = None
        self._closed = False
        self._open_at = 0.0  # before it nobody goes out
        self._level = 0  # how often in a row all had to wait
        self._raised = 0.0  # when the level was raised last
        self._gone_since: float | None = None
        self._told: set[tuple[CapName, float]] = set()
        self._caps: tuple[float | None, int | None] = (budget.max_cost, budget.max_calls)

    @property
    def ended(self) -> ExplorerError | None:
        """What ended the run, or None."""
        return self._ended

    def end(self, error: ExplorerError) -> None:
        """End the run: nothing goes out any more, what is out may finish. The first reason stands."""
        self._ended = self._ended or error
        self._over.set()

    def close(self) -> None:
        """Nothing goes out any more, and nobody is told why: whoever closes knows."""
        self._closed = True
        self._over.set()

    def look(self) -> None:
        """Note that the scope was cancelled; called from the watch of the client."""
        if self._scope.cancelled:
            self._over.set()

    def check(self) -> None:
        """Raises what ended the run, or Cancelled; a task that still waits when all is closed is cancelled itself."""
        if self._closed:
            raise asyncio.CancelledError
        if self._ended is not None:
            raise type(self._ended)(self._ended.sentence)  # one of its own: each would add its trace to a shared one
        if self._scope.cancelled:
            raise Cancelled

    async def enter(self, tokens: int, cost_at_most: float | None) -> Ticket:
        """Wait until a request of so many tokens, which may cost so much, may go out.

        Raises Cancelled or what ended the run.
        """
        async with self._line:
            while True:
                self.check()
                wait = await self._wait(cost_at_most)
                if wait:
                    await self.nap(wait)
                    continue
                slot: Slot | None = None
                if self._limits is not None:
                    taken = self._limits.take(tokens)
                    if not isinstance(taken, Slot):
                        await self.nap(taken)
                        continue
                    slot = taken
                number = self.budget.take(cost_at_most)
                self._say_flight()
                return Ticket(number, slot, self._clock())

    def leave(self, ticket: Ticket, tokens: int | None, cost: float | None) -> None:
        """A request ended. `tokens` are those it really had; None keeps what was reserved."""
        self.budget.settle(ticket.number, cost)
        if ticket.slot is not None and self._limits is not None:
            self._limits.settle(ticket.slot, tokens)
        self._say_flight()

    def reached(self, ticket: Ticket) -> None:
        """The server answered the request of a ticket with a reply."""
        self._gone_since = None
        if ticket.sent >= self._raised:
            self._level = 0

    def hold(self, ticket: Ticket, wait: float | None, *, gone: bool, sentence: str) -> None:
        """All requests wait: as long as the server asks, else longer each time. Requests that were out together count
        as one. Where the server has been `gone` for too long, the run ends."""
        now = self._clock()
        if not gone:
            self._gone_since = None
        elif self._gone_since is None:
            self._gone_since = now
        elif now - self._gone_since > self._patience:
            gone_for = f"It has been gone for {now - self._gone_since:.0f} seconds; what was finished is kept."
            self.end(ModelStop(f"{sentence} {gone_for} Start again when it is back: it goes on where it stopped."))
            return
        if wait is None:
            if ticket.sent >= self._raised:
                self._level += 1
            wait = backoff(self._level, "all")
        elif wait > 60:
            self._sink(Notice(f"The server asks to wait {wait:.0f} seconds before the next call."))
        self._raised = max(self._raised, now)
        self._open_at = max(self._open_at, now + wait)

    def opens_in(self) -> float:
        """Seconds for which nobody may go out, by what servers asked."""
        return max(0.0, self._open_at - self._clock())

    async def nap(self, seconds: float) -> None:
        """Sleep, but not on when the run is cancelled or ended."""
        if self._over.is_set():
            return
        try:
            async with asyncio.timeout(seconds):
                await self._over.wait()
        except TimeoutError:
            return

    async def _wait(self, cost_at_most: float | None) -> float:
        """Seconds to sleep before looking again; 0 where nothing but the limits may stand in the way."""
        if self._scope.paused:
            return POLL
        now = self._clock()
        if self._open_at > now:
            return min(self._open_at - now, 1.0)
        self._take_caps()
        name = self.budget.over(cost_at_most)
        if name is None:
            return 0.0
        # What is out may turn out cheaper than it might have been: wait for it before anyone is asked.
        if not self.budget.out and (name, self.budget.cap(name)) not in self._told:
            self._told.add((name, self.budget.cap(name)))
            spent = self.budget.cost if name == "max_cost" else float(self.budget.requests)
            self._sink(CapReached(name, spent, self.budget.cap(name), self.budget.sentence(name)))
        return POLL

    def _take_caps(self) -> None:
        changed = self._scope.caps
        cost, calls = self._caps
        self.budget.max_cost = changed.get("max_cost", cost)
        given = changed.get("max_calls", calls)
        self.budget.max_calls = None if given is None else int(given)

    def _say_flight(self) -> None:
        self._sink(InFlight(len(self.budget.out), self.budget.reserved if self._priced else None))
