"""What a run says of itself while it goes on, from its events alone."""

from __future__ import annotations

from explorer.base.events import (
    AttemptFailed,
    CallSettled,
    CapReached,
    InFlight,
    Notice,
    StageProgress,
    StageStarted,
    TextStreamed,
)
from explorer.gui.places.ask.live import LiveRun


def settled(fate: str = "ok", cost: float | None = 0.25, tokens: int = 100) -> CallSettled:
    return CallSettled("map", fate, tokens, 10 if tokens else 0, 1.0, "key", "batch 1", "m", cost)


def test_calls_and_money_so_far() -> None:
    live = LiveRun()
    assert live.line() == "Getting ready … · 0 calls · $0.0000 so far"
    live.take([StageStarted("map", 8), settled(), settled("failed", 0.0, 0), settled("cached", 0.0, 0)])
    live.take([StageProgress("map", 3, 8)])
    assert live.line() == "3 of 8 batches read · 2 calls · 1 from the store · 1 lost · $0.25 so far"


def test_one_unknown_price_makes_the_sum_unknown() -> None:
    live = LiveRun()
    live.take([settled(), settled(cost=None), settled()])
    assert "price unknown so far" in live.line()


def test_what_is_waited_for_is_said_until_a_call_ends() -> None:
    live = LiveRun()
    live.take([AttemptFailed("map", "batch 7", "http_503", 2.5, 1)])
    assert live.line().endswith("batch 7: http 503, again in 2.5 s")
    live.take([AttemptFailed("map", "batch 7", "malformed", 0.0, 2)])
    assert live.line().endswith("batch 7: malformed, again at once")
    live.take([settled()])
    assert "batch 7" not in live.line()


def test_the_answer_begins_anew_where_what_came_of_it_is_void() -> None:
    live = LiveRun()
    assert live.take([TextStreamed("reduce", "One "), TextStreamed("reduce", "two")]) == ("One two", False)
    assert live.take([TextStreamed("reduce", ""), TextStreamed("reduce", "Three")]) == ("Three", True)
    assert live.take([AttemptFailed("reduce", "answer", "dropped", 1.0, 1)]) == ("", True)


def test_a_stop_says_what_is_still_out_and_what_it_may_cost() -> None:
    live = LiveRun()
    live.take([InFlight(3, 0.012), Notice("The server does not take json_schema.")])
    assert live.stopping_line() == "Finishing 3 calls in flight, at most $0.0120"
    live.take([InFlight(1, None)])
    assert live.stopping_line() == "Finishing 1 call in flight, price unknown"
    live.take([InFlight(0, 0.0)])
    assert live.stopping_line() == "Stopping: nothing is out any more"
    assert live.notices == ["The server does not take json_schema."]


def test_a_cap_is_kept_until_it_is_raised() -> None:
    live = LiveRun()
    live.take([CapReached("max_cost", 0.049, 0.05, "The cap is reached.")])
    assert live.cap is not None and live.cap.cap == 0.05
