"""What tests of the client share: a connection to a server, calls with a reader, a run in one line."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from explorer.base.events import Event
from explorer.base.fates import CallFate
from explorer.models.call_store import CallStore
from explorer.models.calls import CallResult, ChatRequest, Reading, ReplySchema
from explorer.models.client import ModelClient
from explorer.models.connection import Connection

R = TypeVar("R")

RATING = ReplySchema(
    "community_rating",
    {
        "type": "object",
        "properties": {"rating": {"type": "integer"}, "reason": {"type": "string"}},
        "required": ["rating", "reason"],
        "additionalProperties": False,
    },
)


def connection(url: str, **values: Any) -> Connection:
    return Connection(
        **{
            "name": "test", "base_url": url, "chat_model": "gpt-4.1-mini", "key": "none", "concurrency": 8,
            "embedding_model": "text-embedding-3-small", "timeout": 120.0, **values,
        }
    )  # fmt: skip


def read_rating(text: str) -> Reading:
    """A strict reader: one JSON object with an integer rating."""
    try:
        value = json.loads(text)
        if isinstance(value["rating"], int):
            return Reading(CallFate.OK, value["rating"])
    except (ValueError, KeyError, TypeError):
        pass
    return Reading(CallFate.MALFORMED, None, "no rating")


def rating(number: int = 0, **values: Any) -> ChatRequest:
    return ChatRequest(
        **{
            "stage": "rate",
            "messages": (("system", "You rate reports."), ("user", f"Text: report {number} of ships")),
            "schema": RATING, "subject": f"report {number}", "read": read_rating, **values,
        }
    )  # fmt: skip


def plain(number: int = 0, **values: Any) -> ChatRequest:
    return ChatRequest(
        **{
            "stage": "describe", "messages": (("user", f"Join these descriptions of thing {number}: a ship; a boat."),),
            "subject": f"thing {number}", **values,
        }
    )  # fmt: skip


def run(
    ours: Connection, work: Callable[[ModelClient], Awaitable[R]], store: CallStore | None = None,
    key: str | None = None, **values: Any,
) -> R:  # fmt: skip
    """Make a client, let `work` use it, close it."""

    async def whole() -> R:
        async with ModelClient(ours, key, store, **values) as client:
            return await work(client)

    return asyncio.run(whole())


def chat_all(requests: list[ChatRequest]) -> Callable[[ModelClient], Awaitable[list[CallResult]]]:
    async def work(client: ModelClient) -> list[CallResult]:
        return list(await asyncio.gather(*(client.chat(request) for request in requests)))

    return work


async def until(true: Callable[[], object], seconds: float = 120.0) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(seconds):
        while not true():
            await asyncio.sleep(0.02)


class Heard(list[Event]):
    """A sink that remembers."""

    def __call__(self, event: Event, /) -> None:
        self.append(event)

    def of(self, kind: type[R]) -> list[R]:
        return [event for event in self if isinstance(event, kind)]
