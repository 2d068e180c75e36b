"""Vectors of texts through the client of a run: in batches, each text paid once, long ones in overlapping pieces.

As GraphRAG makes them (graphrag.index.operations.embed_text): batches of 16 texts and 8191 tokens; a text longer than
that is split with an overlap of 100 tokens, its pieces embedded, averaged and brought to unit length; empty texts have
no vector.
"""

from __future__ import annotations

import asyncio
import math
import sys
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from explorer.base.events import CallSettled
from explorer.base.fates import CallFate
from explorer.base.tokens import EncodingName, encoding
from explorer.base.valid_text import valid_text
from explorer.base.words import counted
from explorer.models.calls import EmbeddingResult, Reading
from explorer.models.exchange import Order, Received
from explorer.models.faults import ModelStop
from explorer.models.stored_call import StoredCall, call_key
from explorer.models.tokenizers import tokenizer_of
from explorer.models.wire import VectorAnswer, send_vectors

if TYPE_CHECKING:
    from explorer.models.client import ModelClient

BATCH_SIZE = 16
BATCH_TOKENS = 8191
OVERLAP = 100


@dataclass(frozen=True)
class _Piece:
    key: str
    text: str
    tokens: int
    subject: str


@dataclass
class _Counts:
    calls: int = 0
    cached: int = 0
    failed: int = 0
    prompt_tokens: int = 0
    cost: float | None = 0.0
    error: str = ""


async def embed(
    client: ModelClient, texts: Sequence[str], *, subjects: Sequence[str] | None = None, stage: str = "embed"
) -> EmbeddingResult:
    """Vectors of texts in their order: 32-bit floats, None for an empty text and for one whose call failed.

    `subjects` say what each text is, for people. `calls` counts requests to the model that ended, `cached` batches that
    came from the store, `failed` those without vectors. Raises what `ModelClient.chat` raises.
    """
    model = client.connection.model_for("embed")
    if not model:
        name_of = client.connection.name
        raise ModelStop(f"The connection {name_of} has no embedding model; no call was made. Choose one.")
    client.refuse_unpriced(model)
    parameters = client.connection.stage_parameters.get("embed", {})
    name = tokenizer_of(client.connection, model)
    about = subjects or [""] * len(texts)
    parts = await asyncio.to_thread(_pieces, client.address, model, parameters, name, texts, about)
    pieces = {piece.key: piece for each in parts for piece in each}
    counts = _Counts()
    vectors: dict[str, array[float]] = {}
    if client.store is not None:
        vectors = {key: _unpack(data) for key, data in client.store.vectors(pieces).items()}
    for batch in _batches([piece for key, piece in pieces.items() if key in vectors]):
        counts.cached += 1
        client.settle(_event(stage, model, batch, CallFate.CACHED, cost=0.0), went_out=False)
    missing = _to_make(client, [piece for key, piece in pieces.items() if key not in vectors], counts)
    tasks = [
        asyncio.ensure_future(_make(client, stage, model, parameters, batch, counts)) for batch in _batches(missing)
    ]
    try:
        ended = await asyncio.gather(*tasks, return_exceptions=True)
    finally:
        for task in tasks:
            task.cancel()
    for result in ended:
        if isinstance(result, BaseException):
            raise result
        vectors.update(result)
    return EmbeddingResult(
        tuple(_joined([vectors.get(piece.key) for piece in each]) for each in parts),
        model, counts.calls, counts.cached, counts.failed, counts.prompt_tokens, counts.cost, counts.error,
    )  # fmt: skip


async def _make(
    client: ModelClient, stage: str, model: str, parameters: Mapping[str, object], batch: list[_Piece], counts: _Counts
) -> dict[str, array[float]]:
    """One call for one batch: made, kept, counted."""
    client.http()
    key = call_key(base_url=client.address, model=model, messages=[("embed", piece.key) for piece in batch])
    manner = client.manner(model)
    body: dict[str, Any] = {}

    async def send(malformed: int) -> Received[VectorAnswer]:
        body.clear()
        body.update({name: value for name, value in parameters.items() if name not in manner.dropped})
        body.update(model=model, input=[piece.text for piece in batch])
        if "encoding_format" not in manner.dropped:
            body["encoding_format"] = "base64" if manner.base64 else "float"
        answer = await send_vectors(client.http(), body, len(batch))
        prompt = answer.prompt_tokens
        return Received(answer, "", expected if prompt is None else prompt, 0, Reading(CallFate.OK))

    def refused(said: str) -> bool:
        sentence = manner.refused(said, body, "text", model)
        client.tell_once(sentence or "")
        return sentence is not None

    expected = sum(piece.tokens for piece in batch)
    loop = asyncio.get_running_loop()
    began = loop.time()
    order = Order(
        stage, _subject(batch), model, key, expected, send, refused, price=client.price(model), has_output=False
    )
    async with client.busy(), client.exchange.making(order) as outcome:
        hide = client.hide
        attempts = tuple(replace(a, error=hide(a.error), text=hide(a.text)) for a in outcome.attempts)
        tokens = sum(attempt.prompt_tokens for attempt in attempts)
        cost = None if order.price is None else order.price.cost(tokens, 0)
        error = client.hide(outcome.error)
        made: dict[str, array[float]] = {}
        if outcome.received is not None and outcome.fate is CallFate.OK:
            made = {piece.key: v for piece, v in zip(batch, outcome.received.answer.vectors, strict=True)}
        await client.keep(
            StoredCall(
                key, stage, "", model, outcome.fate, tokens if made else 0, 0, loop.time() - began, len(attempts) - 1,
                error or None, order.subject, () if made else tuple(("text", piece.text) for piece in batch), attempts,
                "", cost, tokens, 0, parts=tuple(piece.key for piece in batch),
            ),
            {key: _pack(vector) for key, vector in made.items()},
        )  # fmt: skip
        counts.calls += 1
        counts.failed += not made
        counts.prompt_tokens += tokens
        counts.cost = None if counts.cost is None or cost is None else counts.cost + cost
        counts.error = counts.error or error
        event = _event(stage, model, batch, outcome.fate, cost=cost)
        event = replace(event, prompt_tokens=tokens, seconds=loop.time() - began, key=key, retries=len(attempts) - 1)
        client.settle(replace(event, error=error), went_out=True)
        if outcome.stop is not None:
            raise outcome.stop
    return made


def _to_make(client: ModelClient, missing: list[_Piece], counts: _Counts) -> list[_Piece]:
    """Those whose call is to be made: with a set of calls to retry, what failed in others stays as it is recorded."""
    if client.retry is None or client.store is None or not missing:
        return missing
    for failed in client.store.failures(["embed"]):
        if failed.key in client.retry or failed.fate is CallFate.CANCELLED:
            continue
        left = [piece for piece in missing if piece.key not in failed.parts]
        if len(left) < len(missing):
            counts.failed += 1
            counts.error = counts.error or failed.error or ""
            client.settle(
                CallSettled(
                    failed.stage, failed.fate.value, key=failed.key, subject=failed.subject, model=failed.model,
                    cost=0.0, error=failed.error or "",
                ),
                went_out=False,
            )  # fmt: skip
        missing = left
    return missing


def _pieces(
    address: str, model: str, parameters: Mapping[str, object], name: EncodingName, texts: Sequence[str],
    subjects: Sequence[str],
) -> list[list[_Piece]]:  # fmt: skip
    found = []
    for text, subject in zip(texts, subjects, strict=True):
        pieces = []
        for part, tokens in split_text(valid_text(text), name):
            key = call_key(base_url=address, model=model, messages=[("embed", part)], parameters=parameters)
            pieces.append(_Piece(key, part, tokens, subject))
        found.append(pieces)
    return found


def split_text(text: str, name: EncodingName) -> list[tuple[str, int]]:
    """Pieces of a text of at most 8191 tokens, each with its tokens; neighbours share 100. None of an empty text."""
    if not text.strip():
        return []
    tokenizer = encoding(name)
    tokens = tokenizer.encode_ordinary(text)
    if len(tokens) <= BATCH_TOKENS:
        return [(text, len(tokens))]
    pieces = []
    for start in range(0, len(tokens), BATCH_TOKENS - OVERLAP):
        part = tokens[start : start + BATCH_TOKENS]
        # Where a cut goes through a character its half is left out: the overlap has it whole.
        pieces.append((tokenizer.decode_bytes(part).decode("utf-8", "ignore"), len(part)))
        if start + BATCH_TOKENS >= len(tokens):
            break
    return pieces


def _batches(pieces: Sequence[_Piece]) -> list[list[_Piece]]:
    batches: list[list[_Piece]] = []
    tokens = 0
    for piece in pieces:
        if not batches or len(batches[-1]) == BATCH_SIZE or tokens + piece.tokens > BATCH_TOKENS:
            batches.append([])
            tokens = 0
        batches[-1].append(piece)
        tokens += piece.tokens
    return batches


def _joined(vectors: Sequence[array[float] | None]) -> tuple[float, ...] | None:
    if not vectors or any(vector is None for vector in vectors):
        return None
    whole = [vector for vector in vectors if vector is not None]
    if len(whole) == 1:
        return tuple(whole[0])
    mean = [math.fsum(column) / len(whole) for column in zip(*whole, strict=True)]
    length = math.sqrt(math.fsum(number * number for number in mean))
    return tuple(array("f", (number / length if length else 0.0 for number in mean)))


def _event(stage: str, model: str, batch: Sequence[_Piece], fate: CallFate, *, cost: float | None) -> CallSettled:
    return CallSettled(stage, fate.value, subject=_subject(batch), model=model, cost=cost)


def _subject(batch: Sequence[_Piece]) -> str:
    first = batch[0].subject
    more = len(batch) - 1
    return f"{first} and {more} more" if first and more else first or counted(len(batch), "text")


def _pack(vector: array[float]) -> bytes:
    if sys.byteorder == "big":
        vector = array("f", vector)
        vector.byteswap()
    return vector.tobytes()


def _unpack(data: bytes) -> array[float]:
    vector: array[float] = array("f")
    vector.frombytes(data)
    if sys.byteorder == "big":
        vector.byteswap()
    return vector
