"""One chat call of a run: found in the store or made, read, kept and counted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from explorer.base.errors import ExplorerError
from explorer.base.events import CallSettled, TextStreamed
from explorer.base.fates import CallFate
from explorer.base.valid_text import valid_text
from explorer.models.calls import CallResult, ChatRequest, Reading
from explorer.models.connection import ReplyMode
from explorer.models.connections import remember_reply_mode
from explorer.models.exchange import Order, Outcome, Received
from explorer.models.faults import BadBody, ModelStop
from explorer.models.reply_modes import Manner, schema_words
from explorer.models.stored_call import HAND, StoredCall, call_key
from explorer.models.wire import ChatAnswer, send_chat, stream_chat, without_thinking

if TYPE_CHECKING:
    from explorer.models.client import ModelClient

_CUT = 0.6  # a server that counts less than this share of the prompt has cut it
_SHORT = 200  # tokens below which counts of tokenizers differ too much to tell


class ChatCalls:
    """The chat calls of one client. The same call, asked twice at one time, is made and paid once."""

    def __init__(self, client: ModelClient) -> None:
        self._client = client
        self._going: dict[str, asyncio.Future[CallResult]] = {}

    async def chat(self, request: ChatRequest) -> CallResult:
        """Make a call, or take its reply from the store; see `ModelClient.chat`."""
        base, key = self.keys(request)
        while key in self._going:
            going = self._going[key]
            try:
                first = await asyncio.shield(going)
            except asyncio.CancelledError:
                if going.cancelled() and not _being_cancelled():
                    continue  # whoever made it was broken off; this one was not
                raise
            if first.usable:
                return self._settled(self._again(request, first))
            return self._settled(replace(first, attempts=(), cost=0.0, billed_prompt_tokens=0, billed_output_tokens=0))
        found = self._from_store(request, base, key)
        if found is not None:
            return self._settled(found)
        going = asyncio.get_running_loop().create_future()
        self._going[key] = going
        try:
            result = await self._call(request, base, key)
            going.set_result(result)
            return result
        except Exception as error:
            going.set_exception(error)
            going.exception()  # whoever waits raises it as well; nobody need
            raise
        finally:
            del self._going[key]
            going.cancel()  # no effect where it has its result

    def keys(self, request: ChatRequest) -> tuple[str, str]:
        """The key of a request's call without repeats by hand, and with them."""
        ours = self._client.connection

        def with_ordinal(ordinal: int) -> str:
            return call_key(
                base_url=self._client.address,
                model=ours.model_for(request.stage),
                messages=request.messages,
                parameters=self._parameters(request),
                schema=None if request.schema is None else {request.schema.name: request.schema.schema},
                ordinal=ordinal,
            )

        base = with_ordinal(request.repeat)
        hand = 0 if self._client.store is None else self._client.store.repeats(base)
        return base, base if hand == 0 else with_ordinal(request.repeat + hand * HAND)

    def _parameters(self, request: ChatRequest) -> dict[str, object]:
        ours = self._client.connection
        return {**request.parameters, **ours.parameters, **ours.stage_parameters.get(request.stage, {})}

    def _from_store(self, request: ChatRequest, base: str, key: str) -> CallResult | None:
        store, retry = self._client.store, self._client.retry
        if store is None:
            return None
        stored = store.get(key)
        if stored is not None:
            result = self._again(request, _result(stored, request))
            if result.fate is not CallFate.MALFORMED:
                return result
        if retry is not None and key not in retry and base not in retry:
            newest = store.newest(key)
            if newest is not None and newest.fate in (CallFate.FAILED, CallFate.MALFORMED):
                return _result(newest, request)
        return None

    def _again(self, request: ChatRequest, known: CallResult) -> CallResult:
        """A reply that is there already, read by this request's reader; it costs nothing."""
        text = without_thinking(known.text)
        reading = _read(request, text)
        malformed = reading.fate is CallFate.MALFORMED
        if not malformed:
            self._stream(request)(text)
        return replace(
            known, text=text, value=reading.value, note=reading.note or known.note, lost=reading.lost, attempts=(),
            fate=CallFate.MALFORMED if malformed else CallFate.CACHED, subject=request.subject,
            billed_prompt_tokens=0, billed_output_tokens=0, cost=0.0, error="",
        )  # fmt: skip

    async def _call(self, request: ChatRequest, base: str, key: str) -> CallResult:
        self._client.http()
        loop = asyncio.get_running_loop()
        began = loop.time()
        order = self._order(request, key)
        async with self._client.busy(), self._client.exchange.making(order) as outcome:
            result = self._result(request, key, order, outcome, loop.time() - began)
            await self._keep(result, base, outcome)
            self._settled(result)
            if outcome.stop is not None:
                raise outcome.stop
        return result

    def _order(self, request: ChatRequest, key: str) -> Order[ChatAnswer]:
        client = self._client
        model = client.connection.model_for(request.stage)
        if not model:
            ours = client.connection.name
            raise ModelStop(f"The connection {ours} has no model for {request.stage}; no call was made. Choose one.")
        client.refuse_unpriced(model)
        manner = client.manner(model)
        parameters = self._parameters(request)
        messages = tuple((role, valid_text(text)) for role, text in request.messages)
        counted = request.prompt_tokens
        if counted is None:
            counted = client.counter.count_messages(messages)
        if request.schema is not None and manner.mode != "json_schema":
            counted += client.counter.count_messages([("system", schema_words(request.schema))])
        window = client.connection.context_window
        if window is not None and counted > window:
            client.tell_once(
                f"A prompt of {counted:,} tokens is longer than the context window of {window:,} that the connection "
                "names: the server will refuse or cut it. Make text units and budgets smaller, or correct the window.",
                "longer than the window",
            )
        sent: dict[str, object] = {}
        way: list[ReplyMode] = [manner.mode]

        async def send(malformed: int) -> Received[ChatAnswer]:
            way[0] = manner.mode_for(malformed)
            streams = request.stream is not None and manner.streams
            body = manner.chat_body(model, messages, request.schema, way[0], parameters, stream=streams)
            sent.clear()
            sent.update(body)
            if streams:
                answer = await self._streamed(request, body, manner)
            else:
                answer = await send_chat(client.http(), body)
                self._stream(request)(answer.text)
            received = self._received(request, answer, counted, manner, way[0])
            # A reply that is cut twice would be cut a third time.
            return replace(received, hopeless=answer.finish == "length" and malformed > 0)

        def refused(said: str) -> bool:
            sentence = manner.refused(said, sent, way[0], model)
            client.tell_once(sentence or "")
            return sentence is not None

        limit = parameters.get("max_tokens", parameters.get("max_completion_tokens"))
        return Order(
            request.stage, request.subject, model, key, counted, send, refused,
            max_tokens=limit if isinstance(limit, int) else None, price=client.price(model),
        )  # fmt: skip

    async def _streamed(self, request: ChatRequest, body: dict[str, object], manner: Manner) -> ChatAnswer:
        hand_on = self._stream(request)
        came = False

        def piece(text: str) -> None:
            nonlocal came
            came = True
            hand_on(text)

        try:
            return await stream_chat(self._client.http(), body, piece)
        except BaseException as error:
            if isinstance(error, BadBody) and error.outcome == "empty" and not came:
                manner.streams = False  # some servers take the wish and stream nothing
            if came:
                hand_on("")  # what came so far is void: the text begins anew
            raise

    def _stream(self, request: ChatRequest) -> Callable[[str], None]:
        """Hands pieces of a text to whoever listens; an empty piece says that those before it are void."""

        def hand_on(text: str) -> None:
            if request.stream is not None:
                shown = self._client.hide(text)
                request.stream(shown)
                self._client.sink(TextStreamed(request.stage, shown))

        return hand_on

    def _received(
        self, request: ChatRequest, answer: ChatAnswer, counted: int, manner: Manner, way: ReplyMode
    ) -> Received[ChatAnswer]:
        client = self._client
        raw = client.hide(answer.text)
        reading = _read(request, without_thinking(raw))
        if request.schema is not None:
            followed = reading.fate is not CallFate.MALFORMED
            client.tell_once(manner.note(way, followed))
            if followed and manner.followed[way] == 1:
                self._remember(request, way)
        notes = [reading.note]
        if answer.finish == "length":
            notes.append("The reply was cut: it reached the most tokens that it may have (finish_reason length).")
        read = answer.prompt_tokens
        if read is not None and counted >= _SHORT and read < _CUT * counted:
            notes.append(f"The server read {read:,} of the {counted:,} tokens of the prompt.")
            client.tell_once(
                f"The server cuts prompts: of {counted:,} tokens it read {read:,}. Results lack what was cut. Start "
                "the server with a longer context, or make text units and budgets smaller.",
                "cuts prompts",
            )
        reading = replace(reading, note=" ".join(note for note in notes if note))
        output = client.counter.count(raw) if answer.output_tokens is None else answer.output_tokens
        return Received(answer, raw, counted if read is None else read, output, reading)

    def _remember(self, request: ChatRequest, way: ReplyMode) -> None:
        ours = self._client.connection
        if ours.model_for(request.stage) == ours.chat_model and way != ours.reply_mode:
            try:
                remember_reply_mode(ours, way)
            except ExplorerError as error:
                self._client.tell_once(error.sentence)

    def _result(
        self, request: ChatRequest, key: str, order: Order[ChatAnswer], outcome: Outcome[ChatAnswer], seconds: float
    ) -> CallResult:
        hide = self._client.hide
        attempts = tuple(replace(a, error=hide(a.error), text=hide(a.text)) for a in outcome.attempts)
        prompt = sum(attempt.prompt_tokens for attempt in attempts)
        output = sum(attempt.output_tokens for attempt in attempts)
        known = order.price is not None or prompt + output == 0
        bare = CallResult(
            key, request.stage, request.subject, "", outcome.fate, order.model, request.messages, seconds=seconds,
            billed_prompt_tokens=prompt, billed_output_tokens=output, attempts=attempts, error=hide(outcome.error),
            cost=None if not known else 0.0 if order.price is None else order.price.cost(prompt, output),
        )  # fmt: skip
        received = outcome.received
        if received is None or outcome.fate not in (CallFate.OK, CallFate.REPAIRED, CallFate.MALFORMED):
            return bare
        return replace(
            bare, text=without_thinking(received.text), value=received.reading.value, note=received.reading.note,
            lost=received.reading.lost, prompt_tokens=received.prompt_tokens, output_tokens=received.output_tokens,
        )  # fmt: skip

    async def _keep(self, result: CallResult, base: str, outcome: Outcome[ChatAnswer]) -> None:
        raw = outcome.received.text if outcome.received is not None and result.text else ""
        await self._client.keep(
            StoredCall(
                result.key, result.stage, raw, result.model, result.fate, result.prompt_tokens, result.output_tokens,
                result.seconds, result.retries, result.error or None, result.subject, result.messages, result.attempts,
                result.note, result.cost, result.billed_prompt_tokens, result.billed_output_tokens,
                "" if base == result.key else base,
            )
        )  # fmt: skip

    def _settled(self, result: CallResult) -> CallResult:
        """Count a result and say it."""
        self._client.settle(
            CallSettled(
                result.stage, result.fate.value, result.billed_prompt_tokens, result.billed_output_tokens,
                result.seconds if result.attempts else 0.0, result.key, result.subject, result.model, result.cost,
                result.retries, result.error, result.note,
            ),
            went_out=bool(result.attempts),
        )  # fmt: skip
        return result


def _being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


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
