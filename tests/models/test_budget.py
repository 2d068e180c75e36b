"""Caps in money and calls: never passed, said once, raised while the run waits."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.base.cancel import CancelScope
from explorer.base.errors import Cancelled, InputError
from explorer.base.events import CapReached, InFlight
from explorer.base.fates import CallFate
from explorer.models.budget import Budget, OutputSeen
from explorer.models.call_store import CallStore
from explorer.models.calls import CallResult
from explorer.models.client import ModelClient
from explorer.models.prices import Price
from tests.models.calling import Heard, chat_all, connection, plain, rating, run, until
from tests.servers.running import RunningServer

PRICES = {"gpt-4.1-mini": Price(prompt=1.0, output=10.0)}


@settings(max_examples=200, deadline=None)
@given(
    cap=st.floats(0.0, 10.0),
    calls=st.lists(st.tuples(st.floats(0.0, 2.0), st.floats(0.0, 1.0), st.booleans()), max_size=40),
)
def test_no_order_of_replies_passes_the_cap(cap: float, calls: list[tuple[float, float, bool]]) -> None:
    """Each call costs a part of what it might at most; some replies come before the next call goes out."""
    budget = Budget(max_cost=cap)
    out: list[tuple[int, float]] = []
    for at_most, share, settle_one in calls:
        if budget.over(at_most) is None:
            out.append((budget.take(at_most), at_most * share))
        if settle_one and out:
            budget.settle(*out.pop(0))
        assert budget.cost + budget.reserved <= cap + 1e-9
    for number, cost in out:
        budget.settle(number, cost)
    assert budget.cost <= cap + 1e-9 and budget.reserved == 0


@given(most=st.integers(0, 10), asked=st.integers(0, 20))
def test_no_more_requests_than_the_cap_go_out(most: int, asked: int) -> None:
    budget = Budget(max_calls=most)
    for _ in range(asked):
        if budget.over(None) is None:
            budget.take(None)
    assert budget.requests == min(most, asked)


def test_outputs_are_expected_somewhat_above_the_largest_seen() -> None:
    seen = OutputSeen()
    assert seen.at_most("map") == 0 and seen.at_most("map", 400) == 400
    seen.note("map", 100)
    assert seen.at_most("map") > 200 and seen.at_most("reduce") == 125
    for _ in range(10):
        seen.note("map", 80)
    assert seen.at_most("map") == 126 and seen.at_most("map", 110) == 110


def test_a_first_reply_of_unknown_length_does_not_pass_the_cap(model_server: RunningServer) -> None:
    """The prompt alone would fit into the cap, with the reply it does not."""
    scope = CancelScope()

    async def work(client: ModelClient) -> None:
        task = asyncio.ensure_future(client.chat(plain()))
        await until(lambda: heard.of(CapReached))
        scope.cancel()
        with pytest.raises(Cancelled):
            await task

    heard = Heard()
    run(connection(model_server.url, prices=PRICES), work, scope=scope, sink=heard, max_cost=0.001)
    assert model_server.log() == [] and heard.of(CapReached)[0].spent == 0


def test_a_cap_in_calls_holds_the_run_says_it_once_and_goes_on_when_it_is_raised(
    model_server: RunningServer, tmp_path: Path
) -> None:
    scope = CancelScope()
    heard = Heard()

    async def work(client: ModelClient) -> list[CallResult]:
        tasks = [asyncio.ensure_future(client.chat(rating(n))) for n in range(12)]
        await until(lambda: heard.of(CapReached))  # said when nothing is out any more
        await asyncio.sleep(0.3)
        assert model_server.state()["arrived"] == len(model_server.log()) == 5
        assert sum(task.done() for task in tasks) == 5
        (cap,) = heard.of(CapReached)
        assert (cap.name, cap.spent, cap.cap) == ("max_calls", 5, 5) and "5 of at most 5" in cap.sentence
        scope.set_cap("max_calls", 12)
        return await asyncio.gather(*tasks)

    with CallStore(tmp_path / "calls.sqlite") as store:
        results = run(connection(model_server.url), work, store, sink=heard, scope=scope, max_calls=5)
    assert all(result.fate is CallFate.OK for result in results) and len(model_server.log()) == 12
    assert len(heard.of(CapReached)) == 1


def test_a_run_that_waits_at_a_cap_can_be_stopped(model_server: RunningServer, tmp_path: Path) -> None:
    scope, heard = CancelScope(), Heard()

    async def work(client: ModelClient) -> list[CallResult | BaseException]:
        tasks = [asyncio.ensure_future(client.chat(rating(n))) for n in range(10)]
        await until(lambda: heard.of(CapReached))
        scope.cancel()
        return await asyncio.gather(*tasks, return_exceptions=True)

    with CallStore(tmp_path / "calls.sqlite") as store:
        results = run(connection(model_server.url), work, store, scope=scope, sink=heard, max_calls=3)
        done = [result for result in results if isinstance(result, CallResult)]
        assert len(done) == 3 and len(store.known(result.key for result in done)) == 3
    assert sum(isinstance(result, Cancelled) for result in results) == 7


def test_a_cap_in_money_is_not_passed_and_replies_from_the_store_count_for_nothing(
    model_server: RunningServer, tmp_path: Path
) -> None:
    ours = connection(model_server.url, prices=PRICES)
    cap = 0.003
    with CallStore(tmp_path / "calls.sqlite") as store:
        done = 0
        for _ in range(2):
            scope, heard = CancelScope(), Heard()
            model_server.reset(latency=(0.0, 0.05))

            async def work(client: ModelClient) -> list[CallResult | BaseException]:
                tasks = [asyncio.ensure_future(client.chat(rating(n))) for n in range(40)]
                await until(lambda: heard.of(CapReached))
                scope.cancel()
                return await asyncio.gather(*tasks, return_exceptions=True)

            results = run(ours, work, store, scope=scope, sink=heard, max_cost=cap)
            paid = sum(e.prompt_tokens * 1.0 + e.output_tokens * 10.0 for e in model_server.log()) / 1e6
            assert 0.6 * cap < paid <= cap
            fresh = [r for r in results if isinstance(r, CallResult) and r.fate is CallFate.OK]
            cached = [r for r in results if isinstance(r, CallResult) and r.fate is CallFate.CACHED]
            assert len(cached) == done and len(fresh) > 5
            done += len(fresh)
            assert max(event.cost_at_most or 0.0 for event in heard.of(InFlight)) <= cap
            assert f"of at most US$ {cap:.4f}" in heard.of(CapReached)[0].sentence


def test_a_cap_in_money_without_a_price_is_refused_before_any_call(model_server: RunningServer) -> None:
    with pytest.raises(InputError, match=r"own-model.*max_calls"):
        run(connection(model_server.url, chat_model="own-model"), chat_all([rating()]), max_cost=1.0)
    with pytest.raises(InputError, match="cheap-one"):
        run(connection(model_server.url, stage_models={"rate": "cheap-one"}), chat_all([plain()]), max_cost=1.0)
    assert not model_server.log()


def test_retries_count_as_calls(model_server: RunningServer) -> None:
    scope, heard = CancelScope(), Heard()
    model_server.set(faults=[{"fault": "500", "after": 1}])

    async def work(client: ModelClient) -> CallResult:
        await client.chat(rating(0))
        task = asyncio.ensure_future(client.chat(rating(1)))
        await until(lambda: heard.of(CapReached))
        scope.cancel()
        return await task

    result = run(connection(model_server.url), work, scope=scope, sink=heard, max_calls=3)
    assert len(model_server.log()) == 3 and result.fate is CallFate.CANCELLED and len(result.attempts) == 2
