"""The engine against recorded results of graphrag 3.3.0 on indexes that its own indexing would not make.

`record_odd.py` made the recording. Where that engine ends in an exception, ours must not.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from explorer.base.token_cache import TokenCounter
from explorer.search.basic_context import basic_context
from explorer.search.local.context import local_context
from explorer.search.local.options import LocalOptions
from explorer.search.options import GlobalOptions
from explorer.search.parse_rating import parse_rating
from explorer.search.prepare import prepare
from explorer.search.reports import open_account
from explorer.search.selection import select_communities, settle_walk
from explorer.tables.empty_cells import as_graphrag_reads
from explorer.tables.index import Index, open_index
from explorer.tables.rows import ReportRow
from tests.conformance import odd_indexes, scripts

RECORDED = Path(__file__).parent / "recorded" / "odd.json"


@cache
def recorded(odd: str, kind: str) -> list[dict[str, Any]]:
    return list(json.loads(RECORDED.read_text("utf-8"))[odd][kind])


@pytest.fixture(scope="module", params=odd_indexes.ODD)
def odd(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def index(odd: str, tmp_path_factory: pytest.TempPathFactory) -> Index:
    return open_index(odd_indexes.write(odd, tmp_path_factory.mktemp("odd") / odd))


@pytest.fixture(scope="module")
def counter() -> TokenCounter:
    return TokenCounter("cl100k_base")


def digest(text: str) -> dict[str, Any]:
    return {"sha256": hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(), "length": len(text)}


def test_batches(odd: str, index: Index, counter: TokenCounter) -> None:
    for settings, wanted in zip(odd_indexes.GLOBAL, recorded(odd, "batches"), strict=True):
        given = {key: settings[key] for key in settings if key != "seed"}
        options = GlobalOptions(reports="at_or_below", shuffle_seed=settings["seed"], **given)
        prepared = prepare(index, options, counter)
        texts = [batch.text for batch in prepared.batches]
        if "ends_with" not in wanted:
            assert {"batches": len(texts), **digest("\0".join(texts))} == wanted, settings
        sent = sum(len(batch.rows) for batch in prepared.batches)
        assert sum(prepared.account.counts.values()) + sent == prepared.account.candidates


def test_local_contexts(odd: str, index: Index, counter: TokenCounter) -> None:
    for settings, wanted in zip(odd_indexes.LOCAL, recorded(odd, "local"), strict=True):
        ids = scripts.found([row.id for row in index.entities], settings["seed"], settings["found"])
        options = LocalOptions(**{key: settings[key] for key in settings if key not in ("found", "seed")})
        context = local_context(index, ids, options, counter=counter)
        rows = dict.fromkeys(wanted["rows"], 0)
        for row in context.rows:
            if row.fate == "in_context":
                rows[row.table] += 1
        assert {"rows": rows, **digest(context.text)} == wanted, settings


def test_basic_contexts(odd: str, index: Index, counter: TokenCounter) -> None:
    for settings, wanted in zip(odd_indexes.BASIC, recorded(odd, "basic"), strict=True):
        ids = scripts.found([row.id for row in index.text_units], settings["seed"], settings["k"])
        text, rows = basic_context(index, ids, max_context_tokens=settings["max_context_tokens"], counter=counter)
        inside = sum(row.fate == "in_context" for row in rows)
        assert {"rows": inside, **digest(text)} == wanted, settings


def test_selections(odd: str, index: Index) -> None:
    for settings, wanted in zip(odd_indexes.DYNAMIC, recorded(odd, "dynamic"), strict=True):
        assert select(index, settings) == wanted, settings


def select(index: Index, settings: dict[str, Any]) -> dict[str, Any]:
    """What a walk with scripted ratings finds, as it is recorded."""
    field = "summary" if settings["use_summary"] else "full_content"
    level, repeats = settings["level"], settings["num_repeats"]
    asked: list[str] = []
    written = as_graphrag_reads(index, "community_reports", index.reports, (field,))
    texts = {report.id: str(getattr(report, field)) for report in written}
    near = [texts[report.id] for report in index.reports if level is None or report.level <= level]

    async def rate(report: ReportRow) -> list[float | None]:
        text = texts[report.id]
        first = asked.count(text)
        asked.extend([text] * repeats)
        places = range(first, first + repeats) if near.count(text) == 1 else [0] * repeats
        return [parse_rating(scripts.rating_reply(text, settings["seed"], place)) for place in places]

    walk = asyncio.run(
        select_communities(
            index, rate, level=level, threshold=settings["threshold"], keep_parent=settings["keep_parent"],
            max_level=settings["max_level"],
        )
    )  # fmt: skip
    account = open_account(index)
    settle_walk(index, walk, level, account)
    assert sum(account.counts.values()) + len(walk.positions) == account.candidates
    return {
        "chosen": sorted(index.reports[position].community for position in walk.positions),
        "ratings": {str(visit.community): visit.rating for visit in walk.visits},
        "calls": len(asked),
    }  # fmt: skip
