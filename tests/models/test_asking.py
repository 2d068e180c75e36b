"""Small parts of asking a model: waiting, reading bodies of many makes, ways to ask, prices."""

from __future__ import annotations

import base64
import json
import struct
from datetime import UTC, datetime
from typing import Any

import pytest

from explorer.base.errors import InputError
from explorer.models.backoff import backoff, retry_after
from explorer.models.connection import Connection
from explorer.models.faults import BadBody
from explorer.models.prices import (
    Price,
    known_prices,
    price_for,
    price_of,
    refuse_unpriced,
    save_user_prices,
    user_prices,
    user_prices_file,
)
from explorer.models.reply_modes import Manner, sent_messages
from explorer.models.tokenizers import tokenizer_of
from explorer.models.wire import read_chat, read_vectors, without_thinking
from tests.models.calling import RATING

NOON = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Mon, 30 Nov 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Mon, 30 Nov 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
    ],
)
def test_what_a_server_asks_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOON) == seconds


def test_waiting_doubles_with_some_chance_that_is_the_same_each_time() -> None:
    for attempt in range(1, 12):
        whole = min(30.0, 0.5 * 2 ** (attempt - 1))
        waits = [backoff(attempt, f"call {n}") for n in range(50)]
        assert all(whole / 2 <= wait <= whole for wait in waits)
        assert len(set(waits)) == 50 and waits == [backoff(attempt, f"call {n}") for n in range(50)]


def body(**values: Any) -> bytes:
    return json.dumps(values).encode()


def choice(**message: Any) -> bytes:
    return body(choices=[{"message": message, "finish_reason": "stop"}])


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (choice(content="plain"), "plain"),
        (choice(content=[{"type": "text", "text": "in "}, {"type": "text", "text": "parts"}]), "in parts"),
        (body(choices=[{"text": "as completions"}]), "as completions"),
        (body(choices=[{"message": {"content": "x"}, "finish_reason": None}], usage=None), "x"),
    ],
)
def test_replies_of_other_makes_are_read(content: bytes, text: str) -> None:
    assert read_chat(content).text == text


@pytest.mark.parametrize(
    ("content", "outcome"),
    [
        (b"", "empty"),
        (b"  \n", "empty"),
        (b'{"choices": [{"mess', "malformed"),
        (b"[1]", "malformed"),
        (b"[" * 100_000, "malformed"),
        (b"<html>gateway</html>", "web_page"),
        (body(choices=[]), "empty"),
        (body(choices=[None]), "empty"),
        (choice(content=None), "empty"),
        (choice(content="", refusal="no"), "refused"),
        (body(choices=[{"message": {"content": "x"}, "finish_reason": "content_filter"}]), "refused"),
        (body(error={"message": "no credit", "code": 402}), "http_402"),
        (body(error="broken"), "failed"),
        (b"\xff\xfe", "malformed"),
    ],
)
def test_bodies_without_a_reply_are_told_apart(content: bytes, outcome: str) -> None:
    with pytest.raises(BadBody) as caught:
        read_chat(content)
    assert caught.value.outcome == outcome


def test_vectors_come_as_numbers_or_in_base64_in_any_order() -> None:
    packed = base64.b64encode(struct.pack("<2f", 1.5, -2.0)).decode()
    rows = [{"index": 1, "embedding": [0.5, 0.25]}, {"index": 0, "embedding": packed}]
    answer = read_vectors(body(data=rows, usage={"prompt_tokens": 4}), 2)
    assert [list(vector) for vector in answer.vectors] == [[1.5, -2.0], [0.5, 0.25]] and answer.prompt_tokens == 4


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [{"index": 0, "embedding": [1.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 2.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": ["x"]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": "###"}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [float("nan")]}],
        [{"index": 0, "embedding": []}, {"index": 1, "embedding": []}],
        [1, 2],
    ],
)
def test_vectors_that_are_none_are_told(rows: list[Any]) -> None:
    with pytest.raises(BadBody):
        read_vectors(body(data=rows), 2)


def test_thoughts_before_a_reply_are_no_part_of_it() -> None:
    assert without_thinking('<think>\nhm {"a": 2}\n</think>\n\n{"a": 1}') == '{"a": 1}'
    assert without_thinking("plain <think>x</think>") == "plain <think>x</think>"
    # Servers whose template opens the thoughts send their end only; a reply that is cut in them has nothing else.
    assert without_thinking("First {x}, then y.\n</think>\n\nIt is a lamp.") == "It is a lamp."
    assert without_thinking("<think>Let me see, and see") == ""
    assert without_thinking('<think>hm {"a": 2}') == '<think>hm {"a": 2}', "it may hold the reply all the same"
    # Where such words are what a reply is about, they stay.
    for text in ('{"a": "</think>\\n"}', "The mark </think> ends the thoughts.", '```json\n{"a": "</think>"}\n```'):
        assert without_thinking(text) == text


def test_a_reply_that_is_only_thoughts_is_empty() -> None:
    choice = {"index": 0, "finish_reason": "length", "message": {"role": "assistant", "content": "<think>Let me see"}}
    with pytest.raises(BadBody, match="cut before it began"):
        read_chat(body(choices=[choice]))


def test_the_schema_stands_in_the_prompt_where_a_server_cannot_be_held_to_it() -> None:
    messages = (("system", "s"), ("user", "u"))
    assert sent_messages(messages, RATING, "json_schema") == messages
    assert sent_messages(messages, None, "text") == messages
    (_, (role, text)) = sent_messages(messages, RATING, "json_object")
    assert role == "user" and text.startswith("u\n\n") and '"rating"' in text and "community_rating" in text
    assert "JSON" in text, "OpenAI's json_object asks for the word"


def test_a_way_that_never_worked_gives_way_to_one_that_does_and_one_that_worked_does_not() -> None:
    manner = Manner()
    for _ in range(4):
        manner.note("json_schema", False)
    assert manner.mode_for(2) == "json_object" and manner.mode_for(1) == "json_schema"
    assert "json_object" in manner.note("json_object", True) and manner.mode == "json_object"
    proven = Manner()
    proven.note("json_schema", True)
    for _ in range(9):
        proven.note("json_schema", False)
    assert proven.mode_for(2) == "json_schema"


def test_a_refusal_that_many_calls_meet_changes_the_way_once() -> None:
    manner = Manner()
    sent = {"response_format": {"type": "json_schema"}}
    said = "response_format json_schema is not supported"
    assert "json_object" in str(manner.refused(said, sent, "json_schema", "m"))
    assert manner.refused(said, sent, "json_schema", "m") == "" and manner.mode == "json_object"


def test_prices_stand_connection_first_then_the_users_then_those_shipped() -> None:
    ours = Connection(name="c", kind="openai", prices={"gpt-4o": Price(prompt=9.0, output=9.0)})
    assert user_prices() == {} and price_for(ours, "gpt-4.1") == price_of("gpt-4.1") == known_prices()["gpt-4.1"]
    mine = {"gpt-4.1": Price(prompt=0.1, output=0.25), "gpt-4o": Price(prompt=1.0), 'odd "name"\\': Price(prompt=3e-05)}
    save_user_prices(mine)
    assert user_prices() == mine
    assert price_for(ours, "gpt-4.1") == mine["gpt-4.1"] and price_of("gpt-4.1") == mine["gpt-4.1"]
    assert price_for(ours, "gpt-4o") == Price(prompt=9.0, output=9.0)
    assert price_for(ours, "nobody's") is None
    with pytest.raises(InputError, match="nobody's"):
        refuse_unpriced(ours, ["gpt-4.1", "", "nobody's"])


def test_damaged_prices_are_said_and_left() -> None:
    user_prices_file().parent.mkdir(parents=True)
    user_prices_file().write_text("[models.x]\nprompt = 'free'\n")
    with pytest.raises(InputError, match="cannot be read"):
        known_prices()
    assert "free" in user_prices_file().read_text()


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gpt-4.1-mini", "o200k_base"), ("gpt-4o", "o200k_base"), ("gpt-5", "o200k_base"), ("llama3.2", "o200k_base"),
        ("gpt-4", "cl100k_base"), ("gpt-4-turbo", "cl100k_base"), ("gpt-3.5-turbo", "cl100k_base"),
        ("openai/gpt-4-0613", "cl100k_base"), ("text-embedding-3-small", "cl100k_base"),
    ],
)  # fmt: skip
def test_the_tokenizer_is_the_models_where_it_is_known(model: str, name: str) -> None:
    assert tokenizer_of(Connection(name="c", kind="openai"), model) == name
    assert tokenizer_of(Connection(name="c", kind="openai", tokenizer="cl100k_base"), model) == "cl100k_base"
