"""A trace by hand with every fate in it, for the pages that draw traces."""

from __future__ import annotations

from explorer.base.fates import PointFate
from explorer.search.trace import (
    AccountEntry,
    Answer,
    BatchEntry,
    CallEntry,
    Connection,
    IndexRef,
    Ledger,
    PointEntry,
    ReduceEntry,
    ReportEntry,
    StageTotals,
    Trace,
    Waste,
)

SCORES = {0: [90, 70, 20], 1: [80, 60, 0], 2: [], 4: [75, 40, 35]}


def _fate(rank: int) -> PointFate:
    if rank <= 4:
        return PointFate.KEPT
    return PointFate.WOULD_HAVE_FITTED if rank == 7 else PointFate.CUT_BY_BUDGET


def made_trace() -> Trace:
    """Five batches (two relevant and cut, one honest zero, one malformed, one failed … and one more), nine points."""
    fates = ["relevant", "relevant", "nothing_relevant", "malformed", "relevant", "failed"]
    points = [
        PointEntry(batch=batch, position=place, text=f"Point {place} of batch {batch} <b>&</b>", score=score,
                   tokens=100 + 10 * place, fate=None)
        for batch, scores in SCORES.items()
        for place, score in enumerate(scores)
    ]  # fmt: skip
    ranked = sorted((point for point in points if point.score), key=lambda point: -(point.score or 0))
    for rank, point in enumerate(ranked, start=1):
        point.rank = rank
        point.fate = _fate(rank)
    for point in points:
        if not point.score:
            point.fate = PointFate.ZERO_SCORE
    batches = [
        BatchEntry(index=number, report_ids=[f"r{number}"], communities=[number], context_tokens=900,
                   prompt_tokens=1000,
                   fate=fate, call=f"map-{number}", points=len(SCORES.get(number, [])),
                   used_points=sum(1 for point in points if point.batch == number and point.fate == "kept"))
        for number, fate in enumerate(fates)
    ]  # fmt: skip
    call_fates = ["ok", "repaired", "ok", "malformed", "ok", "failed"]
    calls = [
        CallEntry(id=f"map-{number}", stage="map", fate=fate, model="scripted", prompt_tokens=1000 + 100 * number,
                  output_tokens=80, billed=True, cost=None, seconds=0.5 + number / 10, retries=1 if number == 5 else 0,
                  error="The server sent 503." if fate == "failed" else None, messages=[], reply="{}")
        for number, fate in enumerate(call_fates)
    ]  # fmt: skip
    calls.append(
        CallEntry(id="reduce-0", stage="reduce", fate="ok", model="scripted", prompt_tokens=700, output_tokens=200,
                  billed=True, cost=None, seconds=1.2, retries=0, error=None, messages=[], reply="the answer")
    )  # fmt: skip
    reports = [
        ReportEntry(id=f"r{number}", community=number, level=0, title=f"Report {number}", tokens=150,
                    fate="batch_lost" if number in (3, 5) else "read", batch=number)
        for number in range(6)
    ]  # fmt: skip
    return Trace(
        question="What are the main themes?",
        method="global",
        parameters={"tokenizer": "cl100k_base", "reports": "roll_up", "level": 0, "concurrency": 3},
        connection=Connection(name="scripted", model="scripted"),
        index=IndexRef(name="made", path="made"),
        started="2026-01-01T00:00:00Z",
        seconds=3.1,
        answer=Answer(
            text="**Two themes.** Debt [Data: Reports (0, 4); Entities (3)].\n\n<img src=x> stays text.",
            status="answered",
        ),
        reports=reports,
        batches=batches,
        points=points,
        reduce=ReduceEntry(budget=500, used=430, stopped_at=5, kept=4, candidates=8),
        calls=calls,
        totals={"map": StageTotals(calls=6, prompt_tokens=7500, output_tokens=480, seconds=4.5, retries=1)},
        waste=Waste(prompt_tokens=3700, share=0.45, cost=None),
        ledger=Ledger(
            reports=AccountEntry(candidates=6, fates={"read": 4, "batch_lost": 2}),
            batches=AccountEntry(
                candidates=6, fates={"relevant": 3, "nothing_relevant": 1, "malformed": 1, "failed": 1}
            ),
            points=AccountEntry(
                candidates=9, fates={"kept": 4, "cut_by_budget": 3, "would_have_fitted": 1, "zero_score": 1}
            ),
            calls=AccountEntry(candidates=7, fates={"ok": 4, "repaired": 1, "malformed": 1, "failed": 1}),
        ),
    )
