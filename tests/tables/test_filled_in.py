"""What rows do not say: it is filled in where it can be told, said in the table's line, and never silent."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from explorer.health.doctor import check_index
from explorer.tables.index import open_index

ENTITIES: dict[str, list[Any]] = {
    "id": ["a", "b", "c"],
    "human_readable_id": [2, None, 0],
    "title": ["ALMA", "BRUNO", "CLARA"],
    "type": ["P", "P", "P"],
    "description": ["x", "y", "z"],
    "text_unit_ids": [["u"], ["u", "v", "u"], ["v"]],
    "frequency": [1, 2, 1],
    "degree": [1, 1, 0],
}


def written(folder: Path, **changed: Any) -> Path:
    columns = {name: values for name, values in {**ENTITIES, **changed}.items() if values is not None}
    pq.write_table(pa.table(columns), folder / "entities.parquet")
    return folder


def line(folder: Path, name: str = "entities") -> str:
    index = open_index(folder)
    index.read_all()
    return index.state(name).reason


def kinds(folder: Path) -> dict[str, tuple[int, str]]:
    return {defect.kind: (defect.count, defect.example) for defect in check_index(folder).defects}


def test_a_row_without_a_number_is_counted_and_named(tmp_path: Path) -> None:
    found = kinds(written(tmp_path))
    count, example = found["row_without_number"]
    assert count == 1 and "BRUNO" in example and "human_readable_id" in example
    assert "1 of 3 rows" in line(tmp_path)


def test_a_row_without_a_number_never_takes_that_of_another(tmp_path: Path) -> None:
    """The second row has place 1; where the third bears 1, a citation of 1 means the third."""
    index = open_index(written(tmp_path, human_readable_id=[0, None, 1]))
    assert index.entity_by_number[1].title == "CLARA"
    assert len({row.number for row in index.entities}) == 3


def test_a_row_without_a_number_goes_by_its_free_place(tmp_path: Path) -> None:
    assert [row.number for row in open_index(written(tmp_path)).entities] == [2, 1, 0]


@pytest.mark.parametrize("value", ["2.5", "none", ""])
def test_what_is_no_whole_number_is_no_citation_number(tmp_path: Path, value: str) -> None:
    found = kinds(written(tmp_path, human_readable_id=["0", value, "2"]))
    assert found["row_without_number"][0] == 1


def test_floats_that_are_whole_are_numbers(tmp_path: Path) -> None:
    folder = written(tmp_path, human_readable_id=[4.0, 5.0, 6.0])
    assert [row.number for row in open_index(folder).entities] == [4, 5, 6]
    assert "row_without_number" not in kinds(folder)


def test_a_column_that_is_not_there_is_one_remark_and_no_defect_a_row(tmp_path: Path) -> None:
    folder = written(tmp_path, human_readable_id=None, degree=None)
    assert line(folder).count("there is no column human_readable_id") == 1
    found = kinds(folder)
    assert "row_without_number" not in found and "value_filled_in" not in found


def test_a_frequency_is_counted_from_the_text_units_and_said(tmp_path: Path) -> None:
    folder = written(tmp_path, human_readable_id=[0, 1, 2], frequency=[1, None, 1])
    assert [row.frequency for row in open_index(folder).entities] == [1, 2, 1]
    assert "frequency" in line(folder) and "counted from the text units" in line(folder)
    assert "value_filled_in" not in kinds(folder)


@pytest.mark.parametrize("empty", [None, math.nan])
def test_a_degree_that_nothing_tells_is_counted(tmp_path: Path, empty: float | None) -> None:
    folder = written(tmp_path, human_readable_id=[0, 1, 2], degree=[1.0, empty, empty])
    count, example = kinds(folder)["value_filled_in"]
    assert count == 2 and "degree" in example and "BRUNO" in example
    assert "2 of 3 rows" in line(folder)


def test_empty_ids_are_counted(tmp_path: Path) -> None:
    folder = written(tmp_path, human_readable_id=[0, 1, 2], id=["a", None, ""])
    assert kinds(folder)["row_without_id"][0] == 2


def test_a_size_is_counted_from_the_members_and_said(tmp_path: Path) -> None:
    written(tmp_path, human_readable_id=[0, 1, 2])
    columns = {
        "id": ["k0", "k1"], "community": [0, 1], "level": [0, 0], "parent": [-1, -1], "children": [[], []],
        "title": ["K0", "K1"], "entity_ids": [["a", "b"], ["c"]], "size": [None, 1],
    }  # fmt: skip
    pq.write_table(pa.table(columns), tmp_path / "communities.parquet")
    assert [row.size for row in open_index(tmp_path).communities] == [2, 1]
    assert "size" in line(tmp_path, "communities") and "members" in line(tmp_path, "communities")


def test_a_parent_missing_below_the_top_is_counted_and_one_at_the_top_is_not(tmp_path: Path) -> None:
    columns = {
        "id": ["k0", "k1", "k2"], "community": [0, 1, 2], "level": [0, 1, 1], "parent": [None, 0, None],
        "children": [[1], [], []], "title": ["K0", "K1", "K2"], "entity_ids": [["a"], ["a"], ["b"]],
        "size": [1, 1, 1],
    }  # fmt: skip
    pq.write_table(pa.table(columns), tmp_path / "communities.parquet")
    count, example = kinds(tmp_path)["value_filled_in"]
    assert count == 1 and "K2" in example


@pytest.mark.parametrize(
    "name", ["microsoft/dulce-v0.1.1", "microsoft/verbs-v0.5.0", "microsoft/verbs-v1.1.0", "microsoft/verbs-v3.1.2"]
)
def test_sound_versions_get_no_such_defect(shared: Path, name: str) -> None:
    assert not {"row_without_number", "row_without_id", "value_filled_in"} & set(kinds(shared / "indexes" / name))
