"""One model call: made, watched for a pause, a cancel or the end of the run, and written down whatever came of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace

from explorer.analysts.judgements import Reply, SearchAnalyst
from explorer.analysts.message import Message
from explorer.base.cancel import CancelScope
from explorer.base.errors import Cancelled, ExplorerError
from explorer.base.events import CallSettled
from explorer.base.fates import CallFate
from explorer.base.ledger import Account
from explorer.base.valid_text import valid_text
from explorer.models.faults import ModelStop
from explorer.models.prices import Price
from explorer.search.trace import AttemptEntry, CallEntry, MessageEntry, Stage
from explorer.search.watch import RunWatch

CallAccount = Account[CallFate]

_GLANCE = 0.05  # seconds between two looks at the scope while a call is out


def by_model(analyst: SearchAnalyst) -> bool:
    """Whether a model client makes the calls: it tells of them itself, and ends those that are out by itself."""
    return bool(getattr(analyst, "is_model", False))


async def make_call(
    call: Callable[[], Awaitable[Reply]],
    messages: tuple[Message, ...],
    prompt_tokens: int,
    scope: CancelScope | None,
    watch: RunWatch,
    *,
    model: tuple[str, str] | None = None,
) -> Reply | None:
    """The reply of a call, or None where the run was cancelled or stopped before it went out.

    `messages` and `prompt_tokens` stand in the record of a call that brings no reply of its own: one that was
    cancelled while it was out, or that raised (it failed, and `error` says why). `model` is the stage and subject of
    a call that a model client makes: it is waited for at a cancel, since the client knows what is out and paid for; and
    an ExplorerError of it ends the run: `watch` then holds its sentence.
    """
    if not await may_go_on(scope) or watch.stop:
        return None
    started = time.perf_counter()
    task = asyncio.ensure_future(call())
    try:
        while not task.done():
            await asyncio.wait({task}, timeout=None if scope is None else _GLANCE)
            if scope is not None and scope.cancelled and not task.done() and model is None:
                task.cancel()
                await asyncio.wait({task})
        reply = task.result()
        return replace(reply, text=valid_text(reply.text))
    except asyncio.CancelledError:
        if not task.done():  # this coroutine was cancelled, not the call
            task.cancel()
            raise
        return Reply("", messages, prompt_tokens, 0, "", CallFate.CANCELLED, time.perf_counter() - started)
    except Cancelled:
        if model is not None:
            return None  # it had not gone out
        return Reply("", messages, prompt_tokens, 0, "", CallFate.CANCELLED, time.perf_counter() - started)
    except ExplorerError as error:
        if model is None:
            return _failed(error, messages, prompt_tokens, started)
        return _stopped(error, messages, watch, watch.failed(*model), time.perf_counter() - started)
    except Exception as error:  # noqa: BLE001 - an analyst must not raise; where it does, the call has failed and the run goes on
        return _failed(error, messages, prompt_tokens, started)


def _stopped(
    error: ExplorerError, messages: tuple[Message, ...], watch: RunWatch, told: CallSettled | None, seconds: float
) -> Reply | None:
    """The call in which the run ended, or that was out then (`told`); None for one that never went out.

    Of a call that came back and could not be kept the client tells nothing: the first that says so is that call.
    """
    unkept = not watch.stop and not isinstance(error, ModelStop)
    watch.stop = watch.stop or valid_text(error.sentence)
    if told is not None:
        return Reply(
            "",
            messages,
            told.prompt_tokens,
            told.output_tokens,
            told.model,
            CallFate.FAILED,
            told.seconds,
            told.retries,
            billed=told.prompt_tokens + told.output_tokens > 0,
            error=valid_text(told.error or error.sentence),
            cost=told.cost,
            key=told.key,
        )
    if unkept:
        return Reply("", messages, 0, 0, "", CallFate.FAILED, seconds, billed=False, error=watch.stop, cost=0.0)
    return None


def _failed(error: Exception, messages: tuple[Message, ...], prompt_tokens: int, started: float) -> Reply:
    reason = valid_text(f"{type(error).__name__}: {error}")
    return Reply("", messages, prompt_tokens, 0, "", CallFate.FAILED, time.perf_counter() - started, error=reason)


async def may_go_on(scope: CancelScope | None) -> bool:
    """Wait while the scope is paused, without holding the loop. False once it is cancelled."""
    await asyncio.sleep(0)  # an analyst that never waits would hold the loop from its first call to its last
    while scope is not None and scope.paused and not scope.cancelled:
        await asyncio.sleep(_GLANCE)
    return scope is None or not scope.cancelled


def call_entry(
    call_id: str,
    stage: Stage,
    reply: Reply,
    fate: CallFate | None,
    *,
    sent: tuple[Message, ...],
    model: str,
    price: Price | None,
    reason: str = "",
    note: str = "",
) -> CallEntry:
    """The record of a call, with the tokens of all its attempts that were charged.

    Its cost is the one that the reply names, else `price` for its tokens (0 where it was not billed), and null where
    no price is known. `sent` and `model` stand in where the reply names none; `reason` says why a reply could not be
    read, `note` what was repaired in it.
    """
    prompt = reply.prompt_tokens if reply.billed_prompt_tokens is None else reply.billed_prompt_tokens
    output = reply.output_tokens if reply.billed_output_tokens is None else reply.billed_output_tokens
    cost = reply.cost
    if cost is None and price is not None:
        cost = price.cost(prompt, output) if reply.billed else 0.0
    error = reply.error or reason or None
    return CallEntry(
        id=call_id,
        stage=stage,
        fate=fate,
        model=reply.model or model,
        prompt_tokens=prompt,
        output_tokens=output,
        billed=reply.billed,
        cost=cost,
        seconds=round(reply.seconds, 6),
        retries=reply.retries,
        error=error,
        messages=[MessageEntry(role=message.role, content=message.content) for message in reply.messages or sent],
        reply=reply.text,
        key=reply.key,
        note="" if error and reply.note in error else valid_text(reply.note or note),
        attempts=[
            AttemptEntry(
                outcome=attempt.outcome,
                seconds=round(attempt.seconds, 6),
                waited=round(attempt.waited, 6),
                prompt_tokens=attempt.prompt_tokens,
                output_tokens=attempt.output_tokens,
                error=valid_text(attempt.error),
                reply="" if attempt.text == reply.text else valid_text(attempt.text),
            )
            for attempt in reply.attempts
        ],
    )
