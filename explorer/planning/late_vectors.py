"""The bill of a run whose vectors are made after it: first without them, saying what they will take, then with them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from explorer.base.words import counted
from explorer.models.call_store import CALLS_NAME
from explorer.models.kept_calls import KeptCalls
from explorer.planning.bill import Bill, Pending, compare, dollars, load_bill, save_bill
from explorer.planning.estimated import Estimate, StageEstimate, high, without
from explorer.tables.index_file import StageCalls

_EMBED = "embed"


def bill_before_vectors(home: Path, estimate: Estimate, calls: Mapping[str, StageCalls]) -> Bill:
    """Hold an estimate against what a run was charged that left the vectors to somebody else; the bill is kept.

    Parameters
    ----------
    calls: stage → figures of the run.

    Raises StorageError.
    """
    calls = {stage: sums for stage, sums in calls.items() if stage != _EMBED or sums.count}
    bill = compare(without(estimate, _EMBED), calls)
    coming = estimate.stages.get(_EMBED)
    if coming is not None and high(coming.calls):
        with KeptCalls(home / CALLS_NAME) as store:
            after = store.last_id()
        bill = bill.model_copy(
            update={
                "sentence": f"{bill.sentence} {_coming(coming)}",
                "pending": Pending(estimate=estimate, calls=calls, after=after),
            }
        )
    save_bill(home, bill)
    return bill


def bill_with_vectors(home: Path) -> Bill | None:
    """Take the vectors into the bill that waits for them, once they are made; the bill is kept.

    They are charged by what stands in the call store since the run, so that those of a stopped beginning count too.
    None where no bill waits. Raises StorageError.
    """
    bill = load_bill(home)
    if bill is None or bill.pending is None:
        return None
    pending, embed = bill.pending, StageCalls(cost=0.0)
    with KeptCalls(home / CALLS_NAME) as store:
        for call, _newest in store.records((_EMBED,)):
            if call.id > pending.after:
                embed.count += 1
                embed.prompt_tokens += call.prompt_tokens
                unknown = embed.cost is None or (call.cost is None and call.prompt_tokens > 0)
                embed.cost = None if unknown else (embed.cost or 0.0) + (call.cost or 0.0)
    whole = compare(pending.estimate, {**pending.calls, _EMBED: embed})
    whole.sentence = f"With the vectors: {whole.sentence[0].lower()}{whole.sentence[1:]}"
    save_bill(home, whole)
    return whole


def _coming(stage: StageEstimate) -> str:
    """What the vectors will take, in words."""
    middle = stage.middle
    cost = "at a price that is not known" if middle.cost is None else f"about {dollars(middle.cost)}"
    return (
        f"Its vectors are still to be made, in the background: about {counted(middle.calls, 'call')}, "
        f"{middle.prompt_tokens:,} tokens, {cost}; the bill then takes them in."
    )
