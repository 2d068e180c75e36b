"""One model call: made, watched for a pause or a cancel, and written down whatever became of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace

from explorer.analysts.judgements import Message, Reply
from explorer.base.cancel import CancelScope
from explorer.base.errors import Cancelled
from explorer.base.fates import CallFate
from explorer.base.ledger import Account
from explorer.base.valid_text import valid_text
from explorer.models.prices import Price
from explorer.search.trace import CallEntry, MessageEntry, Stage

CallAccount = Account[CallFate]

_GLANCE = 0.05  # seconds between two looks at the scope while a call is out


async def make_call(
    call: Callable[[], Awaitable[Reply]], messages: tuple[Message, ...], prompt_tokens: int, scope: CancelScope | None
) -> Reply | None:
    """The reply of a call, or None where the scope was cancelled before it went out.

    `messages` and `prompt_tokens` stand in the record of a call that brings no reply of its own: one that was
    cancelled while it was out, or that raised (it failed, and `error` says why).
    """
    if not await may_go_on(scope):
        return None
    started = time.perf_counter()
    task = asyncio.ensure_future(call())
    try:
        while not task.done():
            await asyncio.wait({task}, timeout=None if scope is None else _GLANCE)
            if scope is not None and scope.cancelled and not task.done():
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
        return Reply("", messages, prompt_tokens, 0, "", CallFate.CANCELLED, time.perf_counter() - started)
    except Exception as error:  # noqa: BLE001 - an analyst must not raise; where it does, the call has failed and the run goes on
        reason = valid_text(f"{type(error).__name__}: {error}")
        seconds = time.perf_counter() - started
        return Reply("", messages, prompt_tokens, 0, "", CallFate.FAILED, seconds, error=reason)


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
) -> CallEntry:
    """The record of a call. It costs nothing where it was not billed, and its cost is null where no price is known.

    `sent` and `model` stand in where the reply names none; `reason` says why a reply could not be read.
    """
    cost = None
    if price is not None:
        cost = price.cost(reply.prompt_tokens, reply.output_tokens) if reply.billed else 0.0
    return CallEntry(
        id=call_id,
        stage=stage,
        fate=fate,
        model=reply.model or model,
        prompt_tokens=reply.prompt_tokens,
        output_tokens=reply.output_tokens,
        billed=reply.billed,
        cost=cost,
        seconds=round(reply.seconds, 6),
        retries=reply.retries,
        error=reply.error or reason or None,
        messages=[MessageEntry(role=message.role, content=message.content) for message in reply.messages or sent],
        reply=reply.text,
    )
