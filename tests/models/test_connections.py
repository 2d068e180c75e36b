"""Connections on disk: what is kept, what is refused, and that nobody's entry is lost."""

from __future__ import annotations

import json

import pytest

from explorer.base.errors import InputError
from explorer.models.connection import Connection
from explorer.models.connections import (
    connections_file,
    find_connection,
    load_connections,
    remove_connection,
    save_connection,
    unreadable_connections,
)
from explorer.models.prices import Price


def full() -> Connection:
    return Connection(
        name="work", kind="azure", base_url="https://eu.example/openai", api_version="2024-10-21", chat_model="big",
        embedding_model="small", stage_models={"map": "mini"}, parameters={"temperature": 0.0, "max_tokens": 900},
        stage_parameters={"rate": {"max_tokens": 50}}, concurrency=3, requests_per_minute=60, tokens_per_minute=90_000,
        context_window=8192, tokenizer="cl100k_base", prices={"big": Price(prompt=2.5, output=10.0)}, key="env:MY_KEY",
        timeout=20.0, retries=2, reply_mode="json_object",
    )  # fmt: skip


def test_every_field_comes_back(own_user_folders: None) -> None:
    save_connection(full())
    assert load_connections() == {"work": full()}
    assert find_connection("work") == full()


def test_an_edit_keeps_the_place_and_a_rename_the_others() -> None:
    for name in ("a", "b", "c"):
        save_connection(Connection(name=name, kind="openai"))
    save_connection(Connection(name="b", kind="openai", chat_model="gpt-4o"))
    save_connection(Connection(name="z", kind="openai"), was="a")
    assert list(load_connections()) == ["z", "b", "c"]
    with pytest.raises(InputError, match="named c already"):
        save_connection(Connection(name="c", kind="openai"), was="b")
    remove_connection("b")
    assert list(load_connections()) == ["z", "c"]
    with pytest.raises(InputError, match="nothing was removed"):
        remove_connection("b")


def test_an_unknown_name_names_those_there_are() -> None:
    save_connection(full())
    with pytest.raises(InputError, match=r"no connection named 'home'\. Known: offline, work"):
        find_connection("home")


@pytest.mark.parametrize(
    "change",
    [
        {"key": "sk-12345678"},
        {"key": "env:sk-12345678"},
        {"base_url": "https://me:sk-12345678@host/v1"},
        {"base_url": "https://host/v1?api-key=sk-12345678"},
        {"parameters": {"extra_headers": {"Authorization": "Bearer sk-12345678"}}},
        {"stage_parameters": {"map": {"api_key": "sk-12345678"}}},
    ],
)
def test_a_secret_never_enters_the_file_and_is_not_repeated(change: dict[str, object]) -> None:
    with pytest.raises(InputError) as caught:
        save_connection(full().model_copy(update=change))
    assert "sk-1234" not in caught.value.sentence
    assert not connections_file().exists() or "sk-1234" not in connections_file().read_text()


def test_an_entry_of_a_newer_version_is_left_alone() -> None:
    newer = {"name": "new", "kind": "openai", "from_the_future": 1}
    connections_file().parent.mkdir(parents=True)
    connections_file().write_text(json.dumps({"connections": [newer, {"name": "old", "kind": "openai"}]}))
    assert list(load_connections()) == ["old"]
    assert "from_the_future" in unreadable_connections()["new"]
    with pytest.raises(InputError, match="cannot be used: from_the_future"):
        find_connection("new")
    save_connection(full())
    assert json.loads(connections_file().read_text())["connections"][0] == newer


@pytest.mark.parametrize("text", ["{", "[]", '{"connections": 3}', "\xff"])
def test_a_damaged_file_is_said_and_left(text: str) -> None:
    connections_file().parent.mkdir(parents=True)
    connections_file().write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match="left as it is"):
        load_connections()
    with pytest.raises(InputError, match="left as it is"):
        save_connection(full())
    assert connections_file().read_bytes() == text.encode("latin-1")
