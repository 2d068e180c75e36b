"""The client of a run: every call to a model goes through it, is kept, counted and priced, and is paid once."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from explorer.base.cancel import CancelScope
from explorer.base.errors import Cancelled, ExplorerError
from explorer.base.events import CallSettled, EventSink, Notice, ignore
from explorer.base.fates import CallFate
from explorer.base.paths import user_data_dir
from explorer.base.tokens import EncodingName
from explorer.models.admission import POLL, Admission
from explorer.models.budget import Budget, OutputSeen
from explorer.models.call_store import CallStore
from explorer.models.call_writer import CallWriter
from explorer.models.calls import CallResult, ChatRequest, EmbeddingResult
from explorer.models.chat import ChatCalls
from explorer.models.connection import Connection
from explorer.models.exchange import Exchange
from explorer.models.faults import ModelStop
from explorer.models.hide_key import HIDDEN, hide_key, spellings
from explorer.models.limits import RateLimits
from explorer.models.open_client import open_client, server_address
from explorer.models.prices import Price, price_for, refuse_unpriced
from explorer.models.reply_modes import Manner
from explorer.models.stored_call import StoredCall
from explorer.models.tokenizers import PromptCounter, tokenizer_of

if TYPE_CHECKING:
    from openai import AsyncOpenAI

__all__ = ["ModelClient", "ModelStop", "Spent"]


_FINISH = 60.0  # seconds that closing waits for calls in flight


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
        # How it may be spelled is found once; what is too short to be a secret is not hidden.
        self._spelled = () if key is None or hide_key(key, key) == key else spellings(key)
        self._store = store
        self._writer = None if store is None else CallWriter(store)
        self.sink = sink
        self._scope = scope or CancelScope()
        self._retry = retry
        self._max_cost = max_cost
        self.counter = PromptCounter(tokenizer_of(connection, connection.chat_model))
        self._prices: dict[str, Price | None] = {}
        self._manners: dict[str, Manner] = {}
        self._told: set[str] = set()
        self._chats = ChatCalls(self)
        self._spent = Spent()
        self._limits = self._open_limits()
        budget = Budget(max_cost=max_cost, max_calls=max_calls)
        self._admission = Admission(
            budget, self._limits, self._scope, sink, priced=self.price(connection.chat_model) is not None,
            patience=patience,
        )  # fmt: skip
        self._seen = OutputSeen()
        self._exchange = Exchange(
            connection, key, self._admission, sink, self._seen, count=self.counter.count,
            careful=max_cost is not None or connection.tokens_per_minute is not None,
        )  # fmt: skip
        self._http: AsyncOpenAI | None = None
        self._watcher: asyncio.Task[None] | None = None
        self._closed = False
        self._at_work = 0
        self._idle = asyncio.Event()
        self._idle.set()

    def __repr__(self) -> str:
        return f"ModelClient({self.connection.name!r})"

    @property
    def spent(self) -> Spent:
        return replace(self._spent, requests=self._admission.budget.requests)

    @property
    def tokenizer(self) -> EncodingName:
        return self.counter.name

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
        return self._chats.keys(request)[1]

    async def chat(self, request: ChatRequest) -> CallResult:
        """Make a chat call, or take its reply from the store. Never raises for a bad reply: the result says it.

        Pieces of a streamed text go to `request.stream` and to the sink; an empty piece says that those before it are
        void, because the attempt that brought them failed.
        """
        return await self._chats.chat(request)

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
        self._admission.close()
        try:
            async with asyncio.timeout(_FINISH):
                await self._idle.wait()
        except TimeoutError:
            self._exchange.abandon()
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

    # -- what `chat` and `embedding` use

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

    def tell_once(self, sentence: str, about: str = "") -> None:
        """A notice that the user need see once. `about` is the same for sentences that differ in their figures only."""
        if sentence and (about or sentence) not in self._told:
            self._told.add(about or sentence)
            self.sink(Notice(sentence))

    def refuse_unpriced(self, model: str) -> None:
        """Raise InputError where there is a cap in money, and the price of the model is not known."""
        if self._max_cost is not None or self._scope.caps.get("max_cost") is not None:
            refuse_unpriced(self.connection, [model])

    @asynccontextmanager
    async def busy(self) -> AsyncIterator[None]:
        """Around a call that may be out. Where the run ends, whoever is told so is told when no call is out any more:
        a program that stops at the first error then loses no reply that it pays for."""
        self._at_work += 1
        self._idle.clear()
        ended: Exception | None = None
        try:
            yield
        except (ExplorerError, Cancelled) as error:
            ended = error
        finally:
            self._at_work -= 1
            if self._at_work == 0:
                self._idle.set()
        if ended is not None:
            await self._idle.wait()
            raise ended

    def hide(self, text: str) -> str:
        """The text without the key, should a server repeat it."""
        for spelling in self._spelled:
            if spelling in text:
                text = text.replace(spelling, HIDDEN)
        return text

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
        self.sink(event)

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
            return RateLimits(*limits, longest=ours.timeout, account=account, path=user_data_dir() / "limits.sqlite")
        except (OSError, sqlite3.Error) as error:
            self.tell_once(
                f"The limits per minute are kept for this run alone ({type(error).__name__}: the user's data directory "
                "cannot be written to): a run started within the same minute does not know of this one's calls."
            )
            return RateLimits(*limits, longest=ours.timeout, account=account)


def _chat_models(connection: Connection) -> list[str]:
    return [model for stage, model in sorted(connection.stage_models.items()) if stage != "embed"]
