"""A table as a folder of parts, as programs that write in parallel leave it."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from explorer.cli import main
from explorer.tables.index import open_index
from explorer.tables.sources import file_digest


def part(path: Path, titles: list[str], **more: list[object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    ids = [f"id-{title}" for title in titles]
    units = [["u"] for _ in titles]
    pq.write_table(pa.table({"id": ids, "title": titles, "description": titles, "text_unit_ids": units, **more}), path)


def test_parts_are_one_table_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for number, titles in ((10, ["DORA"]), (2, ["CLARA"]), (1, ["ALMA", "BRUNO"])):
        part(tmp_path / "entities.parquet" / f"part-{number}.parquet", titles)
    index = open_index(tmp_path)
    assert [row.title for row in index.entities] == ["ALMA", "BRUNO", "CLARA", "DORA"]
    assert index.state("entities").rows == 4
    assert "folder of 3 parts" in index.state("entities").reason
    assert list(index.frame("entities")["title"]) == ["ALMA", "BRUNO", "CLARA", "DORA"]
    assert index.some_columns("entities", ("title",)) == {"title": ["ALMA", "BRUNO", "CLARA", "DORA"]}


def test_hidden_files_are_no_parts(tmp_path: Path) -> None:
    folder = tmp_path / "entities.parquet"
    part(folder / "part-0.parquet", ["ALMA"])
    part(folder / ".part-1.parquet", ["GHOST"])
    part(folder / "_temporary" / "part-2.parquet", ["GHOST"])
    (folder / "_SUCCESS").write_bytes(b"")
    (folder / ".part-0.parquet.crc").write_bytes(b"crc")
    assert [row.title for row in open_index(tmp_path).entities] == ["ALMA"]


def unreadable(folder: Path) -> str:
    part(folder / "relationships.parquet", ["R"], source=["ALMA"], target=["BRUNO"])  # something that opens
    state = open_index(folder).state("entities")
    assert state.state == "unreadable"
    return state.reason


def test_parts_of_different_columns_are_named(tmp_path: Path) -> None:
    part(tmp_path / "entities.parquet" / "a.parquet", ["ALMA"])
    part(tmp_path / "entities.parquet" / "b.parquet", ["BRUNO"], degree=[1])
    reason = unreadable(tmp_path)
    assert "a.parquet" in reason and "b.parquet" in reason


def test_a_part_that_is_cut_off_is_named(tmp_path: Path) -> None:
    part(tmp_path / "entities.parquet" / "a.parquet", ["ALMA"])
    whole = (tmp_path / "entities.parquet" / "a.parquet").read_bytes()
    (tmp_path / "entities.parquet" / "b.parquet").write_bytes(whole[:-20])
    assert "b.parquet" in unreadable(tmp_path)


def test_a_folder_without_parts_and_one_with_folders_are_named(tmp_path: Path) -> None:
    (tmp_path / "entities.parquet").mkdir()
    assert "is a folder, not a file" in unreadable(tmp_path)
    part(tmp_path / "entities.parquet" / "level=0" / "a.parquet", ["ALMA"])
    assert "level=0" in open_index(tmp_path).state("entities").reason


def test_the_folder_of_a_table_means_its_index(tmp_path: Path) -> None:
    part(tmp_path / "entities.parquet" / "part-0.parquet", ["ALMA"])
    assert open_index(tmp_path / "entities.parquet").output == tmp_path


def test_a_changed_part_changes_the_digest(tmp_path: Path) -> None:
    """What is kept about a table is kept for its bytes."""
    folder = tmp_path / "entities.parquet"
    part(folder / "part-0.parquet", ["ALMA"])
    before = file_digest(folder)
    part(folder / "part-1.parquet", ["BRUNO"])
    assert file_digest(folder) != before


@pytest.mark.usefixtures("capsys")
def test_parts_are_exported_as_one_table(tmp_path: Path) -> None:
    part(tmp_path / "in" / "entities.parquet" / "part-0.parquet", ["ALMA"])
    part(tmp_path / "in" / "entities.parquet" / "part-1.parquet", ["BRUNO"])
    assert main(["export", str(tmp_path / "in"), "--tables", "--out", str(tmp_path / "out")]) == 0
    lines = (tmp_path / "out" / "entities.csv").read_text("utf-8").splitlines()
    assert len(lines) == 3 and "ALMA" in lines[1] and "BRUNO" in lines[2]
