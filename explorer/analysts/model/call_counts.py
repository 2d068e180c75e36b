"""Sums over calls: what is kept of a call once its reply is read, so that no prompt stays in memory."""

from __future__ import annotations

from collections.abc import Iterable

from explorer.analysts.judgements import CallCount
from explorer.base.fates import CallFate
from explorer.models.calls import CallResult


def count_call(call: CallResult) -> CallCount:
    """One call; it failed where it brought nothing."""
    return CallCount(
        count=1,
        cached=int(call.fate is CallFate.CACHED),
        failed=int(not call.usable),
        prompt_tokens=call.billed_prompt_tokens,
        output_tokens=call.billed_output_tokens,
    )


def sum_counts(counts: Iterable[CallCount]) -> CallCount:
    """The sum of some counts."""
    total = CallCount()
    for count in counts:
        total = CallCount(
            total.count + count.count,
            total.cached + count.cached,
            total.failed + count.failed,
            total.prompt_tokens + count.prompt_tokens,
            total.output_tokens + count.output_tokens,
        )
    return total
