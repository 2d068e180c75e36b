"""Which reports stand for a level, and what becomes of the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.base.errors import InputError
from explorer.base.token_cache import TokenCounter
from explorer.search.options import GlobalOptions
from explorer.search.prepare import Prepared, prepare
from explorer.search.reports import at_or_below, community_key, open_account, roll_up
from explorer.tables.index import open_index
from search.small_index import make_index


def _prepare(index: object, **options: object) -> Prepared:
    return prepare(index, GlobalOptions(**options), TokenCounter("cl100k_base"))  # type: ignore[arg-type]


def test_each_entity_is_read_in_its_deepest_report_at_or_below_the_level(tmp_path: Path) -> None:
    index = make_index(tmp_path)
    account = open_account(index)
    for level, expected in ((0, {0, 1}), (1, {0, 1, 2, 3}), (2, {0, 1, 2, 3, 4}), (None, {0, 1, 2, 3, 4})):
        account = open_account(index)
        chosen = roll_up(index, level, account)
        assert {index.reports[position].community for position in chosen.positions} == expected
        assert list(chosen.positions) == sorted(chosen.positions)
        assert account.counts == ({"not_at_level": 5 - len(expected)} if len(expected) < 5 else {})
    assert chosen.notes == ("1 of 12 entities is in no community at or below the level: no report names it.",)


def test_a_deepest_community_without_a_report_is_lost_and_one_that_is_not_asked_for_is_not(tmp_path: Path) -> None:
    index = make_index(tmp_path, without_report=[2, 4])
    account = open_account(index)
    chosen = roll_up(index, 1, account)
    assert [index.reports[position].community for position in chosen.positions] == [3, 0, 1]
    assert account.fate(community_key(2)) == "no_report"
    assert account.fate(community_key(4)) == "not_at_level"
    assert account.candidates == 5


def test_the_nearest_ancestor_with_a_report_may_stand_for_it(tmp_path: Path) -> None:
    index = make_index(tmp_path, without_report=[3, 4])
    account = open_account(index)
    chosen = roll_up(index, 2, account, nearest_ancestor=True)
    assert [index.reports[position].community for position in chosen.positions] == [2, 0, 1]
    assert account.counts == {"not_at_level": 2}
    (position,) = chosen.stands_for
    assert index.reports[position].community == 0
    assert chosen.stands_for[position] == (3, 4)


def test_no_ancestor_has_a_report(tmp_path: Path) -> None:
    index = make_index(tmp_path, without_report=[0, 3, 4])
    account = open_account(index)
    roll_up(index, 2, account, nearest_ancestor=True)
    assert account.counts == {"no_report": 3}


def test_at_or_below_takes_parents_and_children(tmp_path: Path) -> None:
    index = make_index(tmp_path, without_report=[2], duplicates=[1])
    account = open_account(index)
    chosen = at_or_below(index, 1, account)
    ids = [index.reports[position].id for position in chosen.positions]
    assert ids == ["report-3", "report-0", "report-1", "report-1 (again)"]
    assert account.fate(community_key(2)) == "no_report"
    assert account.counts == {"no_report": 1, "not_at_level": 1}


def test_of_communities_with_one_title_the_highest_number_stands(tmp_path: Path) -> None:
    index = make_index(tmp_path, titles={0: "One", 1: "One", 3: None, 4: "One"})
    account = open_account(index)
    chosen = at_or_below(index, 1, account)  # 4 bears the title too, but lies deeper
    assert [index.reports[position].id for position in chosen.positions] == ["report-2", "report-1"]
    assert account.counts == {"not_at_level": 3}
    (note,) = chosen.notes
    assert note.startswith("2 communities have no title")


def test_reports_without_a_rank_or_below_the_least_are_left_out_by_name(tmp_path: Path) -> None:
    index = make_index(tmp_path, ranks={0: None, 1: float("nan"), 2: 1.9, 3: 2.0})
    prepared = _prepare(index, min_community_rank=2)
    assert sorted(row.report.community for batch in prepared.batches for row in batch.rows) == [3, 4]
    assert prepared.account.counts == {"below_min_rank": 3}


def test_weights_are_over_the_reports_of_the_level_even_where_the_largest_is_left_out(tmp_path: Path) -> None:
    # Entity n stands in units n and n // 2. 0 has e0–e7: units 0–7, 8 of them; 1 has e8–e10: 8, 9, 10, 4, 5.
    index = make_index(tmp_path, ranks={0: None})
    prepared = _prepare(index, level=0)
    (batch,) = prepared.batches
    assert [(row.report.community, row.weight) for row in batch.rows] == [(1, 5 / 8)]


def test_a_summary_may_stand_for_the_report(tmp_path: Path) -> None:
    (batch,) = _prepare(make_index(tmp_path), use_community_summary=True, level=0).batches
    assert "Sum 1." in batch.text
    assert "word1" not in batch.text
    assert batch.text.startswith("id|title|occurrence weight|summary|rank\n")


def test_an_empty_cell_is_sent_as_graphrag_reads_it(tmp_path: Path) -> None:
    index = make_index(tmp_path, empty=[1])
    prepared = _prepare(index, level=0, reports="at_or_below")
    assert prepared.batches[0].text.endswith("\n1|nan|0.625|nan|2.0\n")
    assert 'as the word "nan"' in prepared.notes[-1]
    assert "nan" not in "".join(batch.text for batch in _prepare(index, level=0).batches)


def test_a_last_batch_of_the_same_communities_is_left_out(tmp_path: Path) -> None:
    index = make_index(tmp_path, communities=(1,), duplicates=[1])
    prepared = _prepare(index, reports="at_or_below", max_context_tokens=1)
    assert len(prepared.batches) == 1
    assert prepared.account.counts == {"duplicate": 1}


def test_rows_and_tables_that_could_not_be_read_are_said(shared: Path) -> None:
    options = GlobalOptions(reports="at_or_below")
    for name, table in (("missing_communities", "communities"), ("zero_byte_entities", "entities")):
        index = open_index(shared / "indexes/broken" / name)
        notes = prepare(index, options, TokenCounter("cl100k_base")).notes
        assert any(note.startswith(f"Table {table}: ") for note in notes)


@pytest.mark.parametrize(("data", "words"), [(None, "is missing"), (b"no table", "cannot be read")])
def test_communities_that_cannot_be_read_are_not_said_to_name_nobody(
    tmp_path: Path, data: bytes | None, words: str
) -> None:
    path = make_index(tmp_path).output / "communities.parquet"
    path.unlink()
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(InputError) as error:
        _prepare(open_index(path.parent), reports="roll_up")
    assert words in error.value.sentence
    assert "names its entities" not in error.value.sentence
    assert "at_or_below" in error.value.sentence


def test_without_a_table_of_entities_the_note_says_so(tmp_path: Path) -> None:
    path = make_index(tmp_path).output / "entities.parquet"
    path.unlink()
    notes = _prepare(open_index(path.parent), level=1).notes
    assert not any("No entity belongs" in note for note in notes)
    assert any("table entities" in note and "no weights" in note for note in notes)
