"""The rows of a trace, made from what a run left behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from explorer.base.token_cache import TokenCounter
from explorer.models.prices import Price
from explorer.search.calls import call_entry
from explorer.search.map_stage import Accounts, MapResult, map_call_id
from explorer.search.options import GlobalOptions
from explorer.search.pack_points import Packing
from explorer.search.prepare import Prepared, report_text
from explorer.search.reduce_stage import CALL_ID, ReduceResult
from explorer.search.reports import communities_without_report, community_key, report_key
from explorer.search.sent import MapMessages
from explorer.search.trace import BatchEntry, CallEntry, PointEntry, ReportEntry

if TYPE_CHECKING:
    from explorer.tables.index import Index


def report_entries(
    index: Index, prepared: Prepared, options: GlobalOptions, accounts: Accounts, counter: TokenCounter
) -> list[ReportEntry]:
    """A row for every report in file order, then one for every community without a report in file order."""
    batch_of = {row.position: batch.index for batch in prepared.batches for row in batch.rows}
    tokens = counter.count_all([report_text(row.summary, row.full_content, options) for row in index.reports])
    rows = [
        ReportEntry(
            id=report.id,
            community=report.community,
            level=report.level,
            title=report.title,
            tokens=tokens[position],
            fate=accounts.reports.fate(report_key(position)),
            batch=batch_of.get(position),
            stands_for=list(prepared.selection.stands_for.get(position, ())),
        )
        for position, report in enumerate(index.reports)
    ]
    for number in communities_without_report(index):
        community = index.community_by_number[number]
        fate = accounts.reports.fate(community_key(number))
        rows.append(
            ReportEntry(
                id=None, community=number, level=community.level, title=community.title, tokens=0, fate=fate, batch=None
            )
        )
    return rows


def point_entries(results: Sequence[MapResult], packing: Packing, accounts: Accounts) -> list[PointEntry]:
    """A row for every point that a reply made, in the order of batches and of each reply."""
    rank = {point.key: place + 1 for place, point in enumerate(packing.ranked)}
    tokens = {point.key: point.tokens for point in packing.ranked}
    return [
        PointEntry(
            batch=result.batch.index,
            position=position,
            text=point.text,
            score=point.score,
            given_score=point.given,
            tokens=tokens.get(key, 0),
            fate=accounts.points.fate(key),
            rank=rank.get(key),
            reason=point.reason,
        )
        for result in results
        if result.parsed is not None
        for position, point in enumerate(result.parsed.points)
        for key in [(result.batch.index, position)]
    ]


def batch_entries(
    results: Sequence[MapResult], sent: Sequence[MapMessages], packing: Packing, accounts: Accounts
) -> list[BatchEntry]:
    """A row for every batch."""
    used = [packing.ranked[place].batch for place in packing.kept]
    return [
        BatchEntry(
            index=result.batch.index,
            report_ids=[row.report.id for row in result.batch.rows],
            communities=[row.report.community for row in result.batch.rows],
            context_tokens=result.batch.context_tokens,
            prompt_tokens=messages.prompt_tokens,
            fate=accounts.batches.fate(result.batch.index),
            call=None if result.reply is None else map_call_id(result.batch.index),
            points=0 if result.parsed is None else len(result.parsed.points),
            used_points=used.count(result.batch.index),
        )
        for result, messages in zip(results, sent, strict=True)
    ]


def call_entries(
    results: Sequence[MapResult],
    sent: Sequence[MapMessages],
    reduced: ReduceResult,
    accounts: Accounts,
    *,
    model: str,
    models: Mapping[str, str],
    price: Price | None,
) -> list[CallEntry]:
    """A record for every call that went out: the map calls in the order of their batches, then the reduce call.

    `models` names the model of a stage where that is known, `model` stands for the others.
    """
    calls = [
        call_entry(
            map_call_id(result.batch.index),
            "map",
            result.reply,
            accounts.calls.fate(map_call_id(result.batch.index)),
            sent=messages.messages,
            model=models.get("map", model),
            price=price,
            reason="" if result.parsed is None else result.parsed.reason,
            note="" if result.parsed is None else result.parsed.note,
        )
        for result, messages in zip(results, sent, strict=True)
        if result.reply is not None
    ]
    if reduced.reply is not None:
        reason = reduced.answer.reason if reduced.answer.status == "failed" else ""
        fate = accounts.calls.fate(CALL_ID)
        calls.append(
            call_entry(
                CALL_ID,
                "reduce",
                reduced.reply,
                fate,
                sent=reduced.sent,
                model=models.get("reduce", model),
                price=price,
                reason=reason,
            )
        )
    return calls
