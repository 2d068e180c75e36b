"""The test of a connection on the engine: its lines as they come, and a way to stop it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from explorer.base.cancel import CancelScope
from explorer.base.errors import Cancelled
from explorer.base.events import EventSink

if TYPE_CHECKING:
    from explorer.models.check_report import ConnectionReport
    from explorer.models.connection import Connection
    from explorer.models.keys import Keys

_LOOK = 0.1  # seconds between two looks at whether the person has stopped it


def check_work(
    connection: Connection, keys: Keys, typed: str
) -> Callable[[EventSink, CancelScope], Coroutine[Any, Any, ConnectionReport]]:
    """Work for the engine: it finds the key (on the job's thread), then tests the connection on the loop.

    `typed` is a key that was entered and is not kept yet; it stands before the kept one. Lines reach the job's
    listener as events. Raises KeyMissing where there should be a key and is none.
    """

    def work(sink: EventSink, scope: CancelScope) -> Coroutine[Any, Any, ConnectionReport]:
        from explorer.models.keys import checked

        key = checked(typed) if typed else keys.get(connection)
        return _check(connection, key, sink, scope)

    return work


async def _check(connection: Connection, key: str | None, sink: Any, scope: CancelScope) -> ConnectionReport:
    from explorer.models.check_connection import check_connection

    task = asyncio.ensure_future(check_connection(connection, key, say=sink))
    try:
        while not task.done():
            if scope.cancelled:
                raise Cancelled
            await asyncio.wait({task}, timeout=_LOOK)
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task})
    return task.result()
