"""After a pilot: what the whole run will cost."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.base.events import EventSink
from explorer.base.words import counted
from explorer.commands.index_words import money
from explorer.commands.output import write_line

if TYPE_CHECKING:
    from explorer.indexing.options import IndexOptions
    from explorer.indexing.summary import IndexSummary
    from explorer.models.connection import Connection
    from explorer.planning.bill import Bill
    from explorer.planning.estimated import Estimate


def whole_run(
    arguments: argparse.Namespace,
    options: IndexOptions,
    connection: Connection | None,
    summary: IndexSummary,
    sink: EventSink,
) -> Estimate:
    """The estimate of the run that follows, from what the pilot saw."""
    from explorer.planning.estimate import estimate

    return estimate(
        arguments.folder,
        connection=connection,
        home=arguments.index,
        options=options,
        pilot=summary.pilot,
        vectors=not arguments.no_vectors,
        sink=sink,
    )


def write_estimate(estimate: Estimate) -> None:
    """The bill and the time of the whole run: the likeliest figures, and between what bounds."""
    middle = estimate.middle
    write_line(
        f"The whole run: about {counted(middle.calls, 'call')} more, "
        f"{middle.prompt_tokens:,} + {middle.output_tokens:,} tokens, {_cost(estimate)}, {_time(middle.seconds)}"
    )
    for note in estimate.notes:
        write_line(f"  {note}")


def settle_bill(summary: IndexSummary, estimate: dict[str, object] | None) -> Bill | None:
    """What was said before the run against what it was charged, put into the summary and kept beside the index.

    None where nothing was said. Raises StorageError.
    """
    if estimate is None:
        return None
    from explorer.planning.bill import compare, save_bill
    from explorer.planning.estimated import Estimate

    bill = compare(Estimate.model_validate(estimate), summary.calls)
    save_bill(Path(summary.index), bill)
    summary.bill = bill.model_dump(mode="json")
    return bill


def write_bill(bill: Bill) -> None:
    """The comparison in one sentence, and each stage that lay outside its range."""
    write_line(bill.sentence)
    for name, stage in bill.stages.items():
        figures = (
            ("calls", stage.calls),
            ("prompt tokens", stage.prompt_tokens),
            ("output tokens", stage.output_tokens),
        )
        for word, checked in figures:
            if checked.inside is False:
                write_line(f"  {name}: {checked.actual:,} {word}, outside the estimate")


def _cost(estimate: Estimate) -> str:
    if estimate.cost is None or estimate.middle.cost is None:
        return "cost unknown"
    low, high = estimate.cost
    return f"{money(estimate.middle.cost)} (between {money(low)} and {money(high)})"


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
