"""The check-up of indexes with one known defect each, and of sound ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.health.doctor import check_index
from explorer.health.report import Defect
from explorer.indexing.run import index_folder
from tests.indexing.folders import make_folder
from tests.indexing.plain_analyst import PlainAnalyst

# What the sound index from which the broken ones were made shows already (see the next test).
# The dangling ids of text units are those of its one document: the table of another run, 5 of 5.
USUAL = {"dangling_relationship_end", "dangling_text_unit_id", "duplicate_report_title"}


def defects(shared: Path, name: str) -> dict[str, Defect]:
    found = check_index(shared / "indexes/broken" / name)
    return {defect.kind: defect for defect in found.defects if defect.kind not in USUAL}


def test_the_index_that_the_broken_ones_were_made_from(shared: Path) -> None:
    found = check_index(shared / "indexes/microsoft/dulce-v3.0.0")
    assert {defect.kind for defect in found.defects} == USUAL
    assert found.version == "3"
    assert all(line.state == "read" for line in found.tables)


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("missing_entities", "table_missing", "entities"),
        ("missing_community_reports", "table_missing", "community_reports"),
        ("zero_byte_entities", "table_unreadable", "0 bytes"),
        ("community_without_report", "community_without_report", "Community"),
        ("duplicate_report", "duplicate_report", "community"),
        ("dangling_citations", "unresolved_citation", "9999"),
        ("bad_full_content_json", "bad_full_content_json", "community"),
        ("neg_and_zero_weights", "weight_not_positive", "–"),
        ("no_level_zero", "no_level_zero", "1"),
        ("parent_missing", "dangling_parent", "Community"),
        ("self_loops_parallel", "self_loop", ""),
    ],
)
def test_each_broken_index_shows_its_defect(shared: Path, name: str, kind: str, words: str) -> None:
    found = defects(shared, name)
    assert kind in found
    assert words in found[kind].example
    assert found[kind].remedy and found[kind].count > 0


def test_half_of_the_reports_are_gone(shared: Path) -> None:
    assert defects(shared, "community_without_report")["community_without_report"].count == 5


@pytest.mark.parametrize("name", ["missing_covariates", "extra_columns", "root_given", "upper_case_names"])
def test_what_is_no_defect_is_none(shared: Path, name: str) -> None:
    assert defects(shared, name) == {}


def test_entities_outside_the_largest_component_are_named_with_that_reason(shared: Path) -> None:
    found = check_index(shared / "indexes/mit/kexuan-backup3")
    outside = next(defect for defect in found.defects if defect.kind == "entity_without_community")
    entities = next(line for line in found.tables if line.name == "entities")
    unlinked = int(entities.reason.split()[0])
    assert outside.count + unlinked == 4466  # of 5,854, as the README of the material has it
    assert "largest" in outside.example


@pytest.mark.parametrize(
    ("name", "version"),
    [("microsoft/verbs-v2.0.0", "2.0"), ("microsoft/dulce-v2.2.0", "2.3"), ("microsoft/verbs-v3.1.2", "3")],
)
def test_the_form_of_the_tables_is_named(shared: Path, name: str, version: str) -> None:
    assert check_index(shared / "indexes" / name).version == version


def test_an_index_of_ours_is_sound_and_says_who_stands_alone(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "documents")
    index_folder(folder, analyst=PlainAnalyst())
    found = check_index(folder)
    assert found.sound, found.defects
    entities = next(line for line in found.tables if line.name == "entities")
    assert entities.reason == "1 of them is in no community for want of a relationship"
    assert "spans" in {line.name for line in found.tables}


def test_a_missing_report_and_a_run_that_was_stopped_are_defects(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "documents")
    index_folder(folder, analyst=PlainAnalyst(reports_missing=[0]))
    assert [(defect.kind, defect.count) for defect in check_index(folder).defects] == [("community_without_report", 1)]


def test_a_call_store_that_indexing_would_refuse_is_a_defect(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "documents")
    home = Path(index_folder(folder, analyst=PlainAnalyst()).index)
    (home / "calls.sqlite").write_bytes(b"")  # SQLite makes an empty file before it writes into it
    assert check_index(folder).sound
    (home / "calls.sqlite").write_bytes(b"not a database at all")
    assert [defect.kind for defect in check_index(folder).defects] == ["calls_damaged"]
    assert (home / "calls.sqlite").read_bytes() == b"not a database at all"
