"""Walks down hierarchies that GraphRAG would never end with, and ratings that are no plain number."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from explorer.search.parse_rating import parse_rating
from explorer.search.reports import open_account
from explorer.search.selection import select_communities, settle_walk
from explorer.tables.rows import ReportRow
from search.small_index import make_index


@pytest.mark.parametrize("keep_parent", [False, True])
def test_a_circle_is_walked_once(tmp_path: Path, keep_parent: bool) -> None:
    index = make_index(tmp_path)
    back = {4: (3, 0), 1: (1,)}  # 0 → 3 → 4 → 3 and 0, and 1 is its own child
    index.communities[:] = [replace(row, children=back.get(row.community, row.children)) for row in index.communities]
    asked: list[int] = []

    async def rate(report: ReportRow) -> list[float]:
        asked.append(report.community)
        return [5.0]

    walk = asyncio.run(select_communities(index, rate, level=None, keep_parent=keep_parent))
    assert sorted(asked) == [0, 1, 2, 3, 4]
    assert walk.log[0].startswith("the children of 4 communities lead into a circle")
    account = open_account(index)
    settle_walk(index, walk, None, account)
    assert sum(account.counts.values()) + len(walk.positions) == account.candidates == 5


@pytest.mark.parametrize(
    ("reply", "rating"),
    [('{"rating": true}', 1), ('{"rating": false}', 0), ('{"rating": [3]}', 3), ('{"rating": "4"}', 4),
     ('{"rating": null}', None), ('{"rating": [1, 2]}', None), ('{"rating": "high"}', None), ("I cannot say.", None)],
)  # fmt: skip
def test_what_counts_as_a_rating(reply: str, rating: float | None) -> None:
    assert parse_rating(reply) == rating
