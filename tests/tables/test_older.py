"""Indexes of versions before 2.0, tables as csv, and odd files: against what the files themselves say."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from explorer.tables.index import Index, open_index
from explorer.tables.rows import ROOT

# Rows of the files, read with pyarrow: entities, relationships, communities, reports, text units, documents, claims.
OLD = {
    "dulce-v0.1.1": ("0.1", (217, 276, 6, 6, 12, 0, 89)),
    "dulce-v0.5.0": ("0.1", (89, 373, 20, 20, 50, 0, 156)),
    "verbs-v0.5.0": ("0.5", (249, 365, 33, 34, 42, 1, 118)),
    "verbs-v1.1.0": ("1.0", (301, 465, 43, 43, 42, 1, 102)),
    "dulce-v1.2.0": ("1.0", (373, 812, 72, 72, 38, 2, 178)),
}
TABLES = ("entities", "relationships", "communities", "community_reports", "text_units", "documents", "covariates")


@pytest.fixture(params=OLD)
def old(shared: Path, request: pytest.FixtureRequest) -> tuple[str, Index]:
    return request.param, open_index(shared / "indexes/microsoft" / request.param)


def test_versions_and_counts(old: tuple[str, Index]) -> None:
    name, index = old
    version, counts = OLD[name]
    index.read_all()
    assert index.version == version
    assert tuple(index.state(table).rows for table in TABLES) == counts
    assert (len(index.entities), len(index.relationships), len(index.communities), len(index.reports)) == counts[:4]
    assert [state.name for state in index.tables if state.state == "unreadable"] == []


def test_degrees_come_from_the_nodes(shared: Path, old: tuple[str, Index]) -> None:
    name, index = old
    nodes = pq.read_table(shared / "indexes/microsoft" / name / "create_final_nodes.parquet").to_pylist()
    degrees = {row["title"]: row["degree"] for row in nodes}
    assert {row.title: row.degree for row in index.entities} == degrees
    assert max(row.combined_degree for row in index.relationships) > 0


def test_members_are_those_of_the_nodes(shared: Path, old: tuple[str, Index]) -> None:
    name, index = old
    nodes = pq.read_table(shared / "indexes/microsoft" / name / "create_final_nodes.parquet").to_pylist()
    members: dict[int, set[str]] = {}
    for row in nodes:
        if row["community"] is not None and int(row["community"]) >= 0:
            members.setdefault(int(row["community"]), set()).add(row["title"])
    for community in index.communities:
        titles = {index.entity_by_id[key].title for key in community.entity_ids}
        assert titles == members[community.community]


def test_every_parent_holds_its_children(old: tuple[str, Index]) -> None:
    _, index = old
    deeper = [row for row in index.communities if row.level > 0]
    for row in deeper:
        parent = index.community_by_number[row.parent]
        assert parent.level == row.level - 1
        assert set(row.entity_ids) <= set(parent.entity_ids)
        assert row.community in parent.children
    assert all(row.parent == ROOT for row in index.communities if row.level == 0)


def test_what_stands_inside_a_community(old: tuple[str, Index]) -> None:
    """Tables of 0.5 list every relationship that a member has; where there was no table, both ends are members."""
    name, index = old
    titles = {row.id: row.title for row in index.entities}
    for community in index.communities:
        inside = {titles[key] for key in community.entity_ids}
        links = [index.relationship_by_id[key] for key in community.relationship_ids]
        assert all(link.source in inside or link.target in inside for link in links)
        if name in ("dulce-v0.1.1", "verbs-v1.1.0", "dulce-v1.2.0"):
            assert all(link.source in inside and link.target in inside for link in links)
        assert all(unit in index.unit_by_id for unit in community.text_unit_ids)


def test_reports_have_ratings_and_findings(old: tuple[str, Index]) -> None:
    _, index = old
    assert all(row.rank and row.rating_explanation and row.findings and row.full_content for row in index.reports)


def test_a_report_of_no_community_is_still_a_report(shared: Path) -> None:
    index = open_index(shared / "indexes/microsoft/verbs-v0.5.0")
    stray = [row.community for row in index.reports if row.community not in index.community_by_number]
    assert stray == [-1]


def test_hierarchies_are_derived_and_it_is_said(shared: Path) -> None:
    index = open_index(shared / "indexes/microsoft/verbs-v0.5.0")
    index.read_all()
    assert "derived from the members" in index.state("communities").reason
    index = open_index(shared / "indexes/microsoft/dulce-v0.1.1")
    assert "create_final_nodes" in index.state("communities").reason


def _as_csv(source: Path, target: Path, *, arrays: bool) -> None:
    target.mkdir()
    for path in source.glob("*.parquet"):
        frame = pd.read_parquet(path)
        if not arrays:  # as lists of Python print themselves, and not as arrays of numpy do
            for name in frame.columns:
                frame[name] = [value.tolist() if hasattr(value, "tolist") else value for value in frame[name]]
        frame.to_csv(target / f"{path.stem}.csv", index=False)


@pytest.mark.parametrize("arrays", [False, True], ids=["lists", "arrays"])
@pytest.mark.parametrize("name", ["dulce-v3.0.0", "dulce-v0.1.1"])
def test_tables_as_csv_give_the_rows_of_the_parquet(shared: Path, tmp_path: Path, name: str, arrays: bool) -> None:
    source = shared / "indexes/microsoft" / name
    _as_csv(source, tmp_path / "csv", arrays=arrays)
    parquet, csv = open_index(source), open_index(tmp_path / "csv")
    csv.read_all()
    parquet.read_all()
    assert csv.version == parquet.version
    assert csv.entities == parquet.entities
    assert csv.communities == parquet.communities
    assert csv.relationships == parquet.relationships
    assert csv.text_units == parquet.text_units
    assert csv.reports == parquet.reports
    assert len(csv.frame("covariates")) == len(parquet.frame("covariates"))


def test_a_pointer_of_git_lfs_is_named_with_its_remedy(shared: Path, tmp_path: Path) -> None:
    for path in (shared / "indexes/microsoft/dulce-v3.0.0").glob("*.parquet"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
    (tmp_path / "entities.parquet").write_text(pointer)
    index = open_index(tmp_path)
    assert index.state("entities").state == "unreadable"
    assert "git lfs pull" in index.state("entities").reason
    assert len(index.relationships) == 107


def test_of_both_namings_the_sound_and_newer_one_stands(shared: Path, tmp_path: Path) -> None:
    for version, target in (("dulce-v1.2.0", tmp_path), ("dulce-v3.0.0", tmp_path)):
        for path in (shared / "indexes/microsoft" / version).glob("*.parquet"):
            (target / path.name).write_bytes(path.read_bytes())
    index = open_index(tmp_path)
    assert (len(index.entities), index.version) == (39, "3")
    assert "create_final_entities.parquet" in index.state("entities").reason
    (tmp_path / "entities.parquet").write_bytes(b"")
    assert len(open_index(tmp_path).entities) == 373


def test_a_truncated_table_is_named(shared: Path, tmp_path: Path) -> None:
    for path in (shared / "indexes/microsoft/verbs-v1.1.0").glob("*.parquet"):
        data = path.read_bytes()
        (tmp_path / path.name).write_bytes(data[: len(data) // 2] if "relationships" in path.name else data)
    index = open_index(tmp_path)
    index.read_all()
    assert index.state("relationships").state == "unreadable"
    assert len(index.entities) == 301
