"""What the processes of indexing and of its estimate call. No Qt here: a child of `run_job` imports this module and
nothing of the window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.base.cancel import CancelScope
from explorer.base.events import EventSink

if TYPE_CHECKING:
    from explorer.indexing.options import IndexOptions
    from explorer.indexing.pilot_result import PilotResult
    from explorer.models.connection import Connection
    from explorer.planning.estimated import Estimate
    from explorer.tables.index_file import StageCalls


@dataclass(frozen=True)
class Order:
    """A run with a language model, as a person ordered it.

    `key` goes to the process through a pipe and is kept nowhere. `pilot` tries so many text units and makes no index;
    `retry` are the keys of failed calls to make again, None is all of them; `said` is the estimate that was shown.
    """

    connection: Connection
    key: str | None = field(default=None, repr=False)
    max_cost: float | None = None
    max_calls: int | None = None
    pilot: int | None = None
    retry: frozenset[str] | None = None
    said: Estimate | None = None
    before: Mapping[str, StageCalls] = field(default_factory=dict)  # charged by parts of this run that were stopped


def charged(order: Order, calls: Mapping[str, StageCalls]) -> dict[str, StageCalls]:
    """Calls by stage of a run and of its parts before."""
    together = dict(order.before)
    for stage, sums in calls.items():
        known = together.get(stage)
        if known is None:
            together[stage] = sums
            continue
        unknown = any(part.cost is None and part.count > part.cached for part in (known, sums))
        together[stage] = sums.model_copy(
            update={
                **{
                    name: getattr(known, name) + getattr(sums, name)
                    for name in ("count", "cached", "failed", "prompt_tokens", "output_tokens")
                },
                "cost": None if unknown else (known.cost or 0.0) + (sums.cost or 0.0),
            }
        )
    return together


def index_in_child(
    folder: Path,
    home: Path | None,
    order: Order | None = None,
    options: IndexOptions | None = None,
    *,
    sink: EventSink,
    scope: CancelScope,
) -> Any:
    """Index a folder with the offline analyst, or as ordered; see explorer.indexing.run.index_folder.

    Without `options` those of this program hold.

    Vectors are left to the window, which makes them in the background. After a run that had an estimate the summary
    holds the comparison, and so does the home; it says what the vectors will take.
    """
    from explorer.indexing.run import index_folder

    if order is None:
        return index_folder(folder, home=home, options=options, sink=sink, scope=scope)
    summary = index_folder(
        folder,
        home=home,
        options=options,
        sink=sink,
        scope=scope,
        connection=order.connection,
        key=order.key,
        max_cost=order.max_cost,
        max_calls=order.max_calls,
        pilot=order.pilot,
        retry=order.retry,
        estimate=order.said.model_dump(mode="json") if order.said is not None else None,
    )
    if order.said is not None and order.pilot is None:
        from explorer.planning.late_vectors import bill_before_vectors

        bill = bill_before_vectors(Path(summary.index), order.said, charged(order, summary.calls))
        summary.bill = bill.model_dump(mode="json")
    return summary


def estimate_in_child(
    folder: Path,
    home: Path | None,
    connection: Connection,
    pilot: PilotResult | None,
    options: IndexOptions | None = None,
    *,
    sink: EventSink,
    scope: CancelScope,
) -> Estimate:
    """What indexing a folder would take; see explorer.planning.estimate."""
    from explorer.planning.estimate import estimate

    return estimate(folder, connection=connection, home=home, options=options, pilot=pilot, sink=sink, scope=scope)
