"""The engine's batches, packing, selection walk, local and basic contexts against recorded results of graphrag 3.3.0.

`record.py` made the recordings in that engine's own environment, with the same scripted ratings, replies and hits.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from explorer.base.token_cache import TokenCounter
from explorer.search.basic_context import basic_context
from explorer.search.local.context import local_context
from explorer.search.local.options import LocalOptions
from explorer.search.options import GlobalOptions
from explorer.search.pack_points import Candidate, block_tokens, pack_points
from explorer.search.parse_points import parse_points
from explorer.search.parse_rating import parse_rating
from explorer.search.prepare import prepare
from explorer.search.reports import open_account
from explorer.search.selection import select_communities, settle_walk
from explorer.tables.index import Index, open_index
from explorer.tables.rows import ReportRow
from tests.conformance import scripts

RECORDED = Path(__file__).parent / "recorded"


@cache
def recorded(name: str) -> dict[str, Any]:
    return dict(json.loads((RECORDED / f"{name}.json").read_text("utf-8")))


@pytest.fixture(scope="module", params=sorted(scripts.INDEXES))
def case(shared: Path, request: pytest.FixtureRequest) -> tuple[Index, dict[str, Any]]:
    return open_index(shared / "indexes" / scripts.INDEXES[request.param]), recorded(request.param)


@pytest.fixture(scope="module")
def counter() -> TokenCounter:
    return TokenCounter("cl100k_base")


def sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def test_local_contexts(case: tuple[Index, dict[str, Any]], counter: TokenCounter) -> None:
    index, known = case
    for wanted in known["local"]:
        ids = scripts.found([row.id for row in index.entities], wanted["seed"], 20)
        context = local_context(index, ids, LocalOptions(level=wanted["level"]), counter=counter)
        assert (len(context.text), sha(context.text)) == (wanted["length"], wanted["sha256"]), wanted
        inside = Counter(row.table for row in context.rows if row.fate == "in_context")
        assert inside == {name: count for name, count in wanted["rows"].items() if count}, wanted


def test_basic_contexts(case: tuple[Index, dict[str, Any]], counter: TokenCounter) -> None:
    index, known = case
    for wanted in known["basic"]:
        ids = scripts.found([row.id for row in index.text_units], wanted["seed"], 10)
        text, rows = basic_context(index, ids, counter=counter)
        assert (len(text), sha(text)) == (wanted["length"], wanted["sha256"]), wanted
        assert sum(row.fate == "in_context" for row in rows) == wanted["rows"]


def test_dynamic_selection(case: tuple[Index, dict[str, Any]]) -> None:
    index, known = case
    for wanted in known["dynamic"]:
        texts = [report.full_content for report in index.reports if report.level <= wanted["level"]]
        asked = 0

        async def rate(report: ReportRow, wanted: dict[str, Any] = wanted, texts: list[str] = texts) -> list[Any]:
            nonlocal asked
            asked += wanted["repeats"]
            several = texts.count(report.full_content) > 1
            replies = [
                scripts.rating_reply(report.full_content, wanted["seed"], 0 if several else repeat)
                for repeat in range(wanted["repeats"])
            ]
            return [parse_rating(reply) for reply in replies]

        walk = asyncio.run(
            select_communities(
                index, rate, level=wanted["level"], threshold=1 if wanted["seed"] != 2 else 3,
                keep_parent=wanted["keep_parent"], max_level=2,
            )
        )  # fmt: skip
        chosen = sorted(index.reports[position].community for position in walk.positions)
        assert chosen == wanted["chosen"], wanted
        assert {str(visit.community): visit.rating for visit in walk.visits} == wanted["ratings"]
        assert asked == wanted["calls"]
        account = open_account(index)
        settle_walk(index, walk, wanted["level"], account)
        assert sum(account.counts.values()) + len(walk.positions) == account.candidates


def test_batches_and_the_data_of_the_reduce_prompt(case: tuple[Index, dict[str, Any]], counter: TokenCounter) -> None:
    index, known = case
    for wanted in known["reduce"]:
        options = GlobalOptions(level=wanted["level"], reports="at_or_below")
        batches = prepare(index, options, counter).batches
        assert len(batches) == wanted["batches"]
        assert sha("\0".join(batch.text for batch in batches)) == wanted["batches_sha256"]
        found = [
            (batch.index, position, point.text, point.score)
            for batch in batches
            for position, point in enumerate(parse_points(scripts.map_reply(batch.text, wanted["seed"])).points)
            if point.score
        ]
        tokens = block_tokens([(batch, score, text) for batch, _, text, score in found], counter.count_all)
        candidates = [
            Candidate((batch, position), batch, text, score, count)
            for (batch, position, text, score), count in zip(found, tokens, strict=True)
        ]
        from explorer.base.fates import PointFate
        from explorer.base.ledger import Account

        account: Account[PointFate] = Account("point")
        account.expect(candidate.key for candidate in candidates)
        packing = pack_points(candidates, 3_000, account)
        if wanted["length"]:
            assert (len(packing.data), sha(packing.data)) == (wanted["length"], wanted["sha256"]), wanted
        else:
            assert not packing.kept
