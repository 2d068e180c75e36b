"""Vectors from a connection's embedding model, through the client that counts, stores and limits every call."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from typing import Any, Protocol, TypeVar

from explorer.analysts.judgements import CallCount
from explorer.base.cancel import CancelScope
from explorer.base.events import EventSink, StageProgress
from explorer.models.calls import EmbeddingResult
from explorer.models.connection import Connection

STAGE = "embed"
_CALL_TEXTS = 16  # in one call of the client's, as in GraphRAG

Result = TypeVar("Result")


class EmbeddingClient(Protocol):
    """What is needed of the model client, which splits texts that are too long and never cuts one."""

    async def embed(
        self, texts: Sequence[str], *, subjects: Sequence[str] | None = None, stage: str = STAGE
    ) -> EmbeddingResult: ...


class Loop(Protocol):
    """Runs a coroutine from code that is not async; explorer.models.loop.ModelLoop is one."""

    def run(self, work: Coroutine[Any, Any, Result], /) -> Result: ...


class ModelEmbedder:
    """An Embedder that asks a connection.

    Parameters
    ----------
    client: makes the calls and sends their events to its own sink.
    loop: runs them beside the thread that asks.
    connection: names the embedding model, and how many calls are out at one time; as many are asked for at once.
    dimension: the length of its vectors where it is known already.
    """

    def __init__(
        self, client: EmbeddingClient, loop: Loop, *, connection: Connection, dimension: int | None = None
    ) -> None:
        self.name = connection.name
        self.model = connection.model_for(STAGE)
        self.batch = _CALL_TEXTS * connection.concurrency
        self._client, self._loop = client, loop
        self._dimension = dimension
        self._error = ""
        self._spent = CallCount()

    @property
    def dimension(self) -> int | None:
        return self._dimension

    @property
    def error(self) -> str:
        return self._error

    @property
    def spent(self) -> CallCount:
        return self._spent

    def remark(self) -> str:
        return ""

    def embed(self, texts: Sequence[str], *, sink: EventSink, scope: CancelScope) -> list[tuple[float, ...] | None]:
        """See Embedder. Raises Cancelled, and ModelStop where no call can succeed."""
        scope.checkpoint()
        result = self._loop.run(self._client.embed(texts, stage=STAGE))
        self._count(result)
        for vector in result.vectors:
            if vector is not None:
                self._dimension = len(vector)
            else:
                self._error = result.error or "the server gave no vector"
        sink(StageProgress(STAGE, len(texts), len(texts)))
        return list(result.vectors)

    def _count(self, result: EmbeddingResult) -> None:
        spent = self._spent
        known = result.cost is not None and (spent.cost is not None or not spent.count)
        self._spent = CallCount(
            count=spent.count + result.calls + result.cached,  # as the events of calls are counted
            cached=spent.cached + result.cached,
            failed=spent.failed + result.failed,
            prompt_tokens=spent.prompt_tokens + result.prompt_tokens,
            cost=(spent.cost or 0.0) + (result.cost or 0.0) if known else None,
        )
