"""The test of a connection: each thing that is wrong is said in its own words, and nothing else is."""

from __future__ import annotations

import asyncio
import json

import pytest

from explorer.models.check_connection import check_connection
from explorer.models.check_prompt import FIRST, LAST, MIDDLE, check_prompt
from explorer.models.check_report import CheckLine, ConnectionReport
from explorer.models.connection import Connection
from explorer.models.prices import Price
from tests.models.odd_server import as_json, chat_reply, odd_server
from tests.servers.running import RunningServer

KEY = "sk-test-51c0a9e27d"


def check(server: RunningServer, key: str | None = KEY, **fields: object) -> ConnectionReport:
    given = {"base_url": server.url, "chat_model": "chat", "embedding_model": "vec", "timeout": 120.0, **fields}
    return asyncio.run(check_connection(Connection.model_validate({"name": "it", **given}), key))


def wrong(report: ConnectionReport) -> list[CheckLine]:
    return [line for line in report.lines if line.state == "wrong"]


def the_one_wrong(report: ConnectionReport, part: str) -> str:
    (line,) = wrong(report)
    assert not report.ok
    assert line.part == part
    return line.sentence


@pytest.fixture
def server(model_server: RunningServer) -> RunningServer:
    model_server.set(models=["chat", "vec"])
    return model_server


def test_one_chat_and_one_embedding_call_where_all_is_right(server: RunningServer) -> None:
    server.set(keys=[KEY])
    told: list[CheckLine] = []
    connection = Connection(
        name="it", base_url=server.url, chat_model="chat", embedding_model="vec",
        prices={"chat": Price(prompt=1.0, output=2.0), "vec": Price(prompt=1.0)},
    )  # fmt: skip
    report = asyncio.run(check_connection(connection, KEY, say=told.append))
    assert report.ok and not wrong(report)
    assert list(report.lines) == told
    assert (report.reply_mode, report.dimension, report.models) == ("json_schema", 384, ("chat", "vec"))
    chats, embeddings = server.log("chat"), server.log("embeddings")
    assert (len(chats), len(embeddings), report.calls) == (1, 1, 2)
    assert chats[0].schema == "entity_extraction"
    used = sum(entry.prompt_tokens for entry in (*chats, *embeddings))
    assert report.prompt_tokens == used
    assert report.cost == pytest.approx((used + 2 * chats[0].output_tokens) / 1e6)
    assert report.seconds["chat"] > 0 and report.seconds["embedding"] > 0


def test_the_prompt_is_as_long_as_that_of_a_text_unit() -> None:
    prompt = check_prompt()
    assert 1400 < prompt.tokens < 2000
    assert prompt.text.startswith(FIRST)
    assert prompt.text.index(MIDDLE) < prompt.text.index(LAST)
    assert check_prompt() == prompt


def test_an_unknown_price_is_said_and_is_not_zero(server: RunningServer) -> None:
    report = check(server)
    assert report.ok and report.cost is None
    assert "the price is unknown" in report.lines[-1].sentence


def test_no_server_at_the_address() -> None:
    report = asyncio.run(check_connection(Connection(name="it", base_url="http://127.0.0.1:9/v1", chat_model="m"), KEY))
    assert the_one_wrong(report, "address").startswith("No server answers at http://127.0.0.1:9/v1.")
    assert report.calls == 0


@pytest.mark.parametrize("address", ["localhost:11434/v1", "ftp://host/v1", "http://", "http://host:99999/v1"])
def test_an_address_that_is_none(address: str) -> None:
    report = asyncio.run(check_connection(Connection(name="it", base_url=address, chat_model="m"), KEY))
    assert "begins with http:// or https://" in the_one_wrong(report, "address")


def test_a_wrong_key_is_not_shown_though_the_server_says_it(server: RunningServer) -> None:
    server.set(keys=["another"], echo_key=True)
    report = check(server)
    sentence = the_one_wrong(report, "key")
    assert "refuses the key (401)" in sentence and "[the key]" in sentence
    assert KEY not in repr(report)


def test_a_missing_key(server: RunningServer) -> None:
    server.set(keys=["another"])
    assert "asks for a key (401) and this connection has none" in the_one_wrong(check(server, None), "key")


def test_no_such_model_lists_those_there_are(server: RunningServer) -> None:
    server.set(models=["llama3.2:3b", "qwen2.5:7b"])
    sentence = the_one_wrong(check(server), "chat")
    assert sentence.endswith("has no model named 'chat'. It has: llama3.2:3b, qwen2.5:7b.")


def test_no_model_is_named(server: RunningServer) -> None:
    sentence = the_one_wrong(check(server, chat_model=""), "chat")
    assert sentence == "No chat model is named. The server has: chat, vec."
    assert not server.log("chat")


def test_a_model_of_one_stage_that_is_not_there(server: RunningServer) -> None:
    assert "no model named 'mini'" in the_one_wrong(check(server, stage_models={"map": "mini"}), "models")


def test_the_ways_to_ask_for_json(server: RunningServer) -> None:
    server.set(modes=["json_object", "text"])
    report = check(server)
    assert report.ok and report.reply_mode == "json_object"
    server.set(modes=["text"])
    report = check(server)
    assert report.ok and report.reply_mode == "text"
    assert any("no JSON mode" in sentence for sentence in report.sentences)


def test_a_model_that_follows_nothing(server: RunningServer) -> None:
    server.set(faults=[{"fault": "nonsense", "path": "chat"}])
    sentence = the_one_wrong(check(server), "json")
    assert "none of the three ways" in sentence and "Extraction would find nothing" in sentence
    assert len(server.log("chat")) == 3 and not server.log("embeddings")


@pytest.mark.parametrize("fault", ["prose", "fenced"])
def test_json_that_has_to_be_repaired(server: RunningServer, fault: str) -> None:
    server.set(faults=[{"fault": fault, "path": "chat"}])
    report = check(server)
    assert report.ok and report.reply_mode == "text"
    assert any("replies are repaired" in sentence for sentence in report.sentences)


def test_a_context_window_that_refuses_the_prompt(server: RunningServer) -> None:
    server.set(context_window=1000)
    assert "longer than the context window" in the_one_wrong(check(server), "window")


def test_a_context_window_that_cuts_the_prompt_in_silence(server: RunningServer) -> None:
    server.set(context_window=1000, over_window="cut")
    sentence = the_one_wrong(check(server), "window")
    assert "the server counted 1,000" in sentence and FIRST in sentence and "OLLAMA_CONTEXT_LENGTH" in sentence


def test_a_context_window_without_room_for_the_reply(server: RunningServer) -> None:
    assert "not the reply" in the_one_wrong(check(server, context_window=2048), "window")
    report = check(server, context_window=4096)
    assert report.ok and any("lower their budgets" in sentence for sentence in report.sentences)


def test_a_server_without_embeddings(server: RunningServer) -> None:
    server.set(embeddings=False)
    assert "makes no embeddings" in the_one_wrong(check(server), "embedding")
    report = check(server, embedding_model="")
    assert report.ok and any("offline analyst" in sentence for sentence in report.sentences)


def test_a_parameter_that_the_server_refuses(server: RunningServer) -> None:
    server.set(refused_parameters=["temperature"])
    assert "refuses a parameter (400)" in the_one_wrong(check(server, parameters={"temperature": 0}), "chat")
    assert check(server).ok


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("rate_limit", "takes no more calls for the moment (429)"), ("quota", "nothing left to spend (429)"),
        ("500", "failed (500)"), ("503", "failed (503)"), ("drop", "broke the connection off"),
        ("drop_body", "broke the connection off"), ("hang", "did not answer within the time-out"),
        ("empty_body", "empty, cut off or no JSON"), ("truncated_body", "empty, cut off or no JSON"),
        ("no_choices", "answered without a reply"), ("400", "failed (400)"),
    ],
)  # fmt: skip
def test_a_fault_of_the_server_is_named(server: RunningServer, fault: str, words: str) -> None:
    server.set(faults=[{"fault": fault, "path": "chat"}])
    assert words in the_one_wrong(check(server, timeout=4.0 if fault == "hang" else 120.0), "chat")


def test_azure(server: RunningServer) -> None:
    report = check(server, kind="azure", base_url=server.azure_url)
    assert report.ok and report.dimension == 384


def _only_under_v1(path: str, body: dict) -> tuple:
    if not path.startswith("/v1/"):
        return 404, {"Content-Type": "text/plain"}, "404 page not found"
    if path == "/v1/models":
        return as_json(200, {"object": "list", "data": [{"id": "odd", "object": "model", "owned_by": "library"}]})
    return chat_reply("{}")


def test_an_address_without_v1() -> None:
    with odd_server(_only_under_v1) as odd:
        report = asyncio.run(check_connection(Connection(name="it", base_url=odd.root, chat_model="odd"), None))
        assert the_one_wrong(report, "address") == (
            f"The address lacks /v1: the API answers at {odd.root}/v1. Use that one."
        )


def test_a_web_page_instead_of_an_api() -> None:
    with odd_server(lambda path, body: (200, {"Content-Type": "text/html"}, "<html><h1>Hello</h1></html>")) as odd:
        report = asyncio.run(check_connection(Connection(name="it", base_url=odd.root, chat_model="odd"), None))
        sentence = the_one_wrong(report, "address")
        assert "it answers with a web page" in sentence and f"try {odd.root}/v1" in sentence


def test_the_key_does_not_follow_a_redirect() -> None:
    with odd_server(lambda path, body: as_json(200, {})) as other:
        moved = {"Location": f"{other.root}/v1/chat/completions"}
        with odd_server(lambda path, body: (307, moved, "")) as odd:
            connection = Connection(name="it", base_url=f"{odd.root}/v1", chat_model="odd")
            report = asyncio.run(check_connection(connection, KEY))
        assert f"sends on to another address ({other.root}" in the_one_wrong(report, "address")
        assert not other.requests


def test_an_error_in_a_reply_of_200_is_quoted() -> None:
    with odd_server(lambda path, body: as_json(200, {"error": {"message": f"no provider for {KEY}"}})) as odd:
        connection = Connection(name="it", base_url=f"{odd.root}/v1", chat_model="odd")
        report = asyncio.run(check_connection(connection, KEY))
        sentence = the_one_wrong(report, "chat")
        assert "no provider for [the key]" in sentence and KEY not in repr(report)


def _local(loaded: dict[str, tuple]) -> object:
    people = json.dumps({"entities": [{"title": name} for name in (FIRST, MIDDLE, LAST)], "relationships": []})

    def answer(path: str, body: dict) -> tuple:
        if path == "/v1/models":
            return as_json(200, {"data": [{"id": "odd"}]})
        if path == "/v1/chat/completions":
            return chat_reply(people)
        return loaded.get(path, (404, {}, ""))

    return answer


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("/api/ps", {"models": [{"name": "odd:latest", "context_length": 2048}]}),
        ("/props", {"default_generation_settings": {"n_ctx": 2048}}),
        ("/api/v0/models", {"data": [{"id": "odd", "loaded_context_length": 2048}]}),
    ],
)
def test_the_context_with_which_a_local_server_runs_a_model_is_found(path: str, value: object) -> None:
    with odd_server(_local({path: as_json(200, value)})) as odd:
        connection = Connection(name="it", base_url=f"{odd.root}/v1", chat_model="odd", key="none")
        report = asyncio.run(check_connection(connection, KEY))
        assert report.context_window == 2048
        assert "at least 3,500 tokens" in the_one_wrong(report, "window")
        asked = [headers for where, headers, _ in odd.requests if where == path]
        assert asked and all(KEY not in value for headers in asked for value in headers.values())


def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(server: RunningServer, monkeypatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert check(server).ok


def test_addresses_and_keys_of_the_environment_are_not_taken(server: RunningServer, monkeypatch) -> None:
    server.set(keys=[KEY])
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert "this connection has none" in the_one_wrong(check(server, None), "key")
