"""One asyncio loop in one thread, for the model calls of a run: code that is not async hands its coroutines over."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, TypeVar

R = TypeVar("R")

_JOIN = 10.0  # seconds that `close` waits for the thread


class ModelLoop:
    """Runs coroutines from code that is not async. A context manager; `close` leaves no thread behind.

    The client of a run is made, used and closed inside the loop: `loop.run(...)` for each step. Safe from several
    threads at once; never call `run` from the loop's own thread.
    """

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._work, name="explorer-models", daemon=True)
        self._thread.start()

    def submit(self, coroutine: Coroutine[Any, Any, R]) -> concurrent.futures.Future[R]:
        """Start a coroutine and return at once; the future's `cancel` cancels it."""
        if self._loop.is_closed():
            coroutine.close()
            raise RuntimeError("the loop of the model calls was closed")
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def run(self, coroutine: Coroutine[Any, Any, R]) -> R:
        """Run a coroutine to its end and return its result, or raise what it raised.

        Where the waiting thread is interrupted (Ctrl+C), the coroutine is cancelled first.
        """
        future = self.submit(coroutine)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        """Cancel what still runs, end the thread and close the loop. A second call does nothing."""
        if self._loop.is_closed():
            return
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_JOIN)

    def __enter__(self) -> ModelLoop:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _work(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
            left = asyncio.all_tasks(self._loop)
            for task in left:
                task.cancel()
            if left:
                self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
        finally:
            asyncio.set_event_loop(None)
            self._loop.close()
