"""Sums over calls: what is kept of a call once its reply is read, so that no prompt stays in memory."""

from __future__ import annotations

import math
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
        cost=call.cost,
    )


def sum_counts(counts: Iterable[CallCount]) -> CallCount:
    """The sum of some counts; its cost is unknown where that of one call is."""
    added = [count for count in counts if count.count]
    costs = [count.cost for count in added if count.cost is not None]
    return CallCount(
        sum(count.count for count in added),
        sum(count.cached for count in added),
        sum(count.failed for count in added),
        sum(count.prompt_tokens for count in added),
        sum(count.output_tokens for count in added),
        math.fsum(costs) if costs and len(costs) == len(added) else None,
    )
