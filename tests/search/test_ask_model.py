"""Questions through a connection, against a server that speaks as OpenAI's does: what it charges, loses and refuses."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from checkers.ledger_checker import check_trace

from explorer.base.cancel import CancelScope
from explorer.base.errors import InputError
from explorer.base.events import CapReached, Event, InFlight, TextStreamed
from explorer.models.call_store import CALLS_NAME, CallStore
from explorer.models.connection import Connection
from explorer.models.prices import Price
from explorer.search.ask_model import ask_model, model_defaults
from explorer.search.options import GlobalOptions
from explorer.search.trace import Trace
from explorer.tables.index import Index
from search.small_index import make_index
from tests.servers.running import RunningServer
from tests.servers.settings import FaultRule

PRICE = Price(prompt=2.0, output=8.0)
QUESTION = "What do word2 and word3 have in common?"
CANARY = "sk-canary-7d41e0c2b9"


def connection(server: RunningServer, **given: Any) -> Connection:
    values = {"chat_model": "m", "key": "none", "prices": {"m": PRICE}, "retries": 3, "timeout": 120.0, **given}
    return Connection(name="mine", base_url=server.url, **values)


def ask(
    index: Index,
    server: RunningServer,
    *,
    sink: Callable[[Event], None] = lambda event: None,
    scope: CancelScope | None = None,
    mine: Connection | None = None,
    key: str | None = CANARY,
    knobs: dict[str, Any] | None = None,
    **given: Any,
) -> Trace:
    """Ask, and have the trace checked by someone who sees only the tables and the replies."""
    options = GlobalOptions(**{"max_context_tokens": 60, "concurrency": 4, **(knobs or {})})
    trace = asyncio.run(
        ask_model(
            index, QUESTION, options, mine or connection(server), key, sink=sink, scope=scope or CancelScope(), **given
        )
    )
    text = trace.model_dump_json()
    assert check_trace(json.loads(text), index.output) == []
    assert trace.ledger.balanced
    assert CANARY not in text
    return trace


def charged(server: RunningServer) -> float:
    """US dollars for all that the server counted in replies that it could send to their end."""
    whole = [entry for entry in server.log("chat") if entry.answered is not None]
    return sum(PRICE.cost(entry.prompt_tokens, entry.output_tokens) for entry in whole)


def cost_of(trace: Trace) -> float:
    costs = [sums.cost for sums in trace.totals.values()]
    assert None not in costs
    return sum(cost or 0.0 for cost in costs)


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return make_index(tmp_path)


def test_an_answer_costs_what_the_server_charged_and_the_second_time_nothing(
    index: Index, model_server: RunningServer
) -> None:
    first = ask(index, model_server)
    assert first.answer.status == "answered"
    assert [call.fate for call in first.calls] == ["ok"] * 6
    assert first.connection.model_dump() == {"name": "mine", "model": "m", "models": {"map": "m", "reduce": "m"}}
    requests = model_server.log("chat")
    assert [entry.task for entry in requests].count("map_points") == 5
    assert sum(sums.prompt_tokens for sums in first.totals.values()) == sum(entry.prompt_tokens for entry in requests)
    assert cost_of(first) == pytest.approx(charged(model_server))
    assert all(len(call.attempts) == 1 and call.key for call in first.calls)
    second = ask(index, model_server)
    assert len(model_server.log("chat")) == 6
    assert {call.fate for call in second.calls} == {"cached"}
    assert cost_of(second) == 0.0
    assert second.answer == first.answer
    assert second.points == first.points


def test_a_third_of_all_requests_failing_changes_neither_the_answer_nor_the_ledger(
    tmp_path: Path, shared: Path, model_server: RunningServer
) -> None:
    from explorer.tables.index import open_index

    index = open_index(shared / "indexes/microsoft/verbs-v3.1.2")
    kinds = ("500", "503", "rate_limit", "drop", "drop_body", "empty_body", "empty_content", "truncated", "prose",
             "fenced", "wrong_types", "nonsense", "refusal")  # fmt: skip
    faults = [FaultRule(kind, probability=0.3 / len(kinds) * 1.15, seed=5, retry_after=0.05) for kind in kinds]
    model_server.set(faults=faults)
    trace = ask(index, model_server, knobs={"max_context_tokens": 2500, "concurrency": 8})
    requests = model_server.log("chat")
    bad = [entry for entry in requests if entry.outcome != "ok"]
    assert len(trace.batches) > 30
    assert 0.15 < len(bad) / len(requests) < 0.45
    assert trace.answer.status == "answered"
    assert sum(call.retries for call in trace.calls) == len(requests) - len(trace.calls)
    assert {attempt.outcome for call in trace.calls for attempt in call.attempts} >= {"ok", "http_500", "malformed"}
    assert cost_of(trace) == pytest.approx(charged(model_server))
    for call in trace.calls:
        assert call.fate in ("ok", "repaired", "malformed", "failed")
        assert bool(call.note) or call.fate != "repaired"


def test_a_model_that_never_follows_the_schema_fails_batch_by_batch_with_a_reason(
    index: Index, model_server: RunningServer
) -> None:
    model_server.set(faults=[FaultRule("nonsense", task="map_points"), FaultRule("nonsense", task="text")])
    trace = ask(index, model_server)
    assert trace.answer.status == "failed"
    assert {batch.fate for batch in trace.batches} == {"malformed"}
    assert "all 5 batches were lost" in trace.answer.reason
    assert all(call.error and len(call.attempts) == 3 for call in trace.calls)
    assert trace.waste.share == 1.0
    assert cost_of(trace) == pytest.approx(charged(model_server))
    model_server.set(faults=[])
    healed = ask(index, model_server)  # what cannot be read is never served again
    assert healed.answer.status == "answered"
    assert {call.fate for call in healed.calls} == {"ok"}


def test_a_server_that_holds_no_model_to_a_schema_is_asked_in_words(index: Index, model_server: RunningServer) -> None:
    model_server.set(modes=["text"], keep_bodies=True)
    trace = ask(index, model_server)
    assert {batch.fate for batch in trace.batches} <= {"relevant", "nothing_relevant"}
    assert set(trace.ledger.calls.fates) == {"ok"}
    (last, *_) = [entry for entry in reversed(model_server.log("chat")) if entry.task == "map_points"]
    assert "response_format" not in last.request
    assert '"points"' in last.request["messages"][-1]["content"]


def test_a_server_that_counts_nothing_is_counted_here(index: Index, model_server: RunningServer) -> None:
    model_server.set(usage=False)
    trace = ask(index, model_server, mine=connection(model_server, tokenizer="cl100k_base"))
    maps = [call for call in trace.calls if call.stage == "map"]
    assert [call.prompt_tokens for call in maps] == [batch.prompt_tokens for batch in trace.batches]
    assert all((call.cost or 0.0) > 0.0 for call in trace.calls)


def test_refused_batches_are_lost_and_said(index: Index, model_server: RunningServer) -> None:
    model_server.set(faults=[FaultRule("refusal", task="map_points", match="word2 word2")])
    trace = ask(index, model_server)
    (lost,) = [batch for batch in trace.batches if batch.fate == "failed"]
    (call,) = [call for call in trace.calls if call.id == lost.call]
    assert "refuses" in (call.error or "")
    assert trace.answer.status == "answered"
    assert trace.ledger.reports.fates["batch_lost"] == 1


@pytest.mark.parametrize(
    ("settings", "given", "words"),
    [
        ({"keys": ["right"]}, {}, "key"),
        ({"models": ["another"]}, {}, "m"),
        ({"chat": False}, {}, ""),
    ],
)
def test_a_useless_connection_ends_the_run_at_its_first_call(
    index: Index, model_server: RunningServer, settings: dict[str, Any], given: dict[str, Any], words: str
) -> None:
    model_server.set(**settings, echo_key=True)
    trace = ask(index, model_server, mine=connection(model_server, key="session", **given))
    assert len(model_server.log()) == 1
    assert trace.answer.status == "failed"
    assert words in trace.answer.reason and "5 of 5 batches were not read" in trace.answer.reason
    assert [call.fate for call in trace.calls] == ["failed"]
    assert {batch.fate for batch in trace.batches} == {"failed"}
    assert [batch.call for batch in trace.batches].count(None) == 4
    assert cost_of(trace) == 0.0
    stored = b"".join(path.read_bytes() for path in index.home.rglob("calls.sqlite*"))
    assert CANARY.encode() not in stored


def test_no_server_ends_the_run(index: Index, model_server: RunningServer) -> None:
    gone = Connection(name="mine", base_url="http://127.0.0.1:9/v1", chat_model="m", key="none", retries=0)
    trace = ask(index, model_server, mine=gone)
    assert trace.answer.status == "failed"
    assert {batch.fate for batch in trace.batches} == {"failed"}
    assert len(trace.calls) == 1


def test_a_key_that_is_revoked_ends_the_run_after_the_calls_that_are_out(
    index: Index, model_server: RunningServer
) -> None:
    model_server.set(faults=[FaultRule("401", after=2)])
    trace = ask(index, model_server, knobs={"concurrency": 2})
    assert trace.answer.status == "failed"
    assert trace.totals["reduce"].calls == 0
    fates = [batch.fate for batch in trace.batches]
    assert len([batch for batch in trace.batches if batch.call]) == len(model_server.log("chat"))
    assert fates.count("relevant") + fates.count("nothing_relevant") == 2
    assert fates.count("failed") == 3
    model_server.set(faults=[])
    again = ask(index, model_server)
    assert again.answer.status == "answered"
    assert [call.fate for call in again.calls].count("cached") == 2


def test_a_cancelled_run_keeps_the_calls_that_were_out(index: Index, model_server: RunningServer) -> None:
    model_server.set(hold=1)
    scope = CancelScope()

    def stop(event: Event) -> None:
        if isinstance(event, InFlight) and event.calls == 2:  # they are sent now, whatever is cancelled
            scope.cancel()
            model_server.set(hold=None)

    trace = ask(index, model_server, sink=stop, scope=scope, knobs={"concurrency": 2})
    assert trace.answer.status == "cancelled"
    assert "batches unread" in trace.answer.reason
    requests = model_server.log("chat")
    assert len(requests) == 3
    assert [call.fate for call in trace.calls] == ["ok"] * len(requests)
    assert cost_of(trace) == pytest.approx(charged(model_server))
    again = ask(index, model_server)
    assert [call.fate for call in again.calls].count("cached") == len(requests)


def test_an_abandoned_run_says_what_was_broken_off(index: Index, model_server: RunningServer) -> None:
    model_server.set(hold=1)
    scope = CancelScope()

    def stop(event: Event) -> None:
        if isinstance(event, InFlight) and event.calls == 2:
            scope.abandon()

    trace = ask(index, model_server, sink=stop, scope=scope)
    assert trace.answer.status == "cancelled"
    assert trace.ledger.calls.fates["cancelled"] >= 1


@pytest.mark.parametrize("caps", [{"max_calls": 2}, {"max_cost": 0.0009}])
def test_at_a_cap_the_run_waits_and_a_stop_ends_it_with_what_it_has(
    index: Index, model_server: RunningServer, caps: dict[str, Any]
) -> None:
    scope = CancelScope()
    reached: list[CapReached] = []

    def stop(event: Event) -> None:
        if isinstance(event, CapReached):
            reached.append(event)
            scope.cancel()

    trace = ask(index, model_server, sink=stop, scope=scope, **caps)
    assert trace.answer.status == "cancelled"
    assert len(reached) == 1
    assert reached[0].sentence in trace.answer.reason
    assert cost_of(trace) <= caps.get("max_cost", 1.0)
    assert len(model_server.log("chat")) <= caps.get("max_calls", 99)


def test_a_cap_that_is_raised_lets_the_run_go_on(index: Index, model_server: RunningServer) -> None:
    scope = CancelScope()

    def more(event: Event) -> None:
        if isinstance(event, CapReached):
            scope.set_cap(event.name, event.cap + 2)

    trace = ask(index, model_server, sink=more, scope=scope, max_calls=1)
    assert trace.answer.status == "answered"
    assert len(model_server.log("chat")) == 6


def test_a_cap_in_money_without_a_price_is_refused_before_any_call(index: Index, model_server: RunningServer) -> None:
    with pytest.raises(InputError, match="no price is known for m"):
        ask(index, model_server, mine=connection(model_server, prices={}), max_cost=1.0)
    assert not model_server.log()


def test_an_unknown_price_is_null_and_said(index: Index, model_server: RunningServer) -> None:
    trace = ask(index, model_server, mine=connection(model_server, prices={}))
    assert {call.cost for call in trace.calls} == {None}
    assert (trace.totals["map"].cost, trace.waste.cost) == (None, None)
    assert any("No price is known for the model 'm'" in note for note in trace.notes)


def test_one_batch_asked_anew_is_the_only_one_that_is_paid_again(index: Index, model_server: RunningServer) -> None:
    first = ask(index, model_server)
    model_server.set(faults=[])
    key = first.calls[3].key
    again = ask(index, model_server, anew=[key], retry=frozenset())
    assert len(model_server.log("chat")) == 7
    assert [call.fate for call in again.calls] == ["cached", "cached", "cached", "ok", "cached", "cached"]
    assert again.calls[3].key != key
    after = ask(index, model_server)  # the newest reply stands from now on
    assert [call.key for call in after.calls] == [call.key for call in again.calls]
    assert len(model_server.log("chat")) == 7


def test_failed_calls_stay_as_they_are_where_another_one_is_asked_anew(
    index: Index, model_server: RunningServer
) -> None:
    model_server.set(faults=[FaultRule("refusal", task="map_points", match="word[34] word[34]")])
    first = ask(index, model_server)
    lost = [call for call in first.calls if call.fate == "failed"]
    assert [call.id for call in lost] == ["map-0003", "map-0004"]
    model_server.set(faults=[])
    before = len(model_server.log("chat"))
    again = ask(index, model_server, anew=[lost[0].key], retry=frozenset())
    assert [call.fate for call in again.calls if call.stage == "map"].count("failed") == 1
    assert [entry.task for entry in model_server.log("chat")[before:]] == ["map_points", "text"]
    whole = ask(index, model_server)
    assert not [call for call in whole.calls if call.fate == "failed"]


def test_the_answer_comes_in_pieces(index: Index, model_server: RunningServer) -> None:
    pieces: list[str] = []

    def listen(event: Event) -> None:
        if isinstance(event, TextStreamed):
            assert event.stage == "reduce"
            pieces.append(event.text)

    trace = ask(index, model_server, sink=listen)
    assert len(pieces) > 1
    assert "".join(pieces) == trace.answer.text


def test_another_model_for_a_stage_and_its_price(index: Index, model_server: RunningServer) -> None:
    prices = {"small": Price(prompt=1.0, output=1.0), "large": Price(prompt=10.0, output=10.0)}
    mine = connection(model_server, chat_model="large", stage_models={"map": "small"}, prices=prices)
    trace = ask(index, model_server, mine=mine)
    assert {call.model for call in trace.calls if call.stage == "map"} == {"small"}
    assert trace.connection.model == "large (reduce), small (map)"
    by_model = {
        name: sum(price.cost(entry.prompt_tokens, entry.output_tokens) for entry in model_server.log("chat")
                  if entry.model == name)
        for name, price in prices.items()
    }  # fmt: skip
    assert cost_of(trace) == pytest.approx(sum(by_model.values()))


def test_edited_prompts_are_sent_counted_and_said(index: Index, model_server: RunningServer) -> None:
    from explorer.planning.plan import plan

    model_server.set(keep_bodies=True)
    folder = index.home / "prompts"
    folder.mkdir(parents=True)
    text = 'MY OWN PROMPT, $max_length words. Give "points", each with a "score".\n\nReports:\n$context_data\n'
    (folder / "map_points.txt").write_text(text, "utf-8")
    trace = ask(index, model_server)
    sent = [entry.request["messages"][0]["content"] for entry in model_server.log("chat") if entry.task == "map_points"]
    assert len(sent) == 5 and all(text.startswith("MY OWN PROMPT, 1000 words.") for text in sent)
    assert any("map_points" in note for note in trace.notes)
    options = GlobalOptions(max_context_tokens=60)
    planned = plan(index, options, QUESTION, connection=connection(model_server))
    assert [batch.prompt_tokens for batch in planned.batches] == [batch.prompt_tokens for batch in trace.batches]


def test_the_plan_knows_which_batches_are_paid_for(index: Index, model_server: RunningServer) -> None:
    from explorer.planning.plan import plan

    options = GlobalOptions(max_context_tokens=60)
    mine = connection(model_server, parameters={"temperature": 0.0}, stage_parameters={"map": {"seed": 7}})
    assert plan(index, options, QUESTION, connection=mine).stored == 0
    model_server.set(faults=[FaultRule("refusal", task="map_points", match="word3 word3")])
    first = ask(index, model_server, mine=mine)
    assert plan(index, options, QUESTION, connection=mine).stored == 4
    assert plan(index, options, "Another question?", connection=mine).stored == 0
    assert plan(index, options, QUESTION, connection=connection(model_server)).stored == 0
    model_server.set(faults=[])
    ask(index, model_server, mine=mine, anew=[first.calls[0].key])
    assert plan(index, options, QUESTION, connection=mine).stored == 5


def test_every_call_of_a_run_is_in_the_store_of_the_index(index: Index, model_server: RunningServer) -> None:
    trace = ask(index, model_server)
    with CallStore(index.home / CALLS_NAME) as store:
        for call in trace.calls:
            opened = store.open_call(call.key)
            assert opened is not None and opened.reply == call.reply
            assert [content for _, content in opened.messages] == [message.content for message in call.messages]


def test_the_knobs_of_a_connection(model_server: RunningServer) -> None:
    assert model_defaults(None) == {}
    assert model_defaults(connection(model_server, concurrency=3)) == {"tokenizer": "cl100k_base", "concurrency": 3}
    assert model_defaults(connection(model_server, chat_model="gpt-4o"))["tokenizer"] == "o200k_base"
    assert model_defaults(connection(model_server, chat_model="openai/gpt-4o"))["tokenizer"] == "o200k_base"
    assert model_defaults(connection(model_server, tokenizer="o200k_base"))["tokenizer"] == "o200k_base"
