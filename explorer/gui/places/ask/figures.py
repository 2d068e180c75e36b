"""Numbers and fates as a person reads them."""

from __future__ import annotations

from explorer.base.fate_words import FATE_WORDS
from explorer.gui.words import count
from explorer.search.trace import AccountEntry, Trace


def tokens(count: float) -> str:
    """A token count with three figures: 940, 12,004, 412 k, 1.31 M."""
    if count < 100_000:
        return f"{count:,.0f}"
    if count < 1_000_000:
        return f"{count / 1000:.0f} k"
    return f"{count / 1_000_000:.2f} M"


def token_span(low: float, high: float) -> str:
    """Two token counts in one unit: "88.8–102 k", or one where they are the same."""
    if low == high or high < 100_000:
        return tokens(low) if low == high else f"{low:,.0f}–{high:,.0f}"
    if high < 1_000_000:
        return f"{low / 1000:,.1f}–{high / 1000:,.1f} k"
    return f"{low / 1_000_000:,.2f}–{high / 1_000_000:,.2f} M"


def money(cost: float | None) -> str:
    """US dollars, or the word for a price that nobody knows: never 0 for unknown."""
    if cost is None:
        return "price unknown"
    return f"${cost:.2f}" if cost >= 0.1 else f"${cost:.4f}"


def money_range(cost: tuple[float, float] | None) -> str:
    if cost is None:
        return "price unknown"
    low, high = (money(value) for value in cost)
    return low if low == high else f"{low}–{high}"


def calls_range(calls: dict[str, int | tuple[int, int]]) -> str:
    """The sum of planned calls over stages: "12" or "11–12"."""
    low = sum(value if isinstance(value, int) else value[0] for value in calls.values())
    high = sum(value if isinstance(value, int) else value[1] for value in calls.values())
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def account_line(kind: str, account: AccountEntry) -> str:
    """ "113 points = 28 kept + 61 score zero + 24 cut by the budget ✓", or that it does not balance."""
    parts = " + ".join(f"{count} {FATE_WORDS.get(fate, fate)}" for fate, count in account.fates.items())
    mark = "✓" if account.balanced else "✗ does not balance: this is a fault of the program"
    return f"{account.candidates} {kind} = {parts or '0'} {mark}"


def run_line(trace: Trace) -> str:
    """What a run took, in one line."""
    calls = sum(stage.calls for stage in trace.totals.values())
    prompt = sum(stage.prompt_tokens for stage in trace.totals.values())
    output = sum(stage.output_tokens for stage in trace.totals.values())
    costs = [stage.cost for stage in trace.totals.values()]
    cost = None if not costs or any(value is None for value in costs) else sum(value or 0.0 for value in costs)
    return f"{count(calls, 'call')} · {tokens(prompt + output)} tokens · {money(cost)} · {trace.seconds:.1f} s"


def lost_batches(trace: Trace) -> int:
    """How many batches failed, were malformed or were never read, and the answer where it failed."""
    lost = sum(str(batch.fate) in ("failed", "malformed", "cancelled") for batch in trace.batches)
    return lost + sum(call.stage == "reduce" and str(call.fate) in ("failed", "cancelled") for call in trace.calls)


def waste_line(trace: Trace) -> str:
    """What was paid for and not used, in one sentence."""
    cost = "" if trace.waste.cost is None else f" ({money(trace.waste.cost)})"
    if trace.waste.prompt_tokens == 0:
        return "Nothing was wasted: every batch gave a point that the answer used."
    return (
        f"{trace.waste.share:.0%} of the prompt tokens ({tokens(trace.waste.prompt_tokens)}{cost}) went into batches "
        "with no point kept or into calls that failed."
    )
