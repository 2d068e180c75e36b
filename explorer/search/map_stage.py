"""Batches → replies → points: the map calls, and what each of them brought."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from explorer.analysts.judgements import Reply, ReportBatch, SearchAnalyst
from explorer.analysts.model.search import batch_subject
from explorer.base.cancel import CancelScope
from explorer.base.events import CallSettled, EventSink, StageProgress
from explorer.base.fates import BatchFate, CallFate, PointFate, ReportFate
from explorer.base.ledger import Account
from explorer.search.batches import Batch
from explorer.search.calls import CallAccount, by_model, make_call
from explorer.search.pack_points import PointAccount
from explorer.search.parse_points import ParsedReply, parse_points
from explorer.search.reports import ReportAccount, report_key
from explorer.search.sent import MapMessages
from explorer.search.watch import RunWatch

BatchAccount = Account[BatchFate]
STAGE = "map"


@dataclass(frozen=True)
class MapResult:
    """What became of a batch. `reply` is None where no call was made; `parsed` where nothing came back."""

    batch: Batch
    reply: Reply | None
    parsed: ParsedReply | None


@dataclass
class Accounts:
    """The four accounts of a run."""

    reports: ReportAccount
    batches: BatchAccount = field(default_factory=lambda: Account("batch"))
    points: PointAccount = field(default_factory=lambda: Account("point"))
    calls: CallAccount = field(default_factory=lambda: Account("call"))


def map_call_id(batch: int) -> str:
    return f"map-{batch:04d}"


async def run_map(
    question: str,
    batches: Sequence[Batch],
    sent: Sequence[MapMessages],
    analyst: SearchAnalyst,
    *,
    concurrency: int,
    watch: RunWatch,
    scope: CancelScope | None,
) -> list[Reply | None]:
    """Make the map calls, at most `concurrency` at a time. The replies stand in the order of the batches.

    None stands for a call that was not made, because the run was cancelled or, as `watch` knows, stopped.
    """
    sink: EventSink = watch.sink
    model = by_model(analyst)
    slots = asyncio.Semaphore(concurrency)
    done = 0

    async def one(batch: Batch, messages: MapMessages) -> Reply | None:
        nonlocal done
        read = ReportBatch(
            batch.text,
            tuple(row.report.community for row in batch.rows),
            tuple(row.content for row in batch.rows),
            messages.prompt_tokens,
            batch.index,
        )
        async with slots:
            reply = await make_call(
                lambda: analyst.map(question, read),
                messages.messages,
                messages.prompt_tokens,
                scope,
                watch,
                model=(STAGE, batch_subject(batch.index)) if model else None,
            )
        done += 1
        if reply is not None and not model:
            sink(CallSettled(STAGE, str(reply.fate), reply.prompt_tokens, reply.output_tokens, reply.seconds))
        sink(StageProgress(STAGE, done, len(batches)))
        return reply

    return await asyncio.gather(*(one(batch, texts) for batch, texts in zip(batches, sent, strict=True)))


def read_replies(
    batches: Sequence[Batch], replies: Sequence[Reply | None], accounts: Accounts, *, stopped: bool = False
) -> list[MapResult]:
    """Parse the replies and settle batches, the reports in them, calls, and the points that are lost here.

    A batch without a call was cancelled, or failed where the run was `stopped`. Points above 0 are left open for the
    packing.
    """
    accounts.batches.expect(batch.index for batch in batches)
    results: list[MapResult] = []
    for batch, reply in zip(batches, replies, strict=True):
        if reply is not None:
            accounts.calls.expect([map_call_id(batch.index)])
        if reply is None and stopped:
            accounts.batches.settle(batch.index, BatchFate.FAILED)
            result = MapResult(batch, None, None)
        elif reply is None:
            accounts.batches.settle(batch.index, BatchFate.CANCELLED)
            result = MapResult(batch, None, None)
        elif reply.fate == CallFate.CANCELLED:
            accounts.calls.settle(map_call_id(batch.index), CallFate.CANCELLED)
            accounts.batches.settle(batch.index, BatchFate.CANCELLED)
            result = MapResult(batch, reply, None)
        elif reply.fate == CallFate.FAILED:
            accounts.calls.settle(map_call_id(batch.index), CallFate.FAILED)
            accounts.batches.settle(batch.index, BatchFate.FAILED)
            result = MapResult(batch, reply, None)
        else:
            result = MapResult(batch, reply, parse_points(reply.text))
        if result.parsed is not None and reply is not None:
            _settle_read(batch, reply, result.parsed, accounts)
        _settle_reports(batch, accounts)
        results.append(result)
    return results


def _settle_read(batch: Batch, reply: Reply, parsed: ParsedReply, accounts: Accounts) -> None:
    call = map_call_id(batch.index)
    if parsed.outcome == "malformed":
        accounts.calls.settle(call, CallFate.MALFORMED)
    elif parsed.outcome == "repaired":
        accounts.calls.settle(call, CallFate.REPAIRED)
    elif reply.fate == CallFate.CACHED:
        accounts.calls.settle(call, CallFate.CACHED)
    else:
        accounts.calls.settle(call, CallFate.OK)
    accounts.points.expect((batch.index, position) for position in range(len(parsed.points)))
    for position, point in enumerate(parsed.points):
        if point.score is None:
            accounts.points.settle((batch.index, position), PointFate.MALFORMED)
        elif point.score == 0:
            accounts.points.settle((batch.index, position), PointFate.ZERO_SCORE)
    if parsed.outcome == "malformed":
        accounts.batches.settle(batch.index, BatchFate.MALFORMED)
    elif parsed.relevant:
        accounts.batches.settle(batch.index, BatchFate.RELEVANT)
    else:
        accounts.batches.settle(batch.index, BatchFate.NOTHING_RELEVANT)


def _settle_reports(batch: Batch, accounts: Accounts) -> None:
    read = accounts.batches.fate(batch.index) in (BatchFate.RELEVANT, BatchFate.NOTHING_RELEVANT)
    for row in batch.rows:
        if read:
            accounts.reports.settle(report_key(row.position), ReportFate.READ)
        else:
            accounts.reports.settle(report_key(row.position), ReportFate.BATCH_LOST)
