"""Keeps calls in the store from a thread of its own, so that no commit ever holds the loop. Replies that come while a
commit is on its way share the next one."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from explorer.base.errors import StorageError
from explorer.models.call_store import CallStore
from explorer.models.stored_call import StoredCall

_MOST = 256  # calls in one commit


@dataclass
class _Job:
    call: StoredCall
    vectors: Mapping[str, bytes]
    loop: asyncio.AbstractEventLoop
    done: asyncio.Future[None] = field(init=False)

    def __post_init__(self) -> None:
        self.done = self.loop.create_future()


class CallWriter:
    """Writes to one call store for the loop in which it is used. The thread begins with the first call to keep."""

    def __init__(self, store: CallStore) -> None:
        self._store = store
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    async def keep(self, call: StoredCall, vectors: Mapping[str, bytes] | None = None) -> None:
        """Returns when the call is on disk; a call handed over is kept even where the waiting task is cancelled.

        Raises StorageError where the disk is full or refuses.
        """
        await asyncio.shield(self.hand_over(call, vectors))

    def hand_over(self, call: StoredCall, vectors: Mapping[str, bytes] | None = None) -> asyncio.Future[None]:
        """Have a call kept without waiting for it."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="explorer-calls", daemon=True)
            self._thread.start()
        job = _Job(call, vectors or {}, asyncio.get_running_loop())
        self._jobs.put(job)
        return job.done

    def close(self) -> None:
        """Keep what was handed over and end the thread."""
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join()
            self._thread = None

    def _work(self) -> None:
        ended = False
        while not ended:
            job = self._jobs.get()
            batch: list[_Job] = []
            while job is not None:
                batch.append(job)
                if len(batch) == _MOST:
                    break
                try:
                    job = self._jobs.get_nowait()
                except queue.Empty:
                    break
            ended = job is None
            if batch:
                self._commit(batch)

    def _commit(self, batch: list[_Job]) -> None:
        error: StorageError | None = None
        vectors = {key: vector for job in batch for key, vector in job.vectors.items()}
        try:
            self._store.put_all([job.call for job in batch], vectors)
        except StorageError as caught:
            error = caught
        for job in batch:
            try:
                job.loop.call_soon_threadsafe(_settle, job.done, error)
            except RuntimeError:  # the loop was closed meanwhile: nobody waits any more
                continue


def _settle(done: asyncio.Future[None], error: StorageError | None) -> None:
    if done.cancelled():
        return
    if error is None:
        done.set_result(None)
    else:
        done.set_exception(error)
