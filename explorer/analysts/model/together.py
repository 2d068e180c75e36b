"""Many conversations at a time, each for one item, with the results in the order of the items."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from explorer.base.cancel import CancelScope
from explorer.base.errors import Cancelled
from explorer.base.events import EventSink, StageProgress

Item = TypeVar("Item")
Result = TypeVar("Result")

WIDEST = 1024  # items under way; the client lets out far fewer calls, but each item holds its prompt in memory


async def together(
    items: Sequence[Item],
    work: Callable[[Item], Awaitable[Result]],
    *,
    stage: str,
    sink: EventSink,
    scope: CancelScope,
) -> list[Result]:
    """Run `work` for every item, many at a time, and send StageProgress as they end.

    Once the scope is cancelled or one item raised, no other is begun, but those under way end by themselves: a call
    that is out is paid, and its reply must be kept. Then the first error is raised, before any Cancelled.
    """
    results: dict[int, Result] = {}
    errors: list[Exception] = []
    waiting = iter(range(len(items)))

    async def take() -> None:
        for number in waiting:
            if scope.cancelled and not errors:
                errors.append(Cancelled())
            if errors:
                return
            try:
                results[number] = await work(items[number])
            except Exception as error:  # noqa: BLE001  # raised below, when the calls that are out have come in
                errors.append(error)
                return
            sink(StageProgress(stage, len(results), len(items)))

    await asyncio.gather(*(take() for _ in range(min(WIDEST, len(items)))))
    if errors:
        raise next((error for error in errors if not isinstance(error, Cancelled)), errors[0])
    return [results[number] for number in range(len(items))]
