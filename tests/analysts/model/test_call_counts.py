"""Sums over calls."""

from __future__ import annotations

from explorer.analysts.judgements import CallCount
from explorer.analysts.model.call_counts import count_call, sum_counts
from explorer.base.fates import CallFate
from explorer.models.calls import CallResult


def call(fate: CallFate, cost: float | None) -> CallResult:
    return CallResult("k", "extract", "u", "", fate, "m", billed_prompt_tokens=7, billed_output_tokens=2, cost=cost)


def test_a_call_that_brought_nothing_failed_and_is_paid_all_the_same() -> None:
    counts = [
        count_call(call(fate, 0.1)) for fate in (CallFate.OK, CallFate.REPAIRED, CallFate.MALFORMED, CallFate.FAILED)
    ]
    assert sum_counts(counts) == CallCount(4, 0, 2, 28, 8, 0.4)
    assert count_call(call(CallFate.CACHED, 0.0)).cached == 1


def test_one_unknown_price_makes_the_sum_unknown_and_no_call_costs_nothing_known() -> None:
    known, unknown = count_call(call(CallFate.OK, 0.1)), count_call(call(CallFate.OK, None))
    assert sum_counts([known, unknown]).cost is None and sum_counts([CallCount(), known]).cost == 0.1
    assert sum_counts([]) == CallCount()
