"""The sums of a trace: totals by stage, waste, and the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from explorer.base.fates import CallFate
from explorer.base.ledger import Account
from explorer.search.trace import AccountEntry, BatchEntry, CallEntry, StageTotals, Waste


def totals(calls: Sequence[CallEntry], stages: Iterable[str], *, priced: bool) -> dict[str, StageTotals]:
    """Sums by stage, a stage without calls included. `priced` says whether a price is known at all."""
    sums: dict[str, StageTotals] = {}
    for stage in stages:
        own = [call for call in calls if call.stage == stage]
        sums[stage] = StageTotals(
            calls=len(own),
            prompt_tokens=sum(call.prompt_tokens for call in own),
            output_tokens=sum(call.output_tokens for call in own),
            cost=_cost(own) if priced else None,
            seconds=round(sum(call.seconds for call in own), 6),
            retries=sum(call.retries for call in own),
        )
    return sums


def waste(calls: Sequence[CallEntry], batches: Sequence[BatchEntry], *, priced: bool) -> Waste:
    """Prompt tokens that led to nothing: map calls of batches with no point kept, and failed calls of any stage."""
    useless = {batch.call for batch in batches if not batch.used_points}
    lost = [call for call in calls if call.id in useless or call.fate == CallFate.FAILED]
    tokens = sum(call.prompt_tokens for call in lost)
    everything = sum(call.prompt_tokens for call in calls)
    share = tokens / everything if everything else 0.0
    return Waste(prompt_tokens=tokens, share=round(share, 6), cost=_cost(lost) if priced else None)


def account_entry(account: Account[Any]) -> AccountEntry:
    """An account as the trace shows it."""
    return AccountEntry(candidates=account.candidates, fates=account.counts, balanced=account.balanced)


def _cost(calls: Sequence[CallEntry]) -> float | None:
    costs = [call.cost for call in calls]
    return None if None in costs else round(sum(cost for cost in costs if cost is not None), 9)
