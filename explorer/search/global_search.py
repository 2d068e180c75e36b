"""Global search: roll-up, batches, map, reduce, with the fate of everything that went in."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from explorer.analysts.judgements import SearchAnalyst
from explorer.base.cancel import CancelScope
from explorer.base.events import EventSink, StageFinished, StageStarted, ignore
from explorer.base.token_cache import TokenCounter
from explorer.base.valid_text import valid_text
from explorer.models.prices import price_notes, price_of
from explorer.search.entries import batch_entries, call_entries, point_entries, report_entries
from explorer.search.map_stage import Accounts, MapResult, read_replies, run_map
from explorer.search.options import GlobalOptions
from explorer.search.pack_points import Candidate, Packing, block_tokens, pack_points
from explorer.search.prepare import Prepared, prepare
from explorer.search.reduce_stage import NOTHING, ReduceResult, run_reduce, unanswerable
from explorer.search.sent import MapMessages, count_sent, map_prompts
from explorer.search.sums import account_entry, totals, waste
from explorer.search.trace import Connection, IndexRef, Ledger, ReduceEntry, Trace
from explorer.search.watch import RunWatch

if TYPE_CHECKING:
    from explorer.tables.index import Index

METHOD = "global"
STAGES = ("map", "reduce")


async def global_search(
    index: Index,
    question: str,
    analyst: SearchAnalyst,
    options: GlobalOptions | None = None,
    *,
    sink: EventSink = ignore,
    scope: CancelScope | None = None,
    counter: TokenCounter | None = None,
    watch: RunWatch | None = None,
    notes: Sequence[str] = (),
) -> Trace:
    """Ask `question` of the reports of an index, and account for every report, batch, point and call.

    Parameters
    ----------
    analyst: makes the map and reduce judgements; a call that fails becomes a row of the trace.
    scope: a cancelled scope ends the run with the status "cancelled" and a fate for everything; nothing is raised.
    counter: token counts with the options' tokenizer; by default one that keeps its counts in the index's home.
    watch: stands before `sink` where the analyst's own events pass through it too.
    notes: sentences that the trace shall hold beside its own.

    Raises InputError where the index cannot be rolled up. What makes a connection useless (a wrong key, a server that
    is gone) ends the run with the status "failed" and its reason. The order in which map calls come back changes
    nothing. Source: GraphRAG's global search, as 3.1.2 has it.
    """
    question = valid_text(question)
    options = options or GlobalOptions()
    price = price_of(options.as_model)
    watch = watch or RunWatch(sink)
    started, clock = datetime.now(UTC), time.perf_counter()
    own = TokenCounter(options.tokenizer, index.home) if counter is None else None
    counting = counter or own or TokenCounter(options.tokenizer)
    try:
        prepared = prepare(index, options, counting)
        sent = map_prompts(question, prepared.batches, options, counting, getattr(analyst, "prompts", None))
        accounts = Accounts(prepared.account)
        results = await _map(question, prepared, sent, analyst, options, accounts, watch, scope)
        packing = _pack(results, options, accounts, counting)
        reduced = await _reduce(question, results, packing, analyst, options, accounts, counting, watch, scope)
        hint = _hint(question, analyst, reduced)
        batches = batch_entries(results, sent, packing, accounts)
        models: dict[str, str] = getattr(analyst, "models", {})
        calls = call_entries(results, sent, reduced, accounts, model=analyst.model, models=models, price=price)
        # Of a model whose price is not known nothing is said, unless it was asked nothing: that cost nothing.
        priced = price is not None or any(call.cost is not None for call in calls) or (bool(models) and not calls)
        return Trace(
            question=question,
            method=METHOD,
            parameters=options.model_dump(mode="json"),
            connection=Connection(name=analyst.name, model=analyst.model, models=models),
            index=IndexRef(
                name=valid_text(index.name),
                path=valid_text(str(index.output)),
                communities=len(index.communities),
                reports=len(index.reports),
            ),
            started=started.isoformat(timespec="milliseconds"),
            seconds=round(time.perf_counter() - clock, 3),
            answer=reduced.answer,
            reports=report_entries(index, prepared, options, accounts, counting),
            batches=batches,
            points=point_entries(results, packing, accounts),
            reduce=ReduceEntry(
                budget=options.data_max_tokens,
                used=packing.used,
                stopped_at=packing.stopped_at,
                kept=len(packing.kept),
                candidates=len(packing.ranked),
            ),
            calls=calls,
            totals=totals(calls, STAGES, priced=priced),
            waste=waste(calls, batches, priced=priced),
            ledger=Ledger(
                reports=account_entry(accounts.reports),
                batches=account_entry(accounts.batches),
                points=account_entry(accounts.points),
                calls=account_entry(accounts.calls),
            ),
            notes=[*prepared.notes, *price_notes(options.as_model), *notes, *hint],
        )
    finally:
        if own is not None:
            own.close()


async def _map(
    question: str,
    prepared: Prepared,
    sent: Sequence[MapMessages],
    analyst: SearchAnalyst,
    options: GlobalOptions,
    accounts: Accounts,
    watch: RunWatch,
    scope: CancelScope | None,
) -> list[MapResult]:
    clock = time.perf_counter()
    watch.sink(StageStarted("map", len(prepared.batches)))
    replies = await run_map(
        question, prepared.batches, sent, analyst, concurrency=options.concurrency, watch=watch, scope=scope
    )
    results = read_replies(prepared.batches, replies, accounts, stopped=bool(watch.stop))
    watch.sink(StageFinished("map", time.perf_counter() - clock, accounts.batches.counts))
    return results


def _hint(question: str, analyst: SearchAnalyst, reduced: ReduceResult) -> list[str]:
    """Why an analyst that says so found nothing relevant in what was read."""
    hint = getattr(analyst, "hint", None)
    sentence = hint(question) if hint is not None and reduced.answer.text == NOTHING else ""
    return [sentence] if sentence else []


def _pack(results: Sequence[MapResult], options: GlobalOptions, accounts: Accounts, counter: TokenCounter) -> Packing:
    found = [
        (result.batch.index, position, point.text, point.score)
        for result in results
        if result.parsed is not None
        for position, point in enumerate(result.parsed.points)
        if point.score
    ]
    tokens = block_tokens([(batch, score, text) for batch, _, text, score in found], counter.count_all)
    candidates = [
        Candidate((batch, position), batch, text, score, count)
        for (batch, position, text, score), count in zip(found, tokens, strict=True)
    ]
    return pack_points(candidates, options.data_max_tokens, accounts.points, keep_filling=options.keep_filling)


async def _reduce(
    question: str,
    results: Sequence[MapResult],
    packing: Packing,
    analyst: SearchAnalyst,
    options: GlobalOptions,
    accounts: Accounts,
    counter: TokenCounter,
    watch: RunWatch,
    scope: CancelScope | None,
) -> ReduceResult:
    answer = unanswerable(results, packing, accounts, stop=watch.stop, cap=watch.cap_sentence(scope))
    if answer is not None:
        return ReduceResult(answer)
    from explorer.analysts.prompts import Prompts, shipped

    prompts: Prompts = getattr(analyst, "prompts", None) or shipped()
    clock = time.perf_counter()
    watch.sink(StageStarted("reduce", 1))
    sent = prompts.reduce_messages(question, packing.data, options.response_type, options.reduce_max_length)
    tokens = count_sent([sent], counter)[0]
    reduced = await run_reduce(question, packing, analyst, sent, tokens, accounts, watch=watch, scope=scope)
    watch.sink(StageFinished("reduce", time.perf_counter() - clock, {"points": len(packing.kept)}))
    return reduced
