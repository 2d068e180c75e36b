"""The client where a server fails: what is tried again, what is billed, what ends the run and in which words."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections import Counter
from pathlib import Path

import pytest

from explorer.base.cancel import CancelScope
from explorer.base.errors import Cancelled
from explorer.base.events import AttemptFailed, CallSettled
from explorer.base.fates import CallFate
from explorer.models.call_store import CallStore
from explorer.models.calls import CallResult
from explorer.models.client import ModelClient, ModelStop
from tests.models.calling import Heard, chat_all, connection, plain, rating, run, until
from tests.servers.running import RunningServer, running_server

CANARY = "sk-canary-0123456789abcdef"


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        ("rate_limit", "http_429"), ("500", "http_500"), ("502", "http_502"), ("503", "http_503"), ("drop", "dropped"),
        ("drop_body", "dropped"), ("empty_body", "empty"), ("bad_body", "web_page"), ("truncated_body", "malformed"),
        ("empty_content", "empty"), ("null_content", "empty"), ("no_choices", "empty"), ("truncated", "malformed"),
        ("nonsense", "malformed"), ("wrong_types", "malformed"), ("refusal", "refused"), ("filtered", "refused"),
    ],
)  # fmt: skip
def test_a_fault_that_passes_is_tried_again_and_billed_on_its_call(
    model_server: RunningServer, tmp_path: Path, fault: str, outcome: str
) -> None:
    model_server.set(faults=[{"fault": fault, "times": 1}])
    heard = Heard()
    with CallStore(tmp_path / "calls.sqlite") as store:
        (result,) = run(connection(model_server.url), chat_all([rating()]), store, sink=heard)
        assert [attempt.outcome for attempt in result.attempts] == [outcome, "ok"]
        assert result.fate is CallFate.OK and result.retries == 1
        assert store.get(result.key) is not None
    (event,) = heard.of(AttemptFailed)
    assert (event.outcome, event.attempt, event.subject) == (outcome, 1, "report 0")
    first, second = model_server.log()
    assert result.prompt_tokens == second.prompt_tokens
    charged = first.status == 200 and first.outcome not in ("drop", "drop_body", "empty_body", "bad_body")
    if fault == "bad_body":  # a page in place of a reply: what came is counted, for someone may charge for it
        assert result.billed_prompt_tokens >= second.prompt_tokens
    else:
        wanted = second.prompt_tokens * (2 if charged else 1)
        assert result.billed_prompt_tokens == wanted


def test_a_time_out_is_tried_again(model_server: RunningServer) -> None:
    model_server.set(faults=[{"fault": "hang", "times": 1}])
    (result,) = run(connection(model_server.url, timeout=4.0), chat_all([rating()]))  # enough for the one that answers
    assert [attempt.outcome for attempt in result.attempts] == ["timeout", "ok"]


def test_a_reply_that_trickles_past_the_time_out_is_broken_off(model_server: RunningServer) -> None:
    model_server.set(chunk_delay=0.3)
    request = plain(stage="answer", stream=lambda _: None)
    (result,) = run(connection(model_server.url, timeout=0.5, retries=0), chat_all([request]))
    assert result.fate is CallFate.FAILED and result.attempts[0].outcome == "timeout"
    assert "longer time-out" in result.error


def test_a_call_gives_up_after_the_retries_of_the_connection(model_server: RunningServer, tmp_path: Path) -> None:
    model_server.set(faults=["503"])
    with CallStore(tmp_path / "calls.sqlite") as store:
        (result,) = run(connection(model_server.url, retries=2), chat_all([rating()]), store)
        assert result.fate is CallFate.FAILED and len(result.attempts) == 3
        assert "503" in result.error and result.text == "" and result.cost == 0.0
        assert store.get(result.key) is None
        (kept,) = store.failures(["rate"])
        assert kept.key == result.key and len(kept.attempts) == 3


def test_malformed_replies_are_given_up_after_two_more(model_server: RunningServer, tmp_path: Path) -> None:
    model_server.set(faults=["nonsense"])
    with CallStore(tmp_path / "calls.sqlite") as store:
        (result,) = run(connection(model_server.url), chat_all([rating()]), store)
        assert result.fate is CallFate.MALFORMED and len(result.attempts) == 3
        assert result.text and result.error == "no rating"
        assert result.billed_output_tokens == sum(entry.output_tokens for entry in model_server.log())
        assert store.get(result.key) is None and store.open_call(result.key).reply == result.text  # type: ignore[union-attr]


@pytest.mark.parametrize("form", [{"retry_after": 1}, {"retry_after_ms": 700}])
def test_all_calls_wait_as_long_as_the_server_asks(model_server: RunningServer, form: dict[str, float]) -> None:
    wait = form.get("retry_after", 0) + form.get("retry_after_ms", 0) / 1000
    model_server.set(faults=[{"fault": "rate_limit", "after": 4, "times": 1, **form}], latency=0.02)
    results = run(connection(model_server.url, concurrency=2), chat_all([rating(n) for n in range(16)]))
    assert all(result.fate is CallFate.OK for result in results)
    log = model_server.log()
    refused = next(entry for entry in log if entry.outcome == "rate_limit")
    assert refused.answered is not None
    # The other call that was out when the refusal came had been sent; nothing else goes out before the time is over.
    early = [e for e in log if refused.answered < e.arrived < refused.answered + wait - 0.02]
    assert len(early) <= 1


def test_a_third_of_all_calls_failing_leaves_every_call_with_its_fate(
    model_server: RunningServer, tmp_path: Path
) -> None:
    kinds = ["500", "503", "drop", "empty_body", "truncated", "prose", "wrong_types", "refusal", "truncated_body"]
    rules = [{"fault": kind, "probability": 0.035, "seed": n} for n, kind in enumerate(kinds)]
    model_server.set(faults=[{"fault": "rate_limit", "probability": 0.03, "retry_after_ms": 50}, *rules], latency=0.01)
    heard = Heard()
    with CallStore(tmp_path / "calls.sqlite") as store:
        requests = [rating(n) for n in range(200)]
        results = run(connection(model_server.url, concurrency=32), chat_all(requests), store, sink=heard)
        fates = Counter(result.fate for result in results)
        settled = heard.of(CallSettled)
        assert Counter(event.fate for event in settled) == {fate.value: count for fate, count in fates.items()}
        assert fates[CallFate.OK] >= 195, fates
        assert {call.key for call in store.failures()} == {r.key for r in results if r.fate is not CallFate.OK}
    log = model_server.log()
    assert sum(len(result.attempts) for result in results) == len(log)
    assert sum(1 for entry in log if entry.outcome != "ok") > 40


# -- what ends a run


def stopped(url: str, work: object = None, **values: object) -> tuple[str, Heard]:
    heard = Heard()
    with pytest.raises(ModelStop) as caught:
        run(connection(url, **values), work or chat_all([rating(n) for n in range(20)]), sink=heard, key=CANARY)  # type: ignore[arg-type]
    assert CANARY not in caught.value.sentence
    return caught.value.sentence, heard


def test_a_wrong_key_stops_at_the_first_call(model_server: RunningServer) -> None:
    model_server.set(keys=["another-key-123"], echo_key=True)
    sentence, heard = stopped(model_server.url)
    assert len(model_server.log()) == 1 and "key" in sentence
    (event,) = heard.of(CallSettled)
    assert event.fate == "failed" and CANARY not in event.error


def test_an_unknown_model_stops_at_the_first_call(model_server: RunningServer) -> None:
    model_server.set(models=["something-else"])
    sentence, _ = stopped(model_server.url)
    assert len(model_server.log()) == 1 and "gpt-4.1-mini" in sentence


def test_an_unknown_model_of_one_stage_stops_at_its_first_call(model_server: RunningServer) -> None:
    model_server.set(models=["gpt-4.1-mini"])

    async def work(client: ModelClient) -> None:
        await asyncio.gather(*(client.chat(plain(n)) for n in range(4)))
        await asyncio.gather(*(client.chat(rating(n)) for n in range(8)))

    sentence, _ = stopped(model_server.url, work, stage_models={"rate": "no-such"})
    assert "no-such" in sentence and len(model_server.log()) == 5


def test_a_server_that_never_answers_stops_the_run_before_hours_have_passed(model_server: RunningServer) -> None:
    model_server.set(faults=["hang"])
    sentence, _ = stopped(model_server.url, timeout=0.4)
    assert "did not answer within 0.4 seconds" in sentence and len(model_server.log()) <= 2


def test_a_server_that_fails_every_call_stops_the_run(model_server: RunningServer) -> None:
    model_server.set(faults=["503"])
    sentence, heard = stopped(model_server.url, retries=1)
    assert "No call of gpt-4.1-mini has worked" in sentence and "503" in sentence
    assert len(heard.of(CallSettled)) == 3 and len(model_server.log()) == 6


@pytest.mark.parametrize("key", ["sk-čanary-0123456789", "sk-canary\n0123456789"])
def test_a_key_that_cannot_be_sent_is_said_without_it(model_server: RunningServer, key: str) -> None:
    with pytest.raises(ModelStop, match="characters that no key can have") as caught:
        run(connection(model_server.url), chat_all([rating()]), key=key)
    assert "anary" not in str(caught.value) and not model_server.log()


def test_a_reply_that_is_cut_twice_is_given_up(model_server: RunningServer) -> None:
    (result,) = run(connection(model_server.url, parameters={"max_tokens": 5}), chat_all([rating()]))
    assert result.fate is CallFate.MALFORMED and len(result.attempts) == 2 and "cut" in result.note


@pytest.mark.parametrize("path", ["/v2", "/v1/chat"])
def test_a_missing_endpoint_stops_at_the_first_call(model_server: RunningServer, path: str) -> None:
    sentence, heard = stopped(model_server.root + path)
    assert "API" in sentence
    assert len(heard.of(CallSettled)) == 1


def test_no_server_stops_at_the_first_call() -> None:
    with socket.socket() as taken:  # bound, so that nobody else takes the port, but nobody listens
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        sentence, heard = stopped(f"http://127.0.0.1:{port}/v1")
    assert "No server answers" in sentence and str(port) in sentence
    (event,) = heard.of(CallSettled)
    assert not heard.of(AttemptFailed) and event.retries == 0, "it was tried again before the run ended"


def test_an_account_without_credit_stops_whenever_it_shows(model_server: RunningServer) -> None:
    model_server.set(faults=[{"fault": "quota", "after": 6}])
    sentence, _ = stopped(model_server.url)
    assert "nothing left to spend" in sentence


def test_a_revoked_key_stops_after_the_calls_in_flight(model_server: RunningServer, tmp_path: Path) -> None:
    model_server.set(keys=[CANARY], latency=0.05, echo_key=True, faults=[{"fault": "401", "after": 10}])
    heard = Heard()
    with CallStore(tmp_path / "calls.sqlite") as store:
        with pytest.raises(ModelStop, match="key"):
            run(
                connection(model_server.url, concurrency=4), chat_all([rating(n) for n in range(60)]), store,
                sink=heard, key=CANARY,
            )  # fmt: skip
        log = model_server.log()
        good = [entry for entry in log if entry.outcome == "ok"]
        assert len(log) <= 10 + 4, "more went out than were in flight"
        settled = Counter(event.fate for event in heard.of(CallSettled))
        assert settled["ok"] == len(good) == 10
        assert settled.total() == len(log)
    assert CANARY.encode() not in (tmp_path / "calls.sqlite").read_bytes()
    assert CANARY not in repr(heard)


def test_a_server_that_is_gone_stops_the_run_and_one_that_comes_back_does_not(tmp_path: Path) -> None:
    async def work(client: ModelClient) -> list[CallResult | BaseException]:
        await client.chat(rating(0))
        close.close()
        return await asyncio.gather(*(client.chat(rating(n)) for n in range(1, 9)), return_exceptions=True)

    heard = Heard()
    with contextlib.ExitStack() as close:
        server = close.enter_context(running_server())
        results = run(connection(server.url), work, sink=heard, patience=1.0)
    assert all(isinstance(result, ModelStop) for result in results)
    assert "gone for" in str(results[0])
    assert Counter(event.fate for event in heard.of(CallSettled)) == {"ok": 1, "failed": 8}


def test_a_key_that_a_server_repeats_shows_nowhere(model_server: RunningServer, tmp_path: Path) -> None:
    model_server.set(keys=["another-key-123"], echo_key=True)
    ours = connection(model_server.url)

    async def work(client: ModelClient) -> None:
        assert CANARY not in repr(client) and CANARY not in repr(vars(client.connection))
        with pytest.raises(ModelStop) as caught:
            await client.chat(rating())
        import traceback

        assert CANARY not in "".join(traceback.format_exception(caught.value))

    with CallStore(tmp_path / "calls.sqlite") as store:
        run(ours, work, store, key=CANARY)
    for path in tmp_path.iterdir():
        assert CANARY.encode() not in path.read_bytes(), path


# -- pause, stop, stop at once


def test_pausing_lets_nothing_out_and_resuming_goes_on(model_server: RunningServer) -> None:
    scope = CancelScope()

    async def work(client: ModelClient) -> None:
        await client.chat(rating(0))
        model_server.set(hold=0)
        tasks = [asyncio.ensure_future(client.chat(rating(n))) for n in range(1, 12)]
        await until(lambda: model_server.state()["out"] == 2)
        scope.pause()
        model_server.set(hold=None)
        await until(lambda: sum(task.done() for task in tasks) == 2)
        await asyncio.sleep(0.3)
        assert model_server.state()["arrived"] == 3
        scope.resume()
        await asyncio.gather(*tasks)

    run(connection(model_server.url, concurrency=2), work, scope=scope)
    assert len(model_server.log()) == 12


def test_stopping_lets_calls_in_flight_finish_and_keeps_them(model_server: RunningServer, tmp_path: Path) -> None:
    scope = CancelScope()

    async def work(client: ModelClient) -> list[CallResult | BaseException]:
        await client.chat(rating(99))
        model_server.set(hold=0)
        tasks = [asyncio.ensure_future(client.chat(rating(n))) for n in range(10)]
        await until(lambda: model_server.state()["out"] == 4)
        scope.cancel()
        model_server.set(hold=None)
        return await asyncio.gather(*tasks, return_exceptions=True)

    with CallStore(tmp_path / "calls.sqlite") as store:
        results = run(connection(model_server.url, concurrency=4), work, store, scope=scope)
        done = [result for result in results if isinstance(result, CallResult)]
        assert len(done) == 4 and all(result.fate is CallFate.OK for result in done)
        assert store.known(result.key for result in done) == {result.key for result in done}
    assert sum(isinstance(result, Cancelled) for result in results) == 6
    assert len(model_server.log()) == 5


def test_stopping_at_once_breaks_off_what_is_out_and_records_it(model_server: RunningServer, tmp_path: Path) -> None:
    scope = CancelScope()

    async def work(client: ModelClient) -> list[CallResult | BaseException]:
        await client.chat(rating(99))
        model_server.set(hold=0)  # no reply ever comes: whoever waited for one would wait until the time-out
        tasks = [asyncio.ensure_future(client.chat(rating(n))) for n in range(10)]
        await until(lambda: model_server.state()["out"] == 4)
        scope.abandon()
        return await asyncio.gather(*tasks, return_exceptions=True)

    with CallStore(tmp_path / "calls.sqlite") as store:
        results = run(connection(model_server.url, concurrency=4), work, store, scope=scope)
        done = [result for result in results if isinstance(result, CallResult)]
        assert [result.fate for result in done] == [CallFate.CANCELLED] * 4
        assert all(store.newest(result.key).fate is CallFate.CANCELLED for result in done)  # type: ignore[union-attr]
    assert sum(isinstance(result, Cancelled) for result in results) == 6


def test_stopping_while_a_call_waits_for_its_retry_records_it_as_cancelled(model_server: RunningServer) -> None:
    scope = CancelScope()

    async def work(client: ModelClient) -> CallResult:
        await client.chat(rating(99))
        model_server.set(faults=[{"fault": "rate_limit", "retry_after": 500}])
        task = asyncio.ensure_future(client.chat(rating(1)))
        await until(lambda: heard.of(AttemptFailed))
        scope.cancel()
        return await asyncio.wait_for(task, 120)

    heard = Heard()
    result = run(connection(model_server.url), work, scope=scope, sink=heard)
    assert result.fate is CallFate.CANCELLED and [a.outcome for a in result.attempts] == ["http_429"]
