"""The embedder of a connection: order, failures, what it spent."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any

import pytest

from explorer.analysts.judgements import Embedder
from explorer.analysts.model.embedder import ModelEmbedder
from explorer.base.cancel import CancelScope
from explorer.base.errors import Cancelled
from explorer.base.events import ignore
from explorer.models.calls import EmbeddingResult
from explorer.models.connection import Connection

CONNECTION = Connection(name="mine", base_url="http://localhost:1", embedding_model="m", concurrency=2)


class Here:
    def run(self, work: Coroutine[Any, Any, Any], /) -> Any:
        return asyncio.run(work)


class Client:
    def __init__(self, cost: float | None = 0.25) -> None:
        self.asked: list[str] = []
        self.cost = cost

    async def embed(
        self, texts: Sequence[str], *, subjects: Sequence[str] | None = None, stage: str = "embed"
    ) -> EmbeddingResult:
        self.asked += texts
        vectors = tuple(None if "bad" in text else (float(len(text)), 1.0) for text in texts)
        error = "HTTP 500" if None in vectors else ""
        return EmbeddingResult(
            vectors, "m", calls=2, cached=1, failed=vectors.count(None), prompt_tokens=7, cost=self.cost, error=error
        )


def make(client: Client) -> ModelEmbedder:
    return ModelEmbedder(client, Here(), connection=CONNECTION)


def test_vectors_as_they_came_in_order() -> None:
    embedder = make(Client())
    assert isinstance(embedder, Embedder)
    assert (embedder.name, embedder.model, embedder.dimension, embedder.batch) == ("mine", "m", None, 32)
    found = embedder.embed(["a", "bad", "ccc"], sink=ignore, scope=CancelScope())
    assert found == [(1.0, 1.0), None, (3.0, 1.0)]
    assert (embedder.dimension, embedder.error) == (2, "HTTP 500")


def test_what_it_spent() -> None:
    embedder = make(Client())
    for _ in range(2):
        embedder.embed(["a"], sink=ignore, scope=CancelScope())
    spent = embedder.spent
    assert (spent.count, spent.cached, spent.prompt_tokens, spent.cost) == (6, 2, 14, 0.5)
    unpriced = make(Client(cost=None))
    unpriced.embed(["a"], sink=ignore, scope=CancelScope())
    assert unpriced.spent.cost is None  # unknown, never 0


def test_nothing_is_asked_after_a_cancel() -> None:
    client, scope = Client(), CancelScope()
    scope.cancel()
    with pytest.raises(Cancelled):
        make(client).embed(["a"], sink=ignore, scope=scope)
    assert client.asked == []
