"""Whole runs with an analyst that says what the test wrote down."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from servers.scripted_analyst import Said, ScriptedAnalyst, points

from explorer.base.cancel import CancelScope
from explorer.base.events import CallSettled, Event, StageFinished, StageStarted
from explorer.base.tokens import count_tokens
from explorer.search.global_search import global_search
from explorer.search.options import GlobalOptions
from explorer.search.trace import Trace
from explorer.tables.index import Index
from search.small_index import make_index

SMALL = {"max_context_tokens": 60}  # two of the small index's reports do not fit: a batch a report


def ask(index: Index, analyst: ScriptedAnalyst, scope: CancelScope | None = None, **options: object) -> Trace:
    return asyncio.run(
        global_search(index, "Who?", analyst, GlobalOptions(**{**SMALL, **options}), scope=scope)  # type: ignore[arg-type]
    )


def test_an_answer_with_every_fate_that_replies_can_bring(tmp_path: Path) -> None:
    analyst = ScriptedAnalyst(
        [
            Said(points(("best", 90), ("nothing", 0), ("no score", None))),
            Said(points(("none", 0))),
            Said("I will not."),
            Said(how="failed"),
            Said("```json\n" + points(("fenced", 50)) + "\n```"),
        ]
    )
    trace = ask(make_index(tmp_path), analyst)
    assert trace.answer.status == "answered"
    assert [batch.fate for batch in trace.batches] == [
        "relevant",
        "nothing_relevant",
        "malformed",
        "failed",
        "relevant",
    ]
    assert [call.fate for call in trace.calls] == ["ok", "ok", "malformed", "failed", "repaired", "ok"]
    assert [(point.text, point.fate, point.rank) for point in trace.points] == [
        ("best", "kept", 1),
        ("nothing", "zero_score", None),
        ("no score", "malformed", None),
        ("none", "zero_score", None),
        ("fenced", "kept", 2),
    ]
    assert {report.fate for report in trace.reports} == {"read", "batch_lost"}
    lost = {report.batch for report in trace.reports if report.fate == "batch_lost"}
    assert lost == {2, 3}
    assert trace.ledger.balanced
    assert trace.ledger.reports.candidates == 5
    (kept, data), *_ = analyst.reduced
    assert [(point.rank, point.score, point.batch) for point in kept] == [(1, 90, 0), (2, 50, 4)]
    assert data.startswith("----Analyst 1----\nImportance Score: 90\nbest\n\n----Analyst 5----")


def test_waste_is_the_map_tokens_of_batches_without_a_kept_point_and_failed_calls(tmp_path: Path) -> None:
    script = [Said(points(("best", 90))), Said(points()), Said("?"), Said(how="failed"), Said(points(("b", 1)))]
    trace = ask(make_index(tmp_path), ScriptedAnalyst(script), as_model="gpt-4o-mini")
    tokens = {call.id: call.prompt_tokens for call in trace.calls}
    wasted = sum(tokens[f"map-000{at}"] for at in (1, 2, 3))
    assert trace.waste.prompt_tokens == wasted
    assert trace.waste.share == pytest.approx(wasted / sum(tokens.values()), abs=1e-6)
    output = sum(call.output_tokens for call in trace.calls if call.id in ("map-0001", "map-0002", "map-0003"))
    assert trace.waste.cost == pytest.approx((wasted * 0.15 + output * 0.60) / 1e6)
    assert trace.totals["map"].prompt_tokens + trace.totals["reduce"].prompt_tokens == sum(tokens.values())
    assert trace.totals["map"].retries == 3


def test_an_unknown_price_is_unknown_and_a_cached_call_costs_nothing(tmp_path: Path) -> None:
    script = [Said(points(("best", 90)), "cached")]
    free = ask(make_index(tmp_path), ScriptedAnalyst(script), level=0, max_context_tokens=5000)
    assert [call.fate for call in free.calls] == ["cached", "ok"]
    assert [call.cost for call in free.calls] == [None, None]
    assert (free.totals["map"].cost, free.waste.cost) == (None, None)
    priced = ask(make_index(tmp_path), ScriptedAnalyst(script), level=0, max_context_tokens=5000, as_model="gpt-4o")
    assert priced.totals["map"].cost == 0.0
    reduce = priced.totals["reduce"]
    assert reduce.cost == pytest.approx((reduce.prompt_tokens * 2.5 + reduce.output_tokens * 10) / 1e6)
    unknown = ask(make_index(tmp_path), ScriptedAnalyst(script), as_model="no-such-model")
    assert [call.cost for call in unknown.calls] == [None] * len(unknown.calls)
    assert "No price is known for the model 'no-such-model'" in unknown.notes[-1]


def test_nothing_relevant_makes_no_reduce_call(tmp_path: Path) -> None:
    analyst = ScriptedAnalyst([Said(points())] * 5)
    trace = ask(make_index(tmp_path), analyst)
    assert trace.answer.status == "nothing_relevant"
    assert trace.answer.text
    assert not analyst.reduced
    assert trace.totals["reduce"].calls == 0
    assert (trace.reduce.used, trace.reduce.stopped_at) == (0, None)


def test_losing_every_batch_is_a_failure_and_not_an_honest_nothing(tmp_path: Path) -> None:
    trace = ask(make_index(tmp_path), ScriptedAnalyst([Said(how="failed")] * 5))
    assert trace.answer.status == "failed"
    assert "HTTP 500" in trace.answer.reason
    some = ask(make_index(tmp_path), ScriptedAnalyst([Said(how="failed")] * 4))
    assert some.answer.status == "nothing_relevant"
    assert "4 of 5 batches were lost" in some.answer.reason


def test_a_reduce_call_that_brings_nothing_is_a_failure(tmp_path: Path) -> None:
    for said in (Said(how="failed"), Said("  "), Said(how="raise")):
        trace = ask(make_index(tmp_path), ScriptedAnalyst([Said(points(("a", 1)))], answer=said))
        assert trace.answer.status == "failed"
        assert trace.answer.reason
        assert (trace.calls[-1].stage, trace.calls[-1].fate) == ("reduce", "failed")
        assert trace.calls[-1].error
        assert trace.ledger.balanced


def test_not_even_the_best_point_fits(tmp_path: Path) -> None:
    analyst = ScriptedAnalyst([Said(points(("a long point " * 20, 99), ("b", 1)))])
    trace = ask(make_index(tmp_path), analyst, data_max_tokens=20)
    assert trace.answer.status == "failed"
    assert "data_max_tokens" in trace.answer.reason
    assert not analyst.reduced
    assert [point.fate for point in trace.points] == ["cut_by_budget", "would_have_fitted"]
    assert (trace.reduce.used, trace.reduce.stopped_at) == (0, 1)


def test_an_analyst_that_raises_loses_its_batch_alone(tmp_path: Path) -> None:
    trace = ask(make_index(tmp_path), ScriptedAnalyst([Said(how="raise"), Said(points(("a", 5)))]))
    assert trace.answer.status == "answered"
    assert trace.batches[0].fate == "failed"
    assert trace.calls[0].error == "RuntimeError: the analyst broke"
    assert trace.calls[0].messages


def test_the_order_in_which_replies_come_changes_nothing(tmp_path: Path) -> None:
    def run(delays: list[int], concurrency: int) -> dict[str, object]:
        script = [Said(points((f"p{at}", 50)), delay=delay) for at, delay in enumerate(delays)]
        trace = ask(make_index(tmp_path), ScriptedAnalyst(script), concurrency=concurrency)
        value = trace.model_dump(mode="json")
        for key in ("started", "seconds", "totals", "parameters"):
            value.pop(key)
        for call in value["calls"]:
            call.pop("seconds")
        return value

    assert run([9, 5, 0, 7, 2], 25) == run([0, 0, 0, 0, 0], 25) == run([1, 2, 3, 4, 5], 1)


def test_no_more_calls_are_out_at_once_than_asked(tmp_path: Path) -> None:
    analyst = ScriptedAnalyst([Said(points(), delay=5)] * 5)
    ask(make_index(tmp_path), analyst, concurrency=2)
    assert analyst.most_out == 2


def test_cancelling_while_calls_are_out_ends_the_run_with_a_fate_for_everything(tmp_path: Path) -> None:
    scope = CancelScope()
    script = [Said(points(("found", 40), ("zero", 0))), Said(how="cancel_run")]
    analyst = ScriptedAnalyst(script, scope=scope)
    trace = ask(make_index(tmp_path), analyst, scope, concurrency=1)
    assert trace.answer.status == "cancelled"
    assert [batch.fate for batch in trace.batches] == ["relevant", *["cancelled"] * 4]
    assert [batch.call for batch in trace.batches] == ["map-0000", "map-0001", None, None, None]
    assert [call.fate for call in trace.calls] == ["ok", "cancelled"]
    assert sorted(str(report.fate) for report in trace.reports) == ["batch_lost"] * 4 + ["read"]
    assert [point.fate for point in trace.points] == ["kept", "zero_score"]
    assert trace.ledger.balanced
    assert not analyst.reduced


def test_cancelled_before_the_first_call(tmp_path: Path) -> None:
    scope = CancelScope()
    scope.cancel()
    trace = ask(make_index(tmp_path), ScriptedAnalyst([]), scope)
    assert trace.answer.status == "cancelled"
    assert not trace.calls
    assert trace.ledger.balanced


def test_cancelled_while_the_answer_is_written(tmp_path: Path) -> None:
    for how in ("cancel_run", "cancelled", "raise_cancelled"):
        scope = CancelScope()
        analyst = ScriptedAnalyst([Said(points(("a", 1)))], answer=Said(how=how), scope=scope)
        trace = ask(make_index(tmp_path), analyst, scope)
        assert trace.answer.status == "cancelled"
        assert trace.calls[-1].fate == "cancelled"
        assert trace.ledger.balanced


def test_a_paused_run_waits_and_goes_on(tmp_path: Path) -> None:
    scope = CancelScope()
    analyst = ScriptedAnalyst([Said(points(("a", 1)))])

    async def run() -> Trace:
        scope.pause()
        task = asyncio.ensure_future(
            global_search(make_index(tmp_path), "Who?", analyst, GlobalOptions(max_context_tokens=60), scope=scope)
        )
        await asyncio.sleep(0.2)
        assert not analyst.batches
        scope.resume()
        return await task

    assert asyncio.run(run()).answer.status == "answered"


def test_events_tell_of_stages_and_calls(tmp_path: Path) -> None:
    events: list[Event] = []
    asyncio.run(
        global_search(
            make_index(tmp_path),
            "Who?",
            ScriptedAnalyst([Said(points(("a", 1)))]),
            GlobalOptions(max_context_tokens=60),
            sink=events.append,
        )
    )
    assert [event.stage for event in events if isinstance(event, StageStarted)] == ["map", "reduce"]
    assert [event.stage for event in events if isinstance(event, StageFinished)] == ["map", "reduce"]
    assert len([event for event in events if isinstance(event, CallSettled)]) == 6


def test_prompt_tokens_are_those_of_the_messages_as_sent(tmp_path: Path) -> None:
    from explorer.analysts.prompts import map_messages

    analyst = ScriptedAnalyst([Said(points(("a", 1)))], map_max_length=77)
    trace = ask(make_index(tmp_path), analyst, map_max_length=77)
    for batch, call, read in zip(trace.batches, trace.calls[:-1], analyst.batches, strict=True):
        assert call.prompt_tokens == batch.prompt_tokens
        messages = map_messages("Who?", read.text, 77)
        assert batch.prompt_tokens == read.prompt_tokens == sum(count_tokens(part.content) for part in messages)


def test_an_index_without_reports_has_nothing_to_say(tmp_path: Path) -> None:
    trace = ask(make_index(tmp_path, without_report=range(5)), ScriptedAnalyst([]))
    assert trace.answer.status == "nothing_relevant"
    assert "No report" in trace.answer.text
    assert trace.ledger.reports.fates == {"no_report": 5}
    assert not trace.batches


def test_the_trace_goes_through_json_and_back(tmp_path: Path) -> None:
    reply = '{"points": [{"description": "x\\ud83dy", "score": 5}, {"description": "y", "score": 1e999}]}'
    trace = asyncio.run(
        global_search(
            make_index(tmp_path), "Who\udcff?", ScriptedAnalyst([Said(reply)]), GlobalOptions(max_context_tokens=60)
        )
    )
    assert Trace.model_validate_json(trace.model_dump_json()) == trace
    assert trace.points[1].given_score == "inf"


def test_the_index_that_is_asked_is_not_touched(shared: Path) -> None:
    from explorer.tables.index import open_index

    folder = shared / "indexes/microsoft/dulce-v3.0.0"
    before = sorted((path, path.stat().st_mtime_ns) for path in folder.rglob("*"))
    index = open_index(folder)
    ask(index, ScriptedAnalyst([Said(points(("a", 1)))]))
    assert sorted((path, path.stat().st_mtime_ns) for path in folder.rglob("*")) == before
