"""The points of all batches → the data of the reduce prompt, cut where the budget ends."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from explorer.base.fates import PointFate
from explorer.base.ledger import Account

PointAccount = Account[PointFate]
SEPARATOR = "\n\n"


@dataclass(frozen=True)
class Candidate:
    """A point above 0. `key` is its name in the account; `tokens` are those of its block."""

    key: Hashable
    batch: int
    text: str
    score: int
    tokens: int


@dataclass(frozen=True)
class Packing:
    """`ranked` holds all candidates by score; `kept` are the places in it, from 0, that the prompt holds.

    `stopped_at` is the rank, from 1, of the first candidate that did not fit, or None where all did.
    """

    ranked: tuple[Candidate, ...]
    kept: tuple[int, ...]
    used: int
    stopped_at: int | None

    @property
    def data(self) -> str:
        blocks = [self.ranked[place] for place in self.kept]
        return SEPARATOR.join(point_block(block.batch, block.score, block.text) for block in blocks)


def point_block(batch: int, score: int, text: str) -> str:
    """The three parts of a point in the reduce prompt. Analysts are numbered from 1."""
    return f"----Analyst {batch + 1}----\nImportance Score: {score}\n{text}"


def pack_points(
    candidates: Sequence[Candidate], budget: int, account: PointAccount, *, keep_filling: bool = False
) -> Packing:
    """Sort by score (stable: equal scores stay in the order of batches), add blocks while the budget holds.

    As GraphRAG does it, packing stops at the first block that does not fit; the blank lines between blocks are not
    counted. Of the points after the cut, `would_have_fitted` are those whose block alone is no longer than what was
    left of the budget at the cut, each taken singly; the others are `cut_by_budget`. With `keep_filling` every later
    block that still fits is added, and none would have fitted.
    """
    ranked = sorted(candidates, key=lambda point: -point.score)
    kept: list[int] = []
    used = 0
    stopped_at: int | None = None
    for place, point in enumerate(ranked):
        fits = used + point.tokens <= budget
        if fits and (stopped_at is None or keep_filling):
            account.settle(point.key, PointFate.KEPT)
            kept.append(place)
            used += point.tokens
        elif fits:
            account.settle(point.key, PointFate.WOULD_HAVE_FITTED)
        else:
            account.settle(point.key, PointFate.CUT_BY_BUDGET)
            stopped_at = stopped_at or place + 1
    return Packing(tuple(ranked), tuple(kept), used, stopped_at)


def block_tokens(points: Sequence[tuple[int, int, str]], count: Callable[[Sequence[str]], list[int]]) -> list[int]:
    """The tokens of the blocks of (batch, score, text)."""
    return count([point_block(*point) for point in points])
