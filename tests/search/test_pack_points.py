"""The reduce prompt's data, cut where its budget ends."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from explorer.base.fates import PointFate
from explorer.base.ledger import Account
from explorer.search.pack_points import Candidate, Packing, PointAccount, pack_points, point_block


def _pack(scored: list[tuple[int, int]], budget: int, *, keep_filling: bool = False) -> tuple[Packing, PointAccount]:
    account: PointAccount = Account("point")
    account.expect(range(len(scored)))
    candidates = [Candidate(at, at, f"text {at}", score, tokens) for at, (score, tokens) in enumerate(scored)]
    return pack_points(candidates, budget, account, keep_filling=keep_filling), account


def test_packing_stops_at_the_first_point_that_does_not_fit() -> None:
    packing, account = _pack([(50, 30), (90, 40), (70, 50), (60, 5), (10, 10), (10, 11)], budget=100)
    # By score: 90 (40 tokens), 70 (50), 60 (5), 50 (30), 10 (10), 10 (11). After 95 tokens the fourth does not fit.
    assert [packing.ranked[place].score for place in packing.kept] == [90, 70, 60]
    assert (packing.used, packing.stopped_at) == (95, 4)
    assert account.counts == {"cut_by_budget": 3, "kept": 3}


def test_what_would_have_fitted_is_held_singly_against_the_room_at_the_cut() -> None:
    packing, account = _pack([(90, 60), (80, 50), (70, 40), (60, 40), (50, 41)], budget=100)
    assert (packing.used, packing.stopped_at) == (60, 2)
    assert [account.fate(at) for at in range(5)] == [
        PointFate.KEPT,
        PointFate.CUT_BY_BUDGET,
        PointFate.WOULD_HAVE_FITTED,
        PointFate.WOULD_HAVE_FITTED,
        PointFate.CUT_BY_BUDGET,
    ]


def test_filling_goes_on_where_asked() -> None:
    packing, account = _pack([(90, 60), (80, 50), (70, 30), (60, 30), (50, 10)], budget=100, keep_filling=True)
    assert [packing.ranked[place].score for place in packing.kept] == [90, 70, 50]
    assert (packing.used, packing.stopped_at) == (100, 2)
    assert account.counts == {"cut_by_budget": 2, "kept": 3}


def test_equal_scores_stay_in_the_order_of_the_batches() -> None:
    packing, _ = _pack([(5, 1), (9, 1), (5, 1), (9, 1)], budget=10)
    assert [point.batch for point in packing.ranked] == [1, 3, 0, 2]


def test_the_data_is_three_lines_a_point_with_blank_lines_between_that_no_budget_counts() -> None:
    packing, _ = _pack([(5, 50), (9, 50)], budget=100)
    assert packing.data == (
        "----Analyst 2----\nImportance Score: 9\ntext 1\n\n----Analyst 1----\nImportance Score: 5\ntext 0"
    )
    assert packing.stopped_at is None
    assert point_block(0, 5, "text 0") == "----Analyst 1----\nImportance Score: 5\ntext 0"


@given(st.lists(st.tuples(st.integers(1, 100), st.integers(1, 60)), max_size=30), st.integers(0, 300), st.booleans())
def test_the_budget_holds_and_every_point_has_a_fate(
    scored: list[tuple[int, int]], budget: int, keep_filling: bool
) -> None:
    packing, account = _pack(scored, budget, keep_filling=keep_filling)
    assert account.balanced
    assert packing.used == sum(packing.ranked[place].tokens for place in packing.kept) <= budget
    if packing.stopped_at is None:
        assert len(packing.kept) == len(scored)
    else:
        first_out = packing.ranked[packing.stopped_at - 1]
        before = sum(packing.ranked[place].tokens for place in range(packing.stopped_at - 1))
        assert before + first_out.tokens > budget
        if not keep_filling:
            assert packing.kept == tuple(range(packing.stopped_at - 1))
