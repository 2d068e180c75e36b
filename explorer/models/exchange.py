"""One call through all its attempts, until there is a reply that can be read or no more hope of one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from explorer.base.errors import Cancelled, ExplorerError
from explorer.base.events import AttemptFailed, EventSink
from explorer.base.fates import CallFate
from explorer.models.admission import Admission, Ticket
from explorer.models.backoff import backoff
from explorer.models.budget import OutputSeen
from explorer.models.calls import Attempt, Reading
from explorer.models.connection import Connection
from explorer.models.faults import BadBody, Failure, ModelStop, read_failure
from explorer.models.prices import Price

A = TypeVar("A")

_MALFORMED_AGAIN = 2  # further attempts after replies that cannot be read
_NONE_WORKED = 3  # calls of a model that failed before any worked, after which the run ends
_UNSEEN, _UNSEEN_RATING = 1024, 128  # output tokens that the first call of a stage may have
_REFUSED_MOST = 8  # ways of asking that a server may refuse for one call


@dataclass(frozen=True)
class Received(Generic[A]):
    """What one attempt brought: the answer, the tokens it is charged for, and what the reader made of it."""

    answer: A
    text: str
    prompt_tokens: int
    output_tokens: int
    reading: Reading
    hopeless: bool = False  # another attempt would end in the same way


@dataclass(frozen=True)
class Order(Generic[A]):
    """A call to make. `send` makes one attempt (given the number of malformed replies before it) and reads it;
    `refused` is told what the server did not understand and says whether the next attempt is made in another way."""

    stage: str
    subject: str
    model: str
    seed: str
    prompt_tokens: int
    send: Callable[[int], Awaitable[Received[A]]]
    refused: Callable[[str], bool]
    max_tokens: int | None = None
    price: Price | None = None
    has_output: bool = True


@dataclass
class Outcome(Generic[A]):
    """How a call ended. `received` is the last reply that there was, `failure` why there is none that stands."""

    fate: CallFate = CallFate.FAILED
    attempts: list[Attempt] = field(default_factory=list)
    received: Received[A] | None = None
    error: str = ""
    stop: ExplorerError | None = None  # what ended the run in this call


class Exchange:
    """Makes the calls of one run: at most so many at one time, each model's first alone.

    `count` counts tokens of what a server charged for without saying how much.
    """

    def __init__(
        self, connection: Connection, key: str | None, admission: Admission, sink: EventSink, seen: OutputSeen, *,
        count: Callable[[str], int], careful: bool,
    ) -> None:  # fmt: skip
        self._connection = connection
        self._key = key
        self._admission = admission
        self._sink = sink
        self._seen = seen
        self._count = count
        self._careful = careful  # a cap in money or tokens: a stage's first call tells how long its outputs are
        self._slots = asyncio.Semaphore(connection.concurrency)
        self._proven: set[str] = set()
        self._failed: dict[str, int] = {}
        self._first: dict[str, asyncio.Lock] = {}
        self._flying: set[asyncio.Future[Any]] = set()
        self._abandoned = False

    def abandon(self) -> None:
        """Break off what is out."""
        self._abandoned = True
        for flight in self._flying:
            flight.cancel()

    @asynccontextmanager
    async def making(self, order: Order[A]) -> AsyncIterator[Outcome[A]]:
        """Make a call; the body is given its outcome and keeps it.

        Its slot is free when the body ends: what a kill may cost, in flight or not yet on disk, is never more than may
        be out at one time. Raises Cancelled or what ended the run where the call never went out.
        """
        limit = self._connection.tokens_per_minute
        if limit is not None and order.prompt_tokens > limit:
            sentence = (
                f"The prompt has {order.prompt_tokens:,} tokens and the connection allows {limit:,} in a minute; it "
                "was not sent. Raise tokens per minute to what the account allows, or make text units smaller."
            )
            yield Outcome(error=sentence)
            return
        alone = [f"model {order.model}"]
        if self._careful and order.has_output:
            alone.append(f"stage {order.stage}")
        held: list[asyncio.Lock] = []
        try:
            for name in alone:
                if name in self._proven:
                    continue
                lock = self._first.setdefault(name, asyncio.Lock())
                await lock.acquire()
                held.append(lock)
                if name in self._proven:
                    held.pop().release()
            async with self._slots:
                outcome = await self._attempts(order)
                if outcome.received is not None:
                    self._proven.update(alone)
                elif outcome.stop is None and self._is_first(order):
                    self._note_failed(order, outcome)
                yield outcome
        finally:
            for lock in held:
                lock.release()

    async def _attempts(self, order: Order[A]) -> Outcome[A]:
        outcome: Outcome[A] = Outcome()
        faults = malformed = refusals = 0
        wait = waited = 0.0
        loop = asyncio.get_running_loop()
        while True:
            began = loop.time()
            if wait:
                await self._admission.nap(wait)
            try:
                ticket = await self._admission.enter(*self._reserve(order))
            except (Cancelled, ExplorerError) as ended:
                if not outcome.attempts:
                    raise
                if isinstance(ended, ExplorerError):
                    outcome.stop = ended
                elif outcome.fate is not CallFate.MALFORMED:
                    outcome.fate = CallFate.CANCELLED
                return outcome
            waited = loop.time() - began
            result = await self._attempt(order, ticket, malformed)
            seconds = loop.time() - began - waited
            if result is None:
                outcome.attempts.append(Attempt("cancelled", seconds, waited=waited))
                outcome.fate, outcome.error = CallFate.CANCELLED, "Broken off while it was out."
                return outcome
            attempt, received, failure = result
            attempt = replace(attempt, seconds=seconds, waited=waited)
            outcome.attempts.append(attempt)
            if received is not None:
                outcome.received = received
                outcome.fate, outcome.error = received.reading.fate, ""
                if received.reading.fate is not CallFate.MALFORMED:
                    return outcome
                outcome.error = received.reading.note or "The reply could not be read."
                malformed += 1
                if received.hopeless or malformed > min(_MALFORMED_AGAIN, self._connection.retries):
                    return outcome
                wait = 0.0
            else:
                assert failure is not None
                outcome.error = failure.error
                outcome.fate = CallFate.FAILED
                if failure.stops or (failure.stops_first and self._is_first(order) and not failure.refused):
                    outcome.stop = self._stop(failure)
                    return outcome
                if failure.refused and refusals < _REFUSED_MOST and order.refused(failure.refused):
                    refusals += 1
                    wait = 0.0
                elif failure.refused and failure.stops_first and self._is_first(order):
                    outcome.stop = self._stop(failure)
                    return outcome
                elif not failure.again:
                    return outcome
                elif failure.gone:
                    wait = 0.0  # all wait at the gate, and the run ends where it takes too long
                elif attempt.outcome in ("empty", "refused", "malformed"):
                    malformed += 1
                    if malformed > min(_MALFORMED_AGAIN, self._connection.retries):
                        return outcome
                    wait = 0.0
                elif attempt.outcome == "web_page" and faults >= min(_MALFORMED_AGAIN, self._connection.retries):
                    outcome.stop = self._stop(failure) if self._is_first(order) else None
                    return outcome
                else:
                    faults += 1
                    if faults > self._connection.retries:
                        return outcome
                    if attempt.outcome == "timeout" and faults > 1 and self._is_first(order):
                        outcome.stop = self._stop(failure)  # nobody is kept waiting for hours to learn that
                        return outcome
                    wait = 0.0 if failure.everyone else failure.wait or backoff(faults, order.seed)
            shown = max(wait, self._admission.opens_in())
            self._sink(AttemptFailed(order.stage, order.subject, attempt.outcome, shown, len(outcome.attempts)))

    async def _attempt(
        self, order: Order[A], ticket: Ticket, malformed: int
    ) -> tuple[Attempt, Received[A] | None, Failure | None] | None:
        """One request; None where it was broken off by the user."""
        flight = asyncio.ensure_future(order.send(malformed))
        expected: tuple[type[Exception], ...] = (TimeoutError, BadBody, *_errors())
        self._flying.add(flight)
        tokens: int | None = order.prompt_tokens
        cost: float | None = 0.0
        try:
            try:
                async with asyncio.timeout(self._connection.timeout):
                    received = await flight
            except asyncio.CancelledError:
                tokens = None
                if self._abandoned and flight.cancelled():
                    return None
                raise
            except expected as error:
                failure = read_failure(
                    error, self._connection, self._key, model=order.model, prompt_tokens=order.prompt_tokens
                )
                charged = self._charged(error, order)
                if failure.gone:
                    tokens = 0
                elif failure.outcome in ("timeout", "dropped"):
                    tokens = None  # the server may have worked on it all the same
                elif charged != (0, 0):
                    tokens = sum(charged)
                cost = None if order.price is None else order.price.cost(*charged)
                if failure.everyone:
                    self._admission.hold(ticket, failure.wait, gone=failure.gone, sentence=failure.error)
                elif isinstance(error, BadBody) or getattr(error, "status_code", None):
                    self._admission.reached(ticket)
                text = error.text if isinstance(error, BadBody) else ""
                return Attempt(failure.outcome, 0.0, *charged, error=failure.error, text=text), None, failure
            self._admission.reached(ticket)
            self._seen.note_prompt(order.prompt_tokens, received.prompt_tokens)
            if order.has_output:
                self._seen.note(order.stage, received.output_tokens)
            tokens = received.prompt_tokens + received.output_tokens
            cost = None if order.price is None else order.price.cost(received.prompt_tokens, received.output_tokens)
            bad = received.reading.fate is CallFate.MALFORMED
            return (
                Attempt(
                    "malformed" if bad else "ok", 0.0, received.prompt_tokens, received.output_tokens,
                    error=received.reading.note if bad else "", text=received.text,
                ),
                received,
                None,
            )  # fmt: skip
        finally:
            self._flying.discard(flight)
            self._admission.leave(ticket, tokens, cost)

    def _charged(self, error: BaseException, order: Order[A]) -> tuple[int, int]:
        """What a server charges for a reply that is none: what it says, else what can be counted of what came."""
        if not isinstance(error, BadBody) or error.status is not None:
            return 0, 0
        prompt, output = error.tokens
        if prompt is None and not error.text:
            return 0, 0
        return (
            order.prompt_tokens if prompt is None else prompt,
            self._count(error.text) if output is None else output,
        )

    def _reserve(self, order: Order[A]) -> tuple[int, float | None]:
        output = self._seen.at_most(order.stage, order.max_tokens) if order.has_output else 0
        prompt = self._seen.prompt_at_most(order.prompt_tokens)
        if order.has_output and order.max_tokens is None and not self._seen.seen(order.stage):
            most = _UNSEEN_RATING if order.stage == "rate" else _UNSEEN
            output = max(output, most)  # nothing is known yet: rather too much, it is corrected with the reply
        cost = None if order.price is None else order.price.cost(prompt, output)
        return prompt + output, cost

    def _note_failed(self, order: Order[A], outcome: Outcome[A]) -> None:
        """A call failed before any of its model worked: the run ends where others did before it."""
        if outcome.fate is CallFate.FAILED and outcome.attempts:
            self._failed[order.model] = self._failed.get(order.model, 0) + 1
            if self._failed[order.model] >= _NONE_WORKED:
                said = (
                    f"No call of {order.model} has worked, {_NONE_WORKED} failed one after the other. {outcome.error}"
                )
                self._admission.end(ModelStop(said))
                outcome.stop = self._admission.ended

    def _is_first(self, order: Order[A]) -> bool:
        return f"model {order.model}" not in self._proven

    def _stop(self, failure: Failure) -> ExplorerError:
        self._admission.end(ModelStop(failure.error))
        return self._admission.ended or ModelStop(failure.error)


def _errors() -> tuple[type[Exception], ...]:
    """What an attempt may raise: all of the library's own, and what it lets through of the one below."""
    import anyio
    import httpx2
    import openai

    below = (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL, anyio.ClosedResourceError, UnicodeError)
    return (openai.OpenAIError, *below)
