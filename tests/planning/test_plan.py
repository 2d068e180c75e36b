"""The plan is what the run then does."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from search.small_index import make_index
from servers.scripted_analyst import Said, ScriptedAnalyst, points

from explorer.base.token_cache import FILE_NAME, TokenCounter
from explorer.base.tokens import EncodingName, count_tokens
from explorer.planning.plan import plan
from explorer.search.global_search import global_search
from explorer.search.options import GlobalOptions
from explorer.tables.index import open_index


# The digests are those of the context chunks that graphrag 3.3.0 built from the same tables.
@pytest.mark.parametrize(
    ("name", "level", "reports", "batches", "digest"),
    [
        ("verbs-v3.1.2", 0, 23, 3, "042bfb088453ec85"),
        ("verbs-v3.1.2", 1, 88, 8, "7a876a2ac92dcb38"),
        ("verbs-v3.1.2", 2, 120, 11, "0f04c6a2371a77f2"),
        ("dulce-v3.0.0", 0, 7, 1, "2aae2b126d7d5d7b"),
        ("dulce-v3.0.0", 1, 10, 1, "22cdaeb3c25c9e30"),
        ("dulce-v3.0.0", 2, 10, 1, "22cdaeb3c25c9e30"),
    ],
)
def test_reports_batches_and_their_digest(
    shared: Path, name: str, level: int, reports: int, batches: int, digest: str
) -> None:
    made = plan(open_index(shared / "indexes/microsoft" / name), GlobalOptions(level=level, reports="at_or_below"))
    assert (made.reports, len(made.batches), made.sha256[:16]) == (reports, batches, digest)
    assert made.calls == {"map": batches, "reduce": (0, 1)}


def test_the_run_sends_what_was_planned(tmp_path: Path) -> None:
    index = make_index(tmp_path)
    options = GlobalOptions(max_context_tokens=130, as_model="gpt-4.1")
    made = plan(index, options, "Who?")
    trace = asyncio.run(global_search(index, "Who?", ScriptedAnalyst([Said(points(("a", 9)))]), options))
    assert [batch.report_ids for batch in made.batches] == [batch.report_ids for batch in trace.batches]
    assert [batch.prompt_tokens for batch in made.batches] == [batch.prompt_tokens for batch in trace.batches]
    assert made.prompt_tokens == trace.totals["map"].prompt_tokens
    assert made.calls["map"] == trace.totals["map"].calls
    output = sum(sums.output_tokens for sums in trace.totals.values())
    assert made.output_tokens[0] <= output <= made.output_tokens[1]
    assert made.cost is not None
    cost = sum(sums.cost or 0.0 for sums in trace.totals.values())
    assert made.cost[0] <= cost <= made.cost[1]
    contents = [report.full_content for report in index.reports]
    assert (
        made.report_tokens == sum(count_tokens(text) for text in contents) == sum(row.tokens for row in trace.reports)
    )


def test_money_is_prompt_and_output_at_the_model_s_price(tmp_path: Path) -> None:
    index = make_index(tmp_path)
    assert plan(index, GlobalOptions()).cost is None
    made = plan(index, GlobalOptions(as_model="gpt-4o"))
    assert made.cost is not None
    assert made.cost[0] == pytest.approx((made.prompt_tokens * 2.5 + made.output_tokens[0] * 10) / 1e6)
    unknown = plan(index, GlobalOptions(as_model="nobody-7b"))
    assert unknown.cost is None
    assert "No price is known for the model 'nobody-7b'" in unknown.notes[-1]


def test_nothing_at_the_level_costs_nothing(tmp_path: Path) -> None:
    made = plan(make_index(tmp_path, without_report=range(5)), GlobalOptions(as_model="gpt-4o"))
    assert (made.reports, made.batches, made.calls) == (0, [], {"map": 0, "reduce": (0, 0)})
    assert made.output_tokens == (0, 0)
    assert made.cost == (0.0, 0.0)
    assert made.fates == {"no_report": 5}


def test_a_longer_question_makes_every_batch_longer(tmp_path: Path) -> None:
    index = make_index(tmp_path)
    short, long = plan(index, GlobalOptions(), "Who?"), plan(index, GlobalOptions(), "Who is it that was there?")
    grown = count_tokens("Who is it that was there?") - count_tokens("Who?")
    assert long.prompt_tokens - short.prompt_tokens == grown * len(short.batches) > 0
    assert long.sha256 == short.sha256


def test_counts_are_kept_and_a_changed_report_is_counted_anew(tmp_path: Path) -> None:
    text = "some words of a report " * 40
    with TokenCounter("cl100k_base", tmp_path) as counter:
        assert counter.count_all([text, "short", text]) == [
            count_tokens(text),
            count_tokens("short"),
            count_tokens(text),
        ]
    with sqlite3.connect(tmp_path / FILE_NAME) as store:
        assert store.execute("SELECT count(*) FROM counts").fetchone() == (1,)
        store.execute("UPDATE counts SET tokens = 7")
    store.close()
    with TokenCounter("cl100k_base", tmp_path) as counter:
        assert counter.count_all([text, text + "!"]) == [7, count_tokens(text + "!")]
    with TokenCounter("o200k_base", tmp_path) as counter:
        assert counter.count(text) == count_tokens(text, "o200k_base")


def test_a_store_of_counts_that_cannot_be_used_changes_no_count(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"this is no database" * 100)
    text = "x y z " * 100
    with TokenCounter("cl100k_base", tmp_path) as counter:
        assert counter.count(text) == count_tokens(text)
    (tmp_path / "a_file").write_bytes(b"")
    with TokenCounter("cl100k_base", tmp_path / "a_file") as counter:
        assert counter.count(text) == count_tokens(text)


_BITS = ["\n", "\n\n", "\r\n", " ", "\t", "Ab", "é", "中", "1", "²", "_", "|", '"', ". ", "# ", "e\u0301", "'s", "/"]


@given(
    st.lists(st.sampled_from(_BITS), max_size=30).map("".join),
    st.sampled_from(["cl100k_base", "o200k_base"]),
)
def test_paragraphs_add_up_to_their_text(text: str, name: EncodingName) -> None:
    assert TokenCounter(name).count(text) == count_tokens(text, name)


def test_many_texts_are_counted_as_one_by_one() -> None:
    texts = ["x\ud800y", "", "<|endoftext|>", *(f"text {number} " * number * 7 for number in range(150))]
    with TokenCounter("o200k_base") as counter:
        counts = counter.count_all(texts)
    assert counts[1:] == [count_tokens(text, "o200k_base") for text in texts[1:]]
