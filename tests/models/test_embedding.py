"""Vectors through the client: each text paid once, the server's own numbers, long texts in pieces."""

from __future__ import annotations

import math
from array import array
from pathlib import Path

import pytest

from explorer.base.events import CallSettled
from explorer.base.tokens import count_tokens, encoding
from explorer.models.call_store import CallStore
from explorer.models.calls import EmbeddingResult
from explorer.models.client import ModelClient, ModelStop
from explorer.models.embedding import split_text
from tests.models.calling import Heard, chat_all, connection, plain, run
from tests.servers.running import RunningServer
from tests.servers.vectors import embed as server_vector


def vectors_of(texts: list[str], **values: object) -> object:
    async def work(client: ModelClient) -> EmbeddingResult:
        return await client.embed(texts, subjects=[f"text {n}" for n in range(len(texts))])

    return work


@pytest.fixture
def store(tmp_path: Path) -> CallStore:
    with CallStore(tmp_path / "calls.sqlite") as opened:
        yield opened


@pytest.mark.parametrize("base64", [True, False])
def test_vectors_are_those_of_the_server_in_the_order_of_the_texts(
    model_server: RunningServer, store: CallStore, base64: bool
) -> None:
    model_server.set(refused_parameters=[] if base64 else ["encoding_format"], dimension=64)
    texts = [f"a text about ship {n}" for n in range(37)]
    texts.insert(5, "")
    result = run(connection(model_server.url), vectors_of(texts), store)
    assert result.vectors[5] is None
    for text, vector in zip(texts, result.vectors, strict=True):
        if text:
            assert vector == pytest.approx(tuple(array("f", server_vector(text, 64))), abs=1e-7)
    log = [entry for entry in model_server.log("embeddings") if entry.outcome == "ok"]
    assert [len(entry.texts) for entry in log] == [16, 16, 5]
    assert result.prompt_tokens == sum(entry.prompt_tokens for entry in log) and result.calls == 3
    assert result.cost == pytest.approx(result.prompt_tokens * 0.02 / 1e6)


def test_a_text_is_paid_once_whatever_stands_beside_it(model_server: RunningServer, store: CallStore) -> None:
    texts = [f"a text about ship {n}" for n in range(20)]
    first = run(connection(model_server.url), vectors_of(texts), store)
    changed = ["a new text", *texts, texts[3]]
    heard = Heard()
    second = run(connection(model_server.url), vectors_of(changed), store, sink=heard)
    assert second.vectors[1:21] == first.vectors and second.vectors[21] == first.vectors[3]
    assert [len(entry.texts) for entry in model_server.log("embeddings")] == [16, 4, 1]
    assert (second.calls, second.cached) == (1, 2)
    assert sorted(event.fate for event in heard.of(CallSettled)) == ["cached", "cached", "ok"]


def test_another_model_or_dimension_is_another_vector(model_server: RunningServer, store: CallStore) -> None:
    run(connection(model_server.url), vectors_of(["a ship"]), store)
    short = connection(model_server.url, stage_parameters={"embed": {"dimensions": 32}})
    assert len(run(short, vectors_of(["a ship"]), store).vectors[0]) == 32
    other = connection(model_server.url, embedding_model="other")
    assert run(other, vectors_of(["a ship"]), store).calls == 1


def test_a_long_text_is_split_with_an_overlap_averaged_and_brought_to_unit_length(
    model_server: RunningServer, store: CallStore
) -> None:
    text = " ".join(f"word{n}" for n in range(6000))
    total = count_tokens(text, "cl100k_base")
    assert total > 8191
    pieces = split_text(text, "cl100k_base")
    assert pieces[0][1] == 8191
    assert sum(tokens for _, tokens in pieces) == total + 100 * (len(pieces) - 1)
    coder = encoding("cl100k_base")
    tail = coder.encode_ordinary(text)[8191 - 100 : 8191]
    assert pieces[1][0].startswith(coder.decode(tail))
    result = run(connection(model_server.url), vectors_of([text]), store)
    parts = [server_vector(piece, 384) for piece, _ in pieces]
    mean = [sum(column) / len(parts) for column in zip(*parts, strict=True)]
    length = math.sqrt(sum(number * number for number in mean))
    assert result.vectors[0] == pytest.approx([number / length for number in mean], abs=1e-6)
    assert math.fsum(n * n for n in result.vectors[0]) == pytest.approx(1.0, abs=1e-6)
    again = run(connection(model_server.url), vectors_of([text]), store)
    assert again.vectors == result.vectors and again.calls == 0


def test_batches_hold_no_more_tokens_than_one_request_may(model_server: RunningServer) -> None:
    texts = [f"{n} " + "ship " * 3000 for n in range(5)]
    run(connection(model_server.url), vectors_of(texts))
    assert [len(entry.texts) for entry in model_server.log("embeddings")] == [2, 2, 1]


def test_a_batch_that_fails_leaves_the_others_and_is_made_again(model_server: RunningServer, store: CallStore) -> None:
    model_server.set(faults=[{"fault": "500", "path": "embeddings", "after": 1, "times": 1}])
    texts = [f"a text about ship {n}" for n in range(32)]
    ours = connection(model_server.url, retries=0)
    first = run(ours, vectors_of(texts), store)
    assert first.failed == 1 and "500" in first.error
    assert sum(vector is None for vector in first.vectors) == 16
    (failed,) = store.failures(["embed"])
    assert failed.subject.startswith("text ") and len(store.open_call(failed.key).messages) == 16  # type: ignore[union-attr]
    kept = run(ours, vectors_of(texts), store, retry=frozenset({"another"}))
    assert kept.failed == 1 and kept.calls == 0
    second = run(ours, vectors_of(texts), store, retry=frozenset({failed.key}))
    assert second.failed == 0 and None not in second.vectors and store.failures() == []
    assert len(model_server.log("embeddings")) == 3


def test_a_server_without_embeddings_stops_the_run_in_words(model_server: RunningServer) -> None:
    model_server.set(embeddings=False)

    async def work(client: ModelClient) -> None:
        await chat_all([plain()])(client)
        await client.embed(["a ship"])

    with pytest.raises(ModelStop):
        run(connection(model_server.url), work)
    with pytest.raises(ModelStop, match="no embedding model"):
        run(connection(model_server.url, embedding_model=""), vectors_of(["a ship"]))


def test_vectors_that_are_none_are_not_taken(model_server: RunningServer) -> None:
    model_server.set(faults=[{"fault": "no_choices", "path": "embeddings"}])
    result = run(connection(model_server.url), vectors_of(["a ship", "a boat"]))
    assert result.vectors == (None, None) and result.failed == 1 and "0 vectors for 2 texts" in result.error
