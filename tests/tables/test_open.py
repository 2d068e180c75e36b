"""Opening indexes that other programs made, against what their tables are known to hold."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from explorer.base.errors import OpenError
from explorer.tables.index import open_index
from explorer.tables.rows import ROOT

# From the README of the material and from GraphRAG's own golden files: entities, relationships, communities, units.
KNOWN = {
    "microsoft/verbs-v3.1.2": (529, 978, 122, 42),
    "microsoft/verbs-v2.0.0": (251, 372, 41, 42),
    "microsoft/dulce-v2.2.0": (18, 54, 2, 5),
    "microsoft/dulce-v3.0.0": (39, 107, 10, 5),
    "mit/kexuan-backup3": (5854, 4333, 349, 691),
    "mit/joelandres-christmas": (159, 213, 23, 42),
}


@pytest.mark.parametrize("name", KNOWN)
def test_counts_of_indexes_of_2x_and_3x(shared: Path, name: str) -> None:
    index = open_index(shared / "indexes" / name)
    found = (len(index.entities), len(index.relationships), len(index.communities), len(index.text_units))
    assert found == KNOWN[name]
    assert index.foreign
    assert all(state.state == "read" for state in index.tables if state.name != "covariates")


@pytest.mark.parametrize("name", KNOWN)
def test_rows_have_their_columns_whatever_the_version_calls_them(shared: Path, name: str) -> None:
    index = open_index(shared / "indexes" / name)
    assert all(unit.document_id == index.documents[0].id for unit in index.text_units)
    assert all(report.rating_explanation and report.findings and report.rank for report in index.reports)
    assert all(community.parent == ROOT for community in index.communities if community.level == 0)
    assert {child for row in index.communities for child in row.children} == {
        row.community for row in index.communities if row.level > 0
    }


def test_levels_of_the_christmas_carol(shared: Path) -> None:
    index = open_index(shared / "indexes/microsoft/verbs-v3.1.2")
    by_level = {level: sum(row.level == level for row in index.communities) for level in index.levels}
    assert by_level == {0: 23, 1: 65, 2: 32, 3: 2}
    assert index.reports[0].level == 3  # file order: the deepest level first


def test_nothing_is_written_into_a_foreign_index(shared: Path) -> None:
    folder = shared / "indexes/microsoft/dulce-v3.0.0"
    before = {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in folder.rglob("*")}
    index = open_index(folder)
    index.read_all()
    assert {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in folder.rglob("*")} == before
    assert folder not in index.home.parents


@pytest.mark.parametrize("name", ["entities", "communities", "community_reports", "documents", "covariates"])
def test_a_missing_table_is_named_and_the_others_are_read(shared: Path, name: str) -> None:
    index = open_index(shared / "indexes/broken" / f"missing_{name}")
    index.read_all()
    assert [state.name for state in index.tables if state.state != "read"] == [name]
    assert index.state(name).state == "missing"
    assert name in index.state(name).reason


def test_a_table_of_no_bytes_is_unreadable_by_name(shared: Path) -> None:
    index = open_index(shared / "indexes/broken/zero_byte_entities")
    assert index.state("entities").state == "unreadable"
    assert "0 bytes" in index.state("entities").reason
    assert index.entities == []
    assert len(index.relationships) == 107


@pytest.mark.parametrize("name", ["no_children_column", "children_as_string", "community_as_float", "upper_case_names"])
def test_odd_forms_give_the_same_rows_as_the_sound_index(shared: Path, name: str) -> None:
    sound = open_index(shared / "indexes/microsoft/dulce-v3.0.0")
    odd = open_index(shared / "indexes/broken" / name)
    assert [(row.community, row.level, row.parent, row.children) for row in odd.communities] == [
        (row.community, row.level, row.parent, row.children) for row in sound.communities
    ]
    assert [set(row.entity_ids) for row in odd.communities] == [set(row.entity_ids) for row in sound.communities]


def test_a_project_root_opens_its_output(shared: Path) -> None:
    index = open_index(shared / "indexes/broken/root_given")
    assert index.output.name == "output"
    assert index.folder is not None and index.folder.name == "input"
    assert len(index.entities) == 39


def test_two_reports_of_one_community_the_first_stands(shared: Path) -> None:
    index = open_index(shared / "indexes/broken/duplicate_report")
    twice = [row.community for row in index.reports]
    doubled = next(number for number in twice if twice.count(number) == 2)
    assert index.report_by_community[doubled] is next(row for row in index.reports if row.community == doubled)


def test_every_broken_index_opens_without_an_error(shared: Path) -> None:
    for folder in sorted((shared / "indexes/broken").iterdir()):
        if folder.is_dir():
            open_index(folder).read_all()


def test_a_damaged_body_turns_the_table_unreadable_when_it_is_read(shared: Path, tmp_path: Path) -> None:
    for path in (shared / "indexes/microsoft/dulce-v3.0.0").glob("*.parquet"):
        data = path.read_bytes()
        if path.name == "text_units.parquet":
            data = data[:4] + bytes(len(data) // 2) + data[4 + len(data) // 2 :]
        (tmp_path / path.name).write_bytes(data)
    index = open_index(tmp_path)
    assert index.text_units == []
    assert index.state("text_units").state == "unreadable"
    assert "damaged" in index.state("text_units").reason
    assert len(index.entities) == 39


def test_a_table_without_its_key_column_is_unreadable(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": ["1"], "name": ["A"]}), tmp_path / "entities.parquet")
    pq.write_table(pa.table({"source": ["A"], "target": ["B"]}), tmp_path / "relationships.parquet")
    index = open_index(tmp_path)
    assert "title" in index.state("entities").reason
    assert [(row.source, row.target, row.weight) for row in index.relationships] == [("A", "B", 1.0)]


def test_nothing_usable_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "entities.parquet").write_bytes(b"this is no table")
    with pytest.raises(OpenError) as error:
        open_index(tmp_path)
    assert "entities.parquet" in error.value.sentence
    assert "\n" not in error.value.sentence


def test_frames_have_the_columns_and_types_of_the_file(shared: Path) -> None:
    frame = open_index(shared / "indexes/microsoft/verbs-v3.1.2").frame("relationships")
    assert frame.shape == (978, 8)
    assert str(frame["weight"].dtype) == "float64"
    assert str(frame["combined_degree"].dtype) == "int64"


def test_a_frame_of_a_missing_table_is_a_sentence(shared: Path) -> None:
    index = open_index(shared / "indexes/broken/missing_communities")
    with pytest.raises(OpenError, match="communities"):
        index.frame("communities")
