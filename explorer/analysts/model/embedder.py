"""Vectors from a connection's embedding model, through the client that counts, stores and limits every call.

A text that is longer than such a model reads is embedded in parts and the parts averaged, at unit length again, as
GraphRAG does it (batch_max_tokens 8191, overlap 100): it is never cut in silence.
"""

from __future__ import annotations

import math
from collections.abc import Coroutine, Sequence
from itertools import islice
from typing import Any, Protocol, TypeVar

from explorer.analysts.judgements import CallCount
from explorer.base.cancel import CancelScope
from explorer.base.events import EventSink, StageProgress
from explorer.base.tokens import EncodingName, encoding
from explorer.models.calls import EmbeddingResult
from explorer.models.connection import Connection

STAGE = "embed"
LONGEST, OVERLAP = 8191, 100  # tokens
_CALL_TEXTS = 16

Result = TypeVar("Result")
Vector = tuple[float, ...]


class EmbeddingClient(Protocol):
    """What is needed of the model client."""

    async def embed(
        self, texts: Sequence[str], *, subjects: Sequence[str] | None = None, stage: str = "embed"
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
        self._tokenizer: EncodingName = connection.tokenizer or "cl100k_base"
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

    def embed(self, texts: Sequence[str], *, sink: EventSink, scope: CancelScope) -> list[Vector | None]:
        """See Embedder. Raises Cancelled, and ModelStop where no call can succeed."""
        scope.checkpoint()
        parts = [self._parts(text) for text in texts]
        result = self._loop.run(self._client.embed([part for text in parts for part in text]))
        self._count(result)
        vectors = iter(result.vectors)
        found = [_joined(list(islice(vectors, len(text)))) for text in parts]
        for vector in found:
            if vector is not None:
                self._dimension = len(vector)
        if None in found:
            self._error = result.error or "the server gave no vector"
        sink(StageProgress(STAGE, len(texts), len(texts)))
        return found

    def _parts(self, text: str) -> list[str]:
        """A text in pieces of at most LONGEST tokens, each beginning OVERLAP tokens before the last one's end."""
        if len(text.encode("utf-8", "replace")) <= LONGEST:  # no token is shorter than a byte
            return [text]
        coder = encoding(self._tokenizer)
        tokens = coder.encode_ordinary(text)
        if len(tokens) <= LONGEST:
            return [text]
        starts = range(0, len(tokens) - OVERLAP, LONGEST - OVERLAP)
        return [coder.decode(tokens[start : start + LONGEST]) for start in starts]

    def _count(self, result: EmbeddingResult) -> None:
        spent = self._spent
        known = result.cost is not None and (spent.cost is not None or not spent.count)
        self._spent = CallCount(
            count=spent.count + result.calls,
            cached=spent.cached + result.cached,
            failed=spent.failed + result.failed,
            prompt_tokens=spent.prompt_tokens + result.prompt_tokens,
            cost=(spent.cost or 0.0) + (result.cost or 0.0) if known else None,
        )


def _joined(parts: list[Vector | None]) -> Vector | None:
    """One part's vector as it came; of several the mean at unit length; None where one of them is missing."""
    whole = [part for part in parts if part is not None]
    if len(whole) != len(parts):
        return None
    if len(whole) == 1:
        return whole[0]
    mean = [math.fsum(column) / len(whole) for column in zip(*whole, strict=True)]
    length = math.hypot(*mean)
    return tuple(value / length for value in mean) if length else tuple(mean)
