"""The client of a run: every call to a model goes through it, is kept, counted and priced, and is paid once."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from explorer.base.cancel import CancelScope
from explorer.base.errors import ExplorerError
from explorer.base.events import CallSettled, EventSink, Notice, TextStreamed, ignore
from explorer.base.fates import CallFate
from explorer.base.paths import user_data_dir
from explorer.base.tokens import EncodingName
from explorer.base.valid_text import valid_text
from explorer.models.admission import POLL, Admission
from explorer.models.budget import Budget, OutputSeen
from explorer.models.call_store import CallStore
from explorer.models.call_writer import CallWriter
from explorer.models.calls import CallResult, ChatRequest, EmbeddingResult, Reading
from explorer.models.connection import Connection, ReplyMode
from explorer.models.connections import remember_reply_mode
from explorer.models.exchange import Exchange, Order, Outcome, Received
from explorer.models.faults import ModelStop
from explorer.models.hide_key import hide_key
from explorer.models.limits import RateLimits
from explorer.models.open_client import open_client, server_address
from explorer.models.prices import Price, price_for, refuse_unpriced
from explorer.models.reply_modes import Manner, schema_words
from explorer.models.stored_call import HAND, StoredCall, call_key
from explorer.models.tokenizers import PromptCounter, tokenizer_of
from explorer.models.wire import ChatAnswer, send_chat, stream_chat, without_thinking

if TYPE_CHECKING:
    from openai import AsyncOpenAI

__all__ = ["ModelClient", "ModelStop", "Spent"]

_CUT = 0.6  # a server that counts less than this share of the prompt has cut it
_SHORT = 200  # tokens below which counts of tokenizers differ too much to tell


@dataclass(frozen=True)
class Spent:
    """What a run has spent so far: calls that went out, requests (retries too), tokens charged, and US dollars (None
    where the price of a model that was charged is not known)."""

    calls: int = 0
    requests: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = 0.0


class ModelClient:
    """All calls of one run. Make it, use it and close it inside one asyncio loop (`ModelLoop.run`).

    Parameters
    ----------
    connection, key: where the calls go; the key is kept in memory only and shows nowhere.
    store: where calls are kept and found again; None keeps nothing.
    max_cost, max_calls: caps in US dollars and in requests that go out (retries too). A reply from the store counts
        for nothing. At a cap the client says so (CapReached) and waits until `scope.set_cap` raises it or the scope is
        cancelled.
    retry: None makes every call again that failed before; a set of keys only these, the others come back as recorded.
    patience: seconds without any connection to the server after which the run ends.

    Raises InputError where a cap in US dollars cannot be kept because a price is not known, or the address is none.
    `chat` and `embed` raise Cancelled where the scope was cancelled before a call went out, ModelStop where the run
    must end (no server, wrong key, no such model) and StorageError where replies can no longer be kept.
    """

    def __init__(
        self, connection: Connection, key: str | None, store: CallStore | None, *, sink: EventSink = ignore,
        scope: CancelScope | None = None, max_cost: float | None = None, max_calls: int | None = None,
        retry: frozenset[str] | None = None, patience: float = 20.0,
    ) -> None:  # fmt: skip
        self.connection = connection
        self.address = server_address(connection)
        if max_cost is not None:
            refuse_unpriced(connection, (connection.chat_model, *_chat_models(connection)))
        self._key = key
        self._store = store
        self._writer = None if store is None else CallWriter(store)
        self._sink = sink
        self._scope = scope or CancelScope()
        self._retry = retry
        self._max_cost = max_cost
        self._counter = PromptCounter(tokenizer_of(connection, connection.chat_model))
        self._prices: dict[str, Price | None] = {}
        self._manners: dict[str, Manner] = {}
        self._told: set[str] = set()
        self._going: dict[str, asyncio.Future[CallResult]] = {}
        self._spent = Spent()
        self._limits = self._open_limits()
        budget = Budget(max_cost=max_cost, max_calls=max_calls)
        self._admission = Admission(
            budget, self._limits, self._scope, sink, priced=self.price(connection.chat_model) is not None,
            patience=patience,
        )  # fmt: skip
        self._seen = OutputSeen()
        self._exchange = Exchange(
            connection, key, self._admission, sink, self._seen, count=self._counter.count,
            careful=max_cost is not None or connection.tokens_per_minute is not None,
        )  # fmt: skip
        self._http: AsyncOpenAI | None = None
        self._watcher: asyncio.Task[None] | None = None
        self._closed = False

    def __repr__(self) -> str:
        return f"ModelClient({self.connection.name!r})"

    @property
    def spent(self) -> Spent:
        return replace(self._spent, requests=self._admission.budget.requests)

    @property
    def tokenizer(self) -> EncodingName:
        return self._counter.name

    @property
    def concurrency(self) -> int:
        """Calls that are out at one time; callers may start as many tasks as they like."""
        return self.connection.concurrency

    def price(self, model: str) -> Price | None:
        """The price of a model, None where it is not known."""
        if model not in self._prices:
            self._prices[model] = price_for(self.connection, model)
        return self._prices[model]

    def key_of(self, request: ChatRequest) -> str:
        """The key under which the call of a request is kept, with repeats by hand."""
        return self._keys(request)[1]

    async def chat(self, request: ChatRequest) -> CallResult:
        """Make a chat call, or take its reply from the store. Never raises for a bad reply: the result says it."""
        base, key = self._keys(request)
        while key in self._going:
            first = await asyncio.shield(self._going[key])
            if first.usable:  # the same call, asked twice at one time, is paid once
                return self._settled(self._again(request, first))
            return self._settled(replace(first, attempts=(), cost=0.0, billed_prompt_tokens=0, billed_output_tokens=0))
        found = self._from_store(request, base, key)
        if found is not None:
            return self._settled(found)
        going: asyncio.Future[CallResult] = asyncio.get_running_loop().create_future()
        self._going[key] = going
        try:
            result = await self._call(request, base, key)
            going.set_result(result)
            return result
        except BaseException as error:
            if isinstance(error, Exception):
                going.set_exception(error)
                going.exception()  # whoever waits raises it as well; nobody need
            else:
                going.cancel()
            raise
        finally:
            del self._going[key]

    async def embed(
        self, texts: Sequence[str], *, subjects: Sequence[str] | None = None, stage: str = "embed"
    ) -> EmbeddingResult:
        """Vectors of texts; see `embedding.embed`."""
        from explorer.models.embedding import embed

        return await embed(self, texts, subjects=subjects, stage=stage)

    async def aclose(self) -> None:
        """Close connections, keep what is still to be kept, remember which way to ask for JSON worked."""
        if self._closed:
            return
        self._closed = True
        if self._watcher is not None:
            self._watcher.cancel()
        if self._http is not None:
            await self._http.close()
        if self._writer is not None:
            self._writer.close()
        if self._limits is not None:
            self._limits.close()

    async def __aenter__(self) -> ModelClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    # -- what `embedding` uses as well

    def http(self) -> AsyncOpenAI:
        """The client of the `openai` library, made with the first call; the watch over the scope begins with it."""
        if self._http is None:
            self._http = open_client(self.connection, self._key)
            self._watcher = asyncio.get_running_loop().create_task(self._watch())
        return self._http

    def manner(self, model: str) -> Manner:
        """How requests of a model are made."""
        if model not in self._manners:
            self._manners[model] = Manner(mode=self.connection.reply_mode or "json_schema")
        return self._manners[model]

    def tell_once(self, sentence: str) -> None:
        """A notice that the user need see once."""
        if sentence and sentence not in self._told:
            self._told.add(sentence)
            self._sink(Notice(sentence))

    def hide(self, text: str) -> str:
        """The text without the key, should a server repeat it."""
        return hide_key(text, self._key)

    # -- one chat call

    def _keys(self, request: ChatRequest) -> tuple[str, str]:
        def with_ordinal(ordinal: int) -> str:
            return call_key(
                base_url=self.address,
                model=self.connection.model_for(request.stage),
                messages=request.messages,
                parameters=self._parameters(request),
                schema=None if request.schema is None else {request.schema.name: request.schema.schema},
                ordinal=ordinal,
            )

        base = with_ordinal(request.repeat)
        hand = 0 if self._store is None else self._store.repeats(base)
        return base, base if hand == 0 else with_ordinal(request.repeat + hand * HAND)

    def _parameters(self, request: ChatRequest) -> dict[str, object]:
        ours = self.connection
        return {**request.parameters, **ours.parameters, **ours.stage_parameters.get(request.stage, {})}

    def _from_store(self, request: ChatRequest, base: str, key: str) -> CallResult | None:
        if self._store is None:
            return None
        stored = self._store.get(key)
        if stored is not None:
            result = self._again(request, _result(stored, request))
            if result.fate is not CallFate.MALFORMED:
                return result
        if self._retry is not None and key not in self._retry and base not in self._retry:
            newest = self._store.newest(key)
            if newest is not None and newest.fate in (CallFate.FAILED, CallFate.MALFORMED):
                return _result(newest, request)
        return None

    def _again(self, request: ChatRequest, known: CallResult) -> CallResult:
        """A reply that is there already, read by this request's reader; it costs nothing."""
        text = without_thinking(known.text)
        reading = _read(request, text)
        if reading.fate is not CallFate.MALFORMED:
            self._stream(request)(text)
        return replace(
            known, text=text, value=reading.value, note=reading.note or known.note, lost=reading.lost, attempts=(),
            fate=reading.fate if reading.fate is CallFate.MALFORMED else CallFate.CACHED, subject=request.subject,
            billed_prompt_tokens=0, billed_output_tokens=0, cost=0.0, error="",
        )  # fmt: skip

    async def _call(self, request: ChatRequest, base: str, key: str) -> CallResult:
        self.http()
        loop = asyncio.get_running_loop()
        began = loop.time()
        order = self._order(request, key)
        outcome = await self._exchange.make(order)
        result = self._result(request, key, order, outcome, loop.time() - began)
        await self._keep(result, base, outcome)
        self._settled(result)
        if outcome.stop is not None:
            raise outcome.stop
        return result

    def _order(self, request: ChatRequest, key: str) -> Order[ChatAnswer]:
        model = self.connection.model_for(request.stage)
        if not model:
            raise ModelStop(
                f"The connection {self.connection.name} has no model for {request.stage}; no call was made. Choose one."
            )
        if self.capped_in_money:
            refuse_unpriced(self.connection, [model])
        manner = self.manner(model)
        parameters = self._parameters(request)
        messages = tuple((role, valid_text(text)) for role, text in request.messages)
        counted = request.prompt_tokens
        if counted is None:
            counted = self._counter.count_messages(messages)
        if request.schema is not None and manner.mode != "json_schema":
            counted += self._counter.count_messages([("system", schema_words(request.schema))])
        sent: dict[str, object] = {}
        way: list[ReplyMode] = [manner.mode]

        async def send(malformed: int) -> Received[ChatAnswer]:
            way[0] = manner.mode_for(malformed)
            body = manner.chat_body(
                model, messages, request.schema, way[0], parameters, stream=request.stream is not None
            )
            sent.clear()
            sent.update(body)
            if body.get("stream"):
                answer = await self._streamed(request, body)
            else:
                answer = await send_chat(self.http(), body)
            return self._received(request, answer, counted, manner, way[0])

        def refused(said: str) -> bool:
            sentence = manner.refused(said, sent, way[0], model)
            self.tell_once(sentence or "")
            return sentence is not None

        limit = parameters.get("max_tokens", parameters.get("max_completion_tokens"))
        return Order(
            request.stage, request.subject, model, key, counted, send, refused,
            max_tokens=limit if isinstance(limit, int) else None, price=self.price(model),
        )  # fmt: skip

    async def _streamed(self, request: ChatRequest, body: dict[str, object]) -> ChatAnswer:
        hand_on = self._stream(request)
        came = False

        def piece(text: str) -> None:
            nonlocal came
            came = True
            hand_on(text)

        try:
            return await stream_chat(self.http(), body, piece)
        except BaseException:
            if came:
                hand_on("")  # what came so far is void: the text begins anew
            raise

    def _stream(self, request: ChatRequest) -> Callable[[str], None]:
        """Hands pieces of a text to whoever listens; an empty piece says that those before it are void."""

        def hand_on(text: str) -> None:
            if request.stream is not None:
                request.stream(self.hide(text))
                self._sink(TextStreamed(request.stage, self.hide(text)))

        return hand_on

    def _received(
        self, request: ChatRequest, answer: ChatAnswer, counted: int, manner: Manner, way: ReplyMode
    ) -> Received[ChatAnswer]:
        raw = self.hide(answer.text)
        reading = _read(request, without_thinking(raw))
        if request.schema is not None:
            followed = reading.fate is not CallFate.MALFORMED
            self.tell_once(manner.note(way, followed))
            if followed and manner.followed[way] == 1:
                self._remember(request, way)
        notes = [reading.note]
        if answer.finish == "length":
            notes.append("The reply was cut: it reached the most tokens that it may have (finish_reason length).")
        if answer.prompt_tokens is not None and counted >= _SHORT and answer.prompt_tokens < _CUT * counted:
            notes.append(f"The server read {answer.prompt_tokens:,} of the {counted:,} tokens of the prompt.")
            self.tell_once(
                f"The server cuts prompts: of {counted:,} tokens it read {answer.prompt_tokens:,}. Results lack what was "
                "cut. Start the server with a longer context, or make text units and budgets smaller."
            )
        reading = replace(reading, note=" ".join(note for note in notes if note))
        prompt = counted if answer.prompt_tokens is None else answer.prompt_tokens
        output = self._counter.count(raw) if answer.output_tokens is None else answer.output_tokens
        return Received(answer, raw, prompt, output, reading)

    def _remember(self, request: ChatRequest, way: ReplyMode) -> None:
        model = self.connection.model_for(request.stage)
        if model == self.connection.chat_model and way != self.connection.reply_mode:
            try:
                remember_reply_mode(self.connection, way)
            except ExplorerError as error:
                self.tell_once(error.sentence)

    def _result(
        self, request: ChatRequest, key: str, order: Order[ChatAnswer], outcome: Outcome[ChatAnswer], seconds: float
    ) -> CallResult:
        received = outcome.received
        attempts = tuple(replace(a, error=self.hide(a.error), text=self.hide(a.text)) for a in outcome.attempts)
        prompt = sum(attempt.prompt_tokens for attempt in attempts)
        output = sum(attempt.output_tokens for attempt in attempts)
        stands = outcome.fate in (CallFate.OK, CallFate.REPAIRED, CallFate.MALFORMED) and received is not None
        text = received.text if received is not None and stands else ""
        reading = received.reading if received is not None and stands else Reading(outcome.fate)
        return CallResult(
            key, request.stage, request.subject, text if outcome.fate is CallFate.MALFORMED else without_thinking(text),
            outcome.fate, order.model, request.messages, reading.value, reading.note, reading.lost,
            received.prompt_tokens if received is not None and stands else 0,
            received.output_tokens if received is not None and stands else 0,
            prompt, output, None if order.price is None else order.price.cost(prompt, output), seconds, attempts,
            self.hide(outcome.error),
        )  # fmt: skip

    async def _keep(self, result: CallResult, base: str, outcome: Outcome[ChatAnswer]) -> None:
        if self._writer is None:
            return
        raw = outcome.received.text if outcome.received is not None and result.text else ""
        stored = StoredCall(
            result.key, result.stage, raw, result.model, result.fate, result.prompt_tokens, result.output_tokens,
            result.seconds, result.retries, result.error or None, result.subject, result.messages, result.attempts,
            result.note, result.cost, result.billed_prompt_tokens, result.billed_output_tokens,
            "" if base == result.key else base,
        )  # fmt: skip
        await self.keep(stored)

    async def keep(self, call: StoredCall, vectors: dict[str, bytes] | None = None) -> None:
        """Keep a call; what cannot be kept ends the run, for it would be paid again."""
        if self._writer is None:
            return
        try:
            await self._writer.keep(call, vectors)
        except ExplorerError as error:
            self._admission.end(error)
            raise

    def _settled(self, result: CallResult) -> CallResult:
        """Count a result and say it."""
        self.settle(
            CallSettled(
                result.stage, result.fate.value, result.billed_prompt_tokens, result.billed_output_tokens,
                result.seconds if result.attempts else 0.0, result.key, result.subject, result.model, result.cost,
                result.retries, result.error, result.note,
            ),
            went_out=bool(result.attempts),
        )  # fmt: skip
        return result

    def settle(self, event: CallSettled, *, went_out: bool) -> None:
        """Count what a call cost and hand its event on."""
        spent = self._spent
        unknown = spent.cost is None or (event.cost is None and event.prompt_tokens + event.output_tokens > 0)
        self._spent = replace(
            spent,
            calls=spent.calls + went_out,
            cached=spent.cached + (event.fate == CallFate.CACHED.value),
            prompt_tokens=spent.prompt_tokens + event.prompt_tokens,
            output_tokens=spent.output_tokens + event.output_tokens,
            cost=None if unknown else (spent.cost or 0.0) + (event.cost or 0.0),
        )
        self._sink(event)

    @property
    def capped_in_money(self) -> bool:
        return self._max_cost is not None or self._scope.caps.get("max_cost") is not None

    @property
    def exchange(self) -> Exchange:
        return self._exchange

    @property
    def store(self) -> CallStore | None:
        return self._store

    @property
    def retry(self) -> frozenset[str] | None:
        return self._retry

    # -- the run

    async def _watch(self) -> None:
        """Look at the scope, which other threads change, until it is cancelled for good."""
        while not self._scope.abandoned:
            self._admission.look()
            await asyncio.sleep(POLL)
        self._admission.look()
        self._exchange.abandon()

    def _open_limits(self) -> RateLimits | None:
        ours = self.connection
        if ours.requests_per_minute is None and ours.tokens_per_minute is None:
            return None
        account = f"{ours.name}\n{self.address}"
        limits = (ours.requests_per_minute, ours.tokens_per_minute)
        try:
            return RateLimits(
                *limits, longest=ours.timeout, account=account, path=user_data_dir() / "limits.sqlite"
            )
        except (OSError, sqlite3.Error) as error:
            self.tell_once(
                f"The limits per minute are kept for this run alone ({type(error).__name__}: the user's data directory "
                "cannot be written to): a run started within the same minute does not know of this one's calls."
            )
            return RateLimits(*limits, longest=ours.timeout, account=account)


def _chat_models(connection: Connection) -> list[str]:
    return [model for stage, model in sorted(connection.stage_models.items()) if stage != "embed"]


def _read(request: ChatRequest, text: str) -> Reading:
    if request.read is None:
        return Reading(CallFate.OK, text)
    try:
        return request.read(text)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        return Reading(CallFate.MALFORMED, None, f"The reply could not be read ({type(error).__name__}).")


def _result(stored: StoredCall, request: ChatRequest) -> CallResult:
    """A call as it was recorded; it costs nothing now."""
    return CallResult(
        stored.key, stored.stage, request.subject, stored.reply, stored.fate, stored.model, request.messages,
        None, stored.note, {}, stored.prompt_tokens, stored.output_tokens, cost=0.0, error=stored.error or "",
    )  # fmt: skip
