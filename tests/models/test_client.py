"""The client of a run against a real server: what is paid once, what is kept, what is said."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from explorer.base.events import CallSettled, InFlight, Notice, TextStreamed
from explorer.base.fates import CallFate
from explorer.models.call_store import CallStore
from explorer.models.calls import CallResult, Reading
from explorer.models.client import ModelClient
from explorer.models.connections import find_connection, save_connection
from explorer.models.loop import ModelLoop
from explorer.models.prices import Price
from tests.models.calling import Heard, chat_all, connection, plain, rating, run
from tests.models.odd_server import chat_reply, odd_server
from tests.servers.running import RunningServer


@pytest.fixture
def store(tmp_path: Path) -> CallStore:
    with CallStore(tmp_path / "calls.sqlite") as opened:
        yield opened


def test_a_second_run_asks_for_nothing_and_costs_nothing(model_server: RunningServer, store: CallStore) -> None:
    ours = connection(model_server.url, prices={"gpt-4.1-mini": Price(prompt=1.0, output=10.0)})
    requests = [rating(n) for n in range(20)] + [plain(n) for n in range(5)]
    heard = Heard()
    first = run(ours, chat_all(requests), store, sink=heard)
    entries = model_server.log()
    assert len(entries) == 25
    assert sum(result.billed_prompt_tokens for result in first) == sum(entry.prompt_tokens for entry in entries)
    assert sum(result.billed_output_tokens for result in first) == sum(entry.output_tokens for entry in entries)
    paid = sum(entry.prompt_tokens * 1.0 + entry.output_tokens * 10.0 for entry in entries) / 1e6
    assert sum(event.cost or 0.0 for event in heard.of(CallSettled)) == pytest.approx(paid)
    again = Heard()
    second = run(ours, chat_all(requests), store, sink=again)
    assert len(model_server.log()) == 25
    assert [result.fate for result in second] == [CallFate.CACHED] * 25
    assert [result.value for result in second] == [result.value for result in first]
    assert [result.text for result in second] == [result.text for result in first]
    assert {(event.prompt_tokens, event.cost) for event in again.of(CallSettled)} == {(0, 0.0)}
    assert not again.of(InFlight)


def test_the_same_call_asked_twice_at_one_time_is_paid_once(model_server: RunningServer, store: CallStore) -> None:
    model_server.set(latency=0.05)
    results = run(connection(model_server.url), chat_all([rating(1)] * 6), store)
    assert len(model_server.log()) == 1
    assert sorted(result.fate.value for result in results) == ["cached"] * 5 + ["ok"]
    assert len({result.value for result in results}) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"base_url": "http://localhost:PORT/v1"},
        {"chat_model": "gpt-4.1"},
        {"parameters": {"temperature": 0.5}},
        {"stage_parameters": {"rate": {"seed": 3}}},
        {"stage_models": {"rate": "gpt-4o"}},
    ],
)
def test_what_shapes_a_reply_makes_another_call(
    model_server: RunningServer, store: CallStore, change: dict[str, object]
) -> None:
    run(connection(model_server.url), chat_all([rating()]), store)
    if "base_url" in change:
        change = {"base_url": str(change["base_url"]).replace("PORT", str(model_server.port))}
    (result,) = run(connection(model_server.url, **change), chat_all([rating()]), store)
    assert result.fate is CallFate.OK
    assert len(model_server.log()) == 2


def test_what_does_not_shape_a_reply_makes_no_other_call(model_server: RunningServer, store: CallStore) -> None:
    run(connection(model_server.url), chat_all([rating()]), store)
    other = connection(model_server.url, name="other", concurrency=2, retries=0, timeout=5.0, reply_mode="text")
    (result,) = run(other, chat_all([rating()]), store)
    assert result.fate is CallFate.CACHED


def test_a_deliberate_repeat_is_another_call(model_server: RunningServer, store: CallStore) -> None:
    results = run(connection(model_server.url), chat_all([rating(), rating(repeat=1), rating(repeat=2)]), store)
    assert [result.fate for result in results] == [CallFate.OK] * 3
    assert len({result.key for result in results}) == 3 and len(model_server.log()) == 3


def test_a_call_repeated_by_hand_is_made_again_and_stands(model_server: RunningServer, store: CallStore) -> None:
    ours = connection(model_server.url)
    (first,) = run(ours, chat_all([rating()]), store)
    store.repeat(first.key)
    (second,) = run(ours, chat_all([rating()]), store)
    assert second.fate is CallFate.OK and second.key != first.key
    store.repeat(second.key)
    (third,) = run(ours, chat_all([rating()]), store)
    assert third.key not in (first.key, second.key)
    (last,) = run(ours, chat_all([rating()]), store)
    assert last.fate is CallFate.CACHED and last.key == third.key
    assert len(model_server.log()) == 3


def test_an_opened_call_has_messages_raw_reply_and_attempts(model_server: RunningServer, store: CallStore) -> None:
    model_server.set(script=["ok", "nonsense", "503"])
    ours = connection(model_server.url, concurrency=1)
    run(ours, chat_all([rating(0)]), store)
    (result,) = run(ours, chat_all([rating(1)]), store)
    call = store.open_call(result.key)
    assert call is not None
    assert call.messages == rating(1).messages and call.subject == "report 1" and call.stage == "rate"
    assert call.reply == result.text and call.model == "gpt-4.1-mini"
    assert [attempt.outcome for attempt in call.attempts] == ["malformed", "http_503", "ok"]
    assert call.attempts[0].text and call.attempts[0].output_tokens > 0 and call.attempts[2].text == call.reply
    assert call.billed_prompt_tokens == 2 * call.prompt_tokens
    assert call.cost == pytest.approx(result.cost) and call.made > 0


def test_a_call_that_failed_is_made_again_unless_others_were_chosen(
    model_server: RunningServer, store: CallStore
) -> None:
    ours = connection(model_server.url, retries=0)
    run(ours, chat_all([plain(9)]), store)
    model_server.set(faults=["500"])
    failed = run(ours, chat_all([plain(0), plain(1)]), store)
    assert [result.fate for result in failed] == [CallFate.FAILED] * 2
    assert [call.subject for call in store.failures(["describe"])] == ["thing 0", "thing 1"]
    model_server.set(faults=[])
    results = run(ours, chat_all([plain(0), plain(1)]), store, retry=frozenset({failed[0].key}))
    assert [result.fate for result in results] == [CallFate.OK, CallFate.FAILED]
    assert results[1].error == failed[1].error and results[1].cost == 0.0
    assert [call.subject for call in store.failures()] == ["thing 1"]
    results = run(ours, chat_all([plain(0), plain(1)]), store)
    assert [result.fate for result in results] == [CallFate.CACHED, CallFate.OK]
    assert store.failures() == []


def test_a_reader_that_became_stricter_makes_the_call_again(model_server: RunningServer, store: CallStore) -> None:
    ours = connection(model_server.url)
    run(ours, chat_all([rating(read=None)]), store)

    def never(text: str) -> Reading:
        return Reading(CallFate.MALFORMED, None, "not as wanted")

    (result,) = run(ours, chat_all([rating(read=never)]), store)
    assert result.fate is CallFate.MALFORMED and len(result.attempts) == 3
    assert "not as wanted" in result.error


def test_tokens_are_counted_where_the_server_counts_none(model_server: RunningServer, store: CallStore) -> None:
    ours = connection(model_server.url)
    (counted,) = run(ours, chat_all([rating()]))
    model_server.reset(usage=False)
    (result,) = run(ours, chat_all([rating()]), store)
    assert (result.prompt_tokens, result.output_tokens) == (counted.prompt_tokens, counted.output_tokens)
    assert result.cost == counted.cost


def test_a_cost_is_unknown_where_the_price_is(model_server: RunningServer) -> None:
    async def work(client: ModelClient) -> CallResult:
        result = await client.chat(rating())
        assert client.spent.cost is None and client.spent.calls == 1
        return result

    assert run(connection(model_server.url, chat_model="own-model"), work).cost is None


def test_a_prompt_that_the_server_cuts_is_said_once(model_server: RunningServer, store: CallStore) -> None:
    model_server.set(context_window=300, over_window="cut")
    heard = Heard()
    long = [plain(n, messages=(("user", f"{n} " + "a long story of ships " * 200),)) for n in range(3)]
    results = run(connection(model_server.url), chat_all(long), store, sink=heard)
    assert all("The server read 300 of the 1,00" in result.note for result in results)
    assert len([notice for notice in heard.of(Notice) if "cuts prompts" in notice.sentence]) == 1


def test_a_prompt_past_the_window_fails_at_once_with_both_numbers(
    model_server: RunningServer, store: CallStore
) -> None:
    model_server.set(context_window=300)
    long = plain(messages=(("user", "a long story of ships " * 200),))
    (short, result) = run(connection(model_server.url), chat_all([plain(1), long]), store)
    assert short.fate is CallFate.OK
    assert result.fate is CallFate.FAILED and len(result.attempts) == 1
    assert "The prompt has 1,001 tokens, the model's window is 300 tokens" in result.error


def test_a_stream_comes_in_pieces_is_billed_and_is_kept(model_server: RunningServer, store: CallStore) -> None:
    pieces: list[str] = []
    heard = Heard()
    ours = connection(model_server.url)
    (result,) = run(ours, chat_all([plain(stage="answer", stream=pieces.append)]), store, sink=heard)
    assert len(pieces) > 1 and "".join(pieces) == result.text
    assert [event.text for event in heard.of(TextStreamed)] == pieces
    entry = model_server.log()[0]
    assert entry.stream and (result.prompt_tokens, result.output_tokens) == (entry.prompt_tokens, entry.output_tokens)
    pieces.clear()
    run(ours, chat_all([plain(stage="answer", stream=pieces.append)]), store)
    assert pieces == [result.text]


def test_a_stream_that_breaks_begins_anew_and_says_so(model_server: RunningServer) -> None:
    model_server.set(script=["ok", "drop_body"])
    pieces: list[str] = []
    requests = [plain(1), plain(2, stage="answer", stream=pieces.append)]
    (_, result) = run(connection(model_server.url, concurrency=1), chat_all(requests))
    assert [attempt.outcome for attempt in result.attempts] == ["dropped", "ok"]
    assert "" in pieces, "the pieces of the broken attempt are not declared void"
    void = len(pieces) - pieces[::-1].index("")
    assert "".join(pieces[void:]) == result.text


def test_a_server_that_streams_nothing_is_asked_and_paid_once() -> None:
    pieces: list[str] = []
    with odd_server(lambda path, body: chat_reply("It is a lamp.", prompt_tokens=11)) as server:
        (result,) = run(connection(f"{server.root}/v1"), chat_all([plain(stage="answer", stream=pieces.append)]))
        assert len(server.requests) == 1 and server.requests[0][2]["stream"] is True
    assert (result.text, "".join(pieces)) == ("It is a lamp.", "It is a lamp.")
    assert (result.billed_prompt_tokens, result.billed_output_tokens, result.retries) == (11, 9, 0)


def test_a_server_that_knows_no_usage_in_streams_is_asked_without(model_server: RunningServer) -> None:
    model_server.set(refused_parameters=["stream_options"])
    (result,) = run(connection(model_server.url), chat_all([plain(stage="answer", stream=lambda _: None)]))
    assert result.fate is CallFate.OK and result.output_tokens > 0


@pytest.mark.parametrize(
    ("modes", "worked"),
    [(["json_object", "text"], "json_object"), (["text"], "text"), (["json_schema"], "json_schema")],
)
def test_the_way_to_ask_for_json_that_works_is_found_and_remembered(
    model_server: RunningServer, modes: list[str], worked: str
) -> None:
    model_server.set(modes=modes)
    ours = connection(model_server.url)
    save_connection(ours)
    heard = Heard()
    results = run(ours, chat_all([rating(n) for n in range(8)]), sink=heard)
    assert [result.fate for result in results] == [CallFate.OK] * 8
    assert find_connection("test").reply_mode == worked
    asked = len(model_server.log())
    assert asked == 8 + ["json_schema", "json_object", "text"].index(worked), "the way is found out by one call alone"
    assert bool(heard.of(Notice)) == (worked != "json_schema")
    run(find_connection("test"), chat_all([rating(9)]))
    assert len(model_server.log()) == asked + 1, "what was remembered is used at once"


def test_a_model_that_ignores_the_way_is_asked_by_another_that_it_follows(model_server: RunningServer) -> None:
    """As some local servers do: they take response_format and do as they please."""
    model_server.set(modes=["text"], unknown_mode="ignore")
    model_server.set(faults=[{"fault": "nonsense", "match": r"\A(?![\s\S]*JSON schema)"}])
    heard = Heard()
    results = run(connection(model_server.url, concurrency=1), chat_all([rating(n) for n in range(5)]), sink=heard)
    assert [result.fate for result in results] == [CallFate.OK] * 5
    assert [len(result.attempts) for result in results] == [3, 3, 1, 1, 1]
    assert any("does not follow json_schema" in notice.sentence for notice in heard.of(Notice))


def test_a_parameter_that_the_model_refuses_is_left_out_and_said(model_server: RunningServer) -> None:
    model_server.set(refused_parameters=["temperature"])
    heard = Heard()
    (result,) = run(connection(model_server.url, parameters={"temperature": 0.2}), chat_all([rating()]), sink=heard)
    assert result.fate is CallFate.OK
    assert any("refuses the parameter temperature" in notice.sentence for notice in heard.of(Notice))


def test_newer_models_name_the_most_tokens_otherwise(model_server: RunningServer) -> None:
    model_server.set(refused_parameters=["max_tokens"], keep_bodies=True)
    (result,) = run(connection(model_server.url, parameters={"max_tokens": 50}), chat_all([rating()]))
    assert result.fate is CallFate.OK
    assert model_server.log()[-1].request["max_completion_tokens"] == 50


def test_a_cut_reply_says_that_it_was_cut(model_server: RunningServer) -> None:
    (result,) = run(connection(model_server.url), chat_all([plain(parameters={"max_tokens": 3})]))
    assert result.fate is CallFate.OK and "cut" in result.note and result.output_tokens == 3


def test_azure_is_reached_by_its_own_paths(model_server: RunningServer) -> None:
    model_server.set(keys=["azure-key-1234"])
    ours = connection(model_server.azure_url, kind="azure", chat_model="deployed")
    (result,) = run(ours, chat_all([rating()]), key="azure-key-1234")
    assert result.fate is CallFate.OK and "/deployments/deployed/" in model_server.log()[0].path


@pytest.mark.alone
def test_replies_are_on_disk_within_a_second_of_their_arrival(model_server: RunningServer, tmp_path: Path) -> None:
    model_server.set(latency=0.1)
    with CallStore(tmp_path / "calls.sqlite") as store:
        results = run(connection(model_server.url, concurrency=32), chat_all([rating(n) for n in range(64)]), store)
    assert len(results) == 64
    answered = max(entry.answered or 0.0 for entry in model_server.log())
    rows = sqlite3.connect(tmp_path / "calls.sqlite")
    made = rows.execute("SELECT count(*), max(made) FROM calls WHERE fate = 'ok'").fetchone()
    rows.close()
    assert made[0] == 64 and made[1] - answered < 1.0


def test_a_loop_leaves_no_thread_and_runs_what_it_is_given(model_server: RunningServer, store: CallStore) -> None:
    import threading

    before = set(threading.enumerate())  # one that an earlier test left may end meanwhile
    with ModelLoop() as loop:

        async def make() -> ModelClient:
            return ModelClient(connection(model_server.url), None, store)

        client = loop.run(make())
        assert loop.run(client.chat(rating())).fate is CallFate.OK
        loop.run(client.aclose())
        waiting = loop.submit(asyncio.sleep(60))
    loop.close()
    assert waiting.cancelled() or waiting.done()
    assert not set(threading.enumerate()) - before
