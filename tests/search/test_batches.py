"""Batches equal to those that graphrag 3.3.0 itself built from the same tables, byte for byte."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from explorer.base.errors import InputError
from explorer.base.token_cache import TokenCounter
from explorer.search.batches import BatchRow, build_batches
from explorer.search.options import GlobalOptions
from explorer.search.prepare import prepare
from explorer.tables.index import open_index
from explorer.tables.rows import ReportRow

# Measured with graphrag 3.3.0: sha256 of the context chunks joined by a NUL byte, and the reports in each.
REFERENCE = [
    ("verbs-v3.1.2", 0, "042bfb088453ec85", [9, 9, 5], [4, 3, 20, 15, 18, 5]),
    ("verbs-v3.1.2", 1, "7a876a2ac92dcb38", [12, 10, 12, 11, 10, 10, 11, 12], [1, 27, 55, 70, 72, 29]),
    ("verbs-v3.1.2", 2, "0f04c6a2371a77f2", [11, 12, 11, 12, 12, 14, 12, 11, 11, 11, 3], [97, 13, 15, 73, 59, 57]),
    ("dulce-v3.0.0", 0, "2aae2b126d7d5d7b", [7], [4, 3, 0, 5, 2, 1]),
    ("dulce-v3.0.0", 1, "22cdaeb3c25c9e30", [10], [4, 0, 3, 8, 7, 5]),
    ("dulce-v3.0.0", 2, "22cdaeb3c25c9e30", [10], [4, 0, 3, 8, 7, 5]),
]


@pytest.fixture(scope="module")
def counter() -> TokenCounter:
    return TokenCounter("cl100k_base")


@pytest.mark.parametrize(("name", "level", "digest", "sizes", "first"), REFERENCE)
def test_every_report_at_or_below_a_level_is_batched_as_graphrag_does(
    shared: Path, counter: TokenCounter, name: str, level: int, digest: str, sizes: list[int], first: list[int]
) -> None:
    index = open_index(shared / "indexes/microsoft" / name)
    batches = prepare(index, GlobalOptions(level=level, reports="at_or_below"), counter).batches
    assert [len(batch.rows) for batch in batches] == sizes
    assert [row.report.community for row in batches[0].rows[:6]] == first
    assert hashlib.sha256("\0".join(batch.text for batch in batches).encode()).hexdigest()[:16] == digest


def test_weight_is_a_share_of_text_units(shared: Path, counter: TokenCounter) -> None:
    index = open_index(shared / "indexes/microsoft/verbs-v3.1.2")
    batches = prepare(index, GlobalOptions(level=2, reports="at_or_below"), counter).batches
    assert batches[0].rows[0].weight == 3 / 17
    assert "|0.17647058823529413|" in batches[0].text


def test_level_2_is_97_reports_rolled_up_and_120_as_graphrag_sends_them(shared: Path, counter: TokenCounter) -> None:
    index = open_index(shared / "indexes/microsoft/verbs-v3.1.2")
    rolled = prepare(index, GlobalOptions(level=2), counter)
    everything = prepare(index, GlobalOptions(level=2, reports="at_or_below"), counter)
    assert sum(len(batch.rows) for batch in rolled.batches) == 97
    assert sum(len(batch.rows) for batch in everything.batches) == 120
    assert rolled.account.counts == {"not_at_level": 25}
    assert everything.account.counts == {"not_at_level": 2}


def test_quoting_may_push_a_batch_over_its_budget(shared: Path, counter: TokenCounter) -> None:
    index = open_index(shared / "indexes/microsoft/verbs-v3.1.2")
    first = prepare(index, GlobalOptions(level=1, reports="at_or_below"), counter).batches[0]
    assert first.context_tokens <= 12000
    assert counter.count(first.text) == 12005  # the figure that graphrag itself gave


def test_a_report_longer_than_the_budget_is_sent_whole_and_alone(counter: TokenCounter) -> None:
    rows = [
        BatchRow(at, _report(at, "word " * (3000 if at == 1 else 5)), 0.5, "word " * (3000 if at == 1 else 5))
        for at in range(4)
    ]
    batches = build_batches(rows, max_context_tokens=500, seed=86, counter=counter)
    alone = [batch for batch in batches if any(row.report.community == 1 for row in batch.rows)]
    assert [len(batch.rows) for batch in alone] == [1]
    assert "word " * 3000 in alone[0].text
    assert sorted(row.report.community for batch in batches for row in batch.rows) == [0, 1, 2, 3]


def test_cells_with_delimiters_quotes_and_line_ends_are_quoted(counter: TokenCounter) -> None:
    report = _report(7, 'a|b\n"c"\rd', title='say "x"')
    (batch,) = build_batches(
        [BatchRow(0, report, None, report.full_content)], max_context_tokens=500, seed=86, counter=counter
    )
    assert batch.text == 'id|title|content|rank\n7|"say ""x"""|"a|b\n""c""\rd"|5.0\n'


def test_equal_weights_go_by_rank_and_equal_ranks_stay_as_shuffled(counter: TokenCounter) -> None:
    rows = [BatchRow(at, _report(at, "x", rank=float(at % 2)), 1.0, "x") for at in range(6)]
    (batch,) = build_batches(rows, max_context_tokens=5000, seed=86, counter=counter)
    import random

    order = list(range(6))
    random.seed(86)
    random.shuffle(order)
    expected = [at for at in order if at % 2] + [at for at in order if not at % 2]
    assert [row.report.community for row in batch.rows] == expected


def test_an_index_without_members_cannot_be_rolled_up(shared: Path, counter: TokenCounter) -> None:
    index = open_index(shared / "indexes/broken/missing_communities")
    with pytest.raises(InputError, match="at_or_below"):
        prepare(index, GlobalOptions(), counter)
    prepared = prepare(index, GlobalOptions(reports="at_or_below", level=None), counter)
    assert sum(len(batch.rows) for batch in prepared.batches) == len(index.reports) > 0
    assert any("level of each report" in note for note in prepared.notes)


def test_half_of_the_reports_gone(shared: Path, counter: TokenCounter) -> None:
    index = open_index(shared / "indexes/broken/community_without_report")
    strict = prepare(index, GlobalOptions(level=None), counter)
    helped = prepare(index, GlobalOptions(level=None, nearest_ancestor=True), counter)
    assert strict.account.counts["no_report"] > 0
    assert helped.account.counts.get("no_report", 0) <= strict.account.counts["no_report"]
    for prepared in (strict, helped):
        in_batches = sum(len(batch.rows) for batch in prepared.batches)
        assert in_batches == len(prepared.account.open_items)
        assert prepared.account.candidates == len(
            {row.community for row in index.communities} | set(index.report_by_community)
        )


def test_two_reports_of_one_community(shared: Path, counter: TokenCounter) -> None:
    index = open_index(shared / "indexes/broken/duplicate_report")
    rolled = prepare(index, GlobalOptions(level=None), counter)
    assert rolled.account.counts["duplicate"] == len(index.reports) - len(index.report_by_community) > 0
    both = prepare(index, GlobalOptions(level=None, reports="at_or_below"), counter)
    assert sum(len(batch.rows) for batch in both.batches) == len(index.reports)  # as GraphRAG sends them


def _report(community: int, content: str, *, title: str = "T", rank: float = 5.0) -> ReportRow:
    return ReportRow(f"r{community}", community, 0, -1, (), title, "", content, rank)
