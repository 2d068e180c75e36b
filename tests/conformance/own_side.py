"""What this program makes of an index, in the forms in which graphrag's side is written down: rows and contexts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from explorer.base.fates import PointFate
from explorer.base.ledger import Account
from explorer.base.token_cache import TokenCounter
from explorer.search.basic_context import basic_context
from explorer.search.local.context import local_context
from explorer.search.local.options import LocalOptions
from explorer.search.options import GlobalOptions
from explorer.search.pack_points import Candidate, block_tokens, pack_points
from explorer.search.parse_points import parse_points
from explorer.search.prepare import prepare
from explorer.tables.index import Index

LEVEL = 2  # of graphrag's command line
ENTITIES, UNITS = 20, 10  # what it looks for: twice top_k_entities, and k


def adapted(index: Index) -> dict[str, list[Any]]:
    """The rows that graphrag's query engine works with, as `read_with_graphrag.py` prints them."""
    homes: dict[str, set[int]] = {}
    for row in index.communities:
        if row.level <= LEVEL:
            for key in row.entity_ids:
                homes.setdefault(key, set()).add(row.community)
    reported = {report.community for report in index.reports}
    return {
        "entities": [
            [
                row.id, str(row.number), row.title, row.type, row.description,
                [str(community) for community in sorted(homes[row.id])], list(row.text_unit_ids), row.degree,
            ]
            for row in sorted(index.entities, key=lambda row: row.id)
            if row.id in homes
        ],
        "relationships": [
            [
                row.id, str(row.number), row.source, row.target, row.description, row.weight,
                list(row.text_unit_ids), row.combined_degree,
            ]
            for row in index.relationships
        ],
        "text_units": [
            [row.id, row.text, list(row.entity_ids), list(row.relationship_ids), row.n_tokens, row.document_id]
            for row in index.text_units
        ],
        "communities": [
            [row.id, str(row.community), row.title, str(row.level), str(row.parent), list(row.children)]
            for row in index.communities
            if row.community in reported
        ],
        "community_reports": [
            [row.id, str(row.community), str(row.community), row.title, row.summary, row.full_content, row.rank]
            for row in index.reports
            if row.level <= LEVEL
        ],
        "covariates": [
            [
                row.id, str(row.number), row.subject_id, row.type,
                row.object_id, row.status, row.start_date, row.end_date, row.description,
            ]
            for row in index.claims
        ],
    }  # fmt: skip


def local(index: Index, entity_ids: Sequence[str], counter: TokenCounter) -> tuple[str, dict[str, int]]:
    """The local context around entities, nearest first, and how many rows of each table stand in it."""
    context = local_context(index, entity_ids, LocalOptions(level=LEVEL), counter=counter)
    rows: dict[str, int] = {}
    for row in context.rows:
        rows[row.table] = rows.get(row.table, 0) + (row.fate == "in_context")
    return context.text, rows


def basic(index: Index, unit_ids: Sequence[str], counter: TokenCounter) -> tuple[str, dict[str, int]]:
    """The basic context of text units, and how many of them stand in it."""
    text, rows = basic_context(index, unit_ids, counter=counter)
    return text, {"sources": sum(row.fate == "in_context" for row in rows)}


def batches(index: Index, counter: TokenCounter) -> list[str]:
    """The texts of the map batches as graphrag chooses their reports."""
    return [batch.text for batch in prepare(index, GlobalOptions(level=LEVEL, reports="at_or_below"), counter).batches]


def reduce_data(replies: Sequence[str], counter: TokenCounter) -> str:
    """The data of the reduce prompt, from the reply to each batch."""
    found = [
        (batch, position, point.text, point.score)
        for batch, reply in enumerate(replies)
        for position, point in enumerate(parse_points(reply).points)
        if point.score
    ]
    tokens = block_tokens([(batch, score, text) for batch, _, text, score in found], counter.count_all)
    candidates = [
        Candidate((batch, position), batch, text, score, count)
        for (batch, position, text, score), count in zip(found, tokens, strict=True)
    ]
    account: Account[PointFate] = Account("point")
    account.expect(candidate.key for candidate in candidates)
    return pack_points(candidates, 12_000, account).data
