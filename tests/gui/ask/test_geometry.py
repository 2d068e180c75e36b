"""Where the bars stand: counted by hand from a trace by hand."""

from __future__ import annotations

from explorer.base.fates import PointFate
from explorer.gui.places.ask.chart import ticks
from explorer.gui.places.ask.geometry import batch_bars, call_bars, point_bars, waterline

from .traces import made_trace


def test_a_bar_a_batch_stacked_by_score_with_kept_points_at_the_foot() -> None:
    bars = batch_bars(made_trace())
    assert [bar.index for bar in bars] == [0, 1, 2, 3, 4, 5]
    assert [bar.height for bar in bars] == [180, 140, 0, 0, 150, 0]
    assert [segment.fate for segment in bars[0].segments] == [PointFate.KEPT, PointFate.KEPT, PointFate.CUT_BY_BUDGET]
    assert bars[1].unscored == 1


def test_points_stand_by_rank_as_wide_as_their_tokens_and_the_line_where_the_first_was_cut() -> None:
    trace = made_trace()
    bars = point_bars(trace)
    assert [bar.score for bar in bars] == [90, 80, 75, 70, 60, 40, 35, 20]
    assert bars[0].right - bars[0].left == 100
    assert waterline(trace, bars) == bars[4].left == sum(bar.right - bar.left for bar in bars[:4])
    trace.reduce.stopped_at = None
    assert waterline(trace, bars) is None


def test_calls_fill_the_lane_that_is_free_first_and_stages_follow_each_other() -> None:
    bars = call_bars(made_trace().calls, "tokens", 3)
    map_bars = [bar for bar in bars if bar.call.stage == "map"]
    assert [bar.lane for bar in map_bars] == [0, 1, 2, 0, 1, 2]
    reduce_bar = next(bar for bar in bars if bar.call.stage == "reduce")
    assert reduce_bar.left == max(bar.right for bar in map_bars)


def test_an_unknown_price_still_has_a_bar() -> None:
    assert all(bar.right > bar.left for bar in call_bars(made_trace().calls, "cost", 2))


def test_ticks_are_round_and_reach_the_highest_value() -> None:
    for high in (0.7, 3, 99, 100, 101, 12345, 2_000_000):
        values = ticks(high)
        assert values[0] == 0
        assert values[-1] >= high
        assert 2 <= len(values) <= 12
