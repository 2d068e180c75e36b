"""Servers of this machine are found by what they answer, not by the port alone."""

from __future__ import annotations

import threading

import pytest

from explorer.models import local_servers
from explorer.models.local_servers import LocalServer, find_local_servers
from tests.models.odd_server import as_json, odd_server


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that answers is waited for, however slow the machine."""
    monkeypatch.setattr(local_servers, "_SECONDS", 60.0)


_MODELS = {
    "object": "list",
    "data": [{"id": "nomic-embed-text", "owned_by": "library"}, {"id": "llama3.2:3b", "owned_by": "library"}],
}


def test_a_server_is_found_with_its_models_and_becomes_a_connection() -> None:
    with odd_server(lambda path, body: as_json(200, _MODELS)) as odd:
        (found,) = find_local_servers({odd.port: "llama.cpp", 9: "vLLM"})
    assert found == LocalServer("Ollama", f"{odd.root}/v1", ("llama3.2:3b", "nomic-embed-text"))
    connection = found.as_connection()
    assert (connection.chat_model, connection.embedding_model, connection.key) == (
        "llama3.2:3b", "nomic-embed-text", "none",
    )  # fmt: skip


def test_a_server_behind_a_key_is_found_too() -> None:
    with odd_server(lambda path, body: as_json(401, {"error": {"message": "no key"}})) as odd:
        (found,) = find_local_servers({odd.port: "vLLM"})
    assert found.needs_key and found.as_connection().key == "keyring"


def test_what_is_no_model_server_is_not_offered() -> None:
    for reply in (
        (200, {"Content-Type": "text/html"}, "<html></html>"), (404, {}, "not found"), as_json(200, [1, 2]),
        (401, {}, "who are you"), as_json(200, {"data": 5}),
    ):  # fmt: skip
        with odd_server(lambda path, body, reply=reply: reply) as odd:
            assert find_local_servers({odd.port: "vLLM"}) == []


def test_names_that_cannot_be_shown_are_left_out() -> None:
    data = {"data": [{"id": "good"}, {"id": "bad\u001b[31m"}, {"id": 7}, {"id": "x" * 500}, "no entry"]}
    with odd_server(lambda path, body: as_json(200, data)) as odd:
        (found,) = find_local_servers({odd.port: "vLLM"})
    assert found.models == ("good",)


def test_a_port_that_never_answers_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_servers, "_SECONDS", 0.5)
    given_up = threading.Event()

    def silent(path: str, body: dict) -> tuple:
        assert given_up.wait(120)
        return as_json(200, _MODELS)

    with odd_server(silent) as odd:
        assert find_local_servers({odd.port: "vLLM"}) == []
        given_up.set()
