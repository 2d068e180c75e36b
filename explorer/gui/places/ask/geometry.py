"""Where the bars of the charts stand, in the units of what they show. No Qt: the charts only scale and paint."""

from __future__ import annotations

from dataclasses import dataclass

from explorer.base.fates import BatchFate, PointFate
from explorer.search.trace import CallEntry, PointEntry, Trace

KEPT_OR_CUT = (PointFate.KEPT, PointFate.CUT_BY_BUDGET, PointFate.WOULD_HAVE_FITTED)


@dataclass(frozen=True)
class Segment:
    """A point in the bar of its batch: from `low` to `high` on the axis of summed scores."""

    position: int
    low: float
    high: float
    fate: PointFate | None
    text: str


@dataclass(frozen=True)
class BatchBar:
    index: int
    fate: BatchFate | None
    segments: tuple[Segment, ...]
    unscored: int  # points of score zero and malformed ones: they have no height

    @property
    def height(self) -> float:
        return self.segments[-1].high if self.segments else 0.0


@dataclass(frozen=True)
class PointBar:
    """A point above zero in the order of its rank: from `left` to `right` in tokens, as high as its score."""

    left: float
    right: float
    score: int
    fate: PointFate | None
    batch: int
    position: int
    rank: int
    text: str


@dataclass(frozen=True)
class CallBar:
    """A call in a lane: from `left` to `right` in the measure that is shown."""

    lane: int
    left: float
    right: float
    call: CallEntry


def batch_bars(trace: Trace) -> list[BatchBar]:
    """One bar a batch; kept points at the foot, then what was cut, each as high as its score."""
    by_batch: dict[int, list[PointEntry]] = {}
    for point in trace.points:
        by_batch.setdefault(point.batch, []).append(point)
    bars = []
    for batch in trace.batches:
        points = by_batch.get(batch.index, [])
        scored = [point for point in points if point.fate in KEPT_OR_CUT]
        scored.sort(key=lambda point: (point.fate is not PointFate.KEPT, point.rank or 0))
        segments, foot = [], 0.0
        for point in scored:
            top = foot + (point.score or 0)
            segments.append(Segment(point.position, foot, top, point.fate, point.text))
            foot = top
        bars.append(BatchBar(batch.index, batch.fate, tuple(segments), len(points) - len(scored)))
    return bars


def point_bars(trace: Trace) -> list[PointBar]:
    """The points above zero side by side in the order of their ranks, each as wide as its tokens."""
    ranked = sorted((point for point in trace.points if point.rank is not None), key=lambda point: point.rank or 0)
    bars, left = [], 0.0
    for point in ranked:
        right = left + point.tokens
        bars.append(
            PointBar(
                left, right, point.score or 0, point.fate, point.batch, point.position, point.rank or 0, point.text
            )
        )
        left = right
    return bars


def waterline(trace: Trace, bars: list[PointBar]) -> float | None:
    """Where the budget ended, on the axis of tokens; None where every point fitted."""
    if trace.reduce.stopped_at is None:
        return None
    return next((bar.left for bar in bars if bar.rank == trace.reduce.stopped_at), None)


def call_bars(calls: list[CallEntry], measure: str, lanes: int) -> list[CallBar]:
    """Calls laid into lanes, stage after stage, each into the lane that is free first.

    `measure` is "tokens", "seconds" or "cost"; with seconds this is how `lanes` calls at once would have run. A call
    without the measure (an unknown price) is as long as the shortest.
    """
    values = [_measure(call, measure) for call in calls]
    known = [value for value in values if value > 0]
    least = min(known) if known else 1.0
    bars: list[CallBar] = []
    start = 0.0
    for stage in ("embed", "rate", "map", "reduce", "answer"):
        free = [start] * max(1, lanes)
        for call, value in zip(calls, values, strict=True):
            if call.stage != stage:
                continue
            lane = min(range(len(free)), key=lambda number: (free[number], number))
            right = free[lane] + max(value, least)
            bars.append(CallBar(lane, free[lane], right, call))
            free[lane] = right
        start = max(free)
    return bars


def _measure(call: CallEntry, measure: str) -> float:
    if measure == "tokens":
        return float(call.prompt_tokens + call.output_tokens)
    if measure == "cost":
        return call.cost or 0.0
    return call.seconds
