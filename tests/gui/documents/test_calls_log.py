"""The log of calls: counts by hand, bounded however many calls go by."""

from __future__ import annotations

import pytest

from explorer.base.events import AttemptFailed, CallSettled, CapReached, InFlight
from explorer.gui.calls_log import MOST_LOST, NEWEST, CallsLog


def call(number: int, fate: str = "ok", stage: str = "extract", cost: float | None = 0.01, **more) -> CallSettled:
    return CallSettled(stage, fate, 100, 20, 0.5, key=f"k{number}", subject=f"unit {number}", cost=cost, **more)


def test_counts_by_stage_and_by_file() -> None:
    log = CallsLog()
    log.take(
        [
            call(1, files=("a.txt",)),
            call(2, stage="glean", files=("a.txt",)),
            call(3, "failed", error="HTTP 500", files=("b.txt",)),
            CallSettled("describe", "ok", 100, 20, key="k4", cost=0.02, files=("a.txt", "b.txt")),
            CallSettled("reports", "cached", key="k5", cost=0.0),
        ]
    )
    assert (log.total.calls, log.total.cached, log.total.lost, log.total.tokens) == (5, 1, 1, 480)
    assert log.total.cost == pytest.approx(0.05)
    assert log.stages["extract"].calls == 3, "a second look is a part of finding entities"
    assert log.kinds["glean"].calls == 1
    assert (log.files["a.txt"].tokens, log.files["a.txt"].cost) == (300, pytest.approx(0.03))
    assert (log.files["b.txt"].calls, log.files["b.txt"].lost) == (2, 1)
    assert log.reasons == {"HTTP 500": 1}
    assert log.lost_keys() == {"k3"} and log.lost_keys("a.txt") == frozenset()
    assert [event.key for event in log.shown()] == ["k3", "k5", "k4", "k2", "k1"]


def test_money_that_is_not_known_is_never_0() -> None:
    log = CallsLog()
    log.take([call(1), call(2, cost=None)])
    assert log.total.cost is None


def test_ten_thousand_calls_are_counted_and_few_are_kept() -> None:
    log = CallsLog()
    log.take(call(number, "failed" if number % 5 == 0 else "ok") for number in range(10_000))
    assert (log.total.calls, log.total.lost) == (10_000, 2_000)
    assert len(log.shown()) == MOST_LOST + NEWEST
    assert log.shown()[0].fate == "failed" and log.shown()[MOST_LOST].key == "k9999"


def test_what_is_out_and_why_a_call_waits() -> None:
    log = CallsLog()
    assert log.take([InFlight(3, 0.01), AttemptFailed("extract", "u1", "http_429", 4.2, 1)])
    assert (log.out, log.out_cost, log.waiting) == (3, 0.01, "a call had HTTP 429, again in 4 s")
    log.take([CapReached("max_cost", 0.5, 0.5, "The cap is reached."), call(1)])
    assert log.cap is not None and log.waiting == ""
