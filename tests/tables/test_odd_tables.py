"""Tables as other programs leave them: column names in other case or twice, letters that are none, parts missing."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from explorer.tables.index import Index, open_index
from explorer.tables.lean import lean
from explorer.tables.outline import read_outline
from explorer.tables.version import WORDS

ENTITIES = {"id": ["a", "b"], "title": ["ALMA", "BRUNO"], "description": ["x", "y"], "text_unit_ids": [["u"], ["u"]]}


def made(folder: Path, tables: Mapping[str, Mapping[str, Any]]) -> Index:
    for name, columns in tables.items():
        pq.write_table(pa.table(dict(columns)), folder / f"{name}.parquet")
    return open_index(folder)


def communities(**changed: Any) -> dict[str, Any]:
    """Two communities of which the second lies in the first, and a third beside them."""
    columns = {
        "community": [0, 1, 2], "level": [0, 1, 0], "parent": [-1, 0, -1], "children": [[1], [], []],
        "title": ["K0", "K1", "K2"], "entity_ids": [["a", "b"], ["a"], ["c"]], "size": [2, 1, 1],
    }  # fmt: skip
    return {name: values for name, values in {**columns, **changed}.items() if values is not None}


def places(index: Index) -> list[tuple[int, int, int, tuple[int, ...]]]:
    return [(row.community, row.level, row.parent, row.children) for row in index.communities]


HIERARCHY = [(0, 0, -1, (1,)), (1, 1, 0, ()), (2, 0, -1, ())]


@pytest.mark.parametrize("case", [str.upper, str.title, lambda name: f" {name} "], ids=["upper", "title", "blanks"])
def test_column_names_in_other_case(tmp_path: Path, case: Any) -> None:
    tables = {"entities": ENTITIES, "communities": communities()}
    index = made(tmp_path, {name: {case(key): part for key, part in rows.items()} for name, rows in tables.items()})
    assert [(row.id, row.title, row.text_unit_ids) for row in index.entities] == [
        ("a", "ALMA", ("u",)), ("b", "BRUNO", ("u",)),
    ]  # fmt: skip
    assert places(index) == HIERARCHY
    assert list(open_index(tmp_path).frame("entities")["title"]) == ["ALMA", "BRUNO"]


def test_a_column_of_the_known_name_stands_before_one_in_other_case(tmp_path: Path) -> None:
    index = made(tmp_path, {"entities": {"Title": ["WRONG", "WRONG"], **ENTITIES}})
    assert [row.title for row in index.entities] == ["ALMA", "BRUNO"]


def test_of_two_columns_of_one_name_the_first_stands(tmp_path: Path) -> None:
    table = pa.table(dict(ENTITIES)).append_column("title", pa.array(["X", "Y"]))
    pq.write_table(table, tmp_path / "entities.parquet")
    assert [row.title for row in open_index(tmp_path).entities] == ["ALMA", "BRUNO"]


def test_letters_that_are_no_utf8_cost_no_table(tmp_path: Path) -> None:
    odd = pa.array([b"ALMA", b"BR\xed\xa0\xbdNO \xff"])
    titles = pa.Array.from_buffers(pa.string(), 2, odd.buffers())
    made(tmp_path, {"entities": {**ENTITIES, "title": titles}})
    index = open_index(tmp_path)
    sound, odd_one = (row.title for row in index.entities)
    assert sound == "ALMA"
    assert odd_one.startswith("BR\ufffd") and odd_one.encode("utf-8")
    assert "title" in index.state("entities").reason and "UTF-8" in index.state("entities").reason


def test_parents_that_are_none_for_every_level_say_nothing(tmp_path: Path) -> None:
    index = made(tmp_path, {"entities": ENTITIES, "communities": communities(parent=[-1, -1, -1])})
    assert places(index) == HIERARCHY
    assert "parents were derived from the children" in index.state("communities").reason
    again = lean(open_index(tmp_path))
    assert places(again) == HIERARCHY


def test_parents_and_children_that_are_none_are_derived_from_the_members(tmp_path: Path) -> None:
    index = made(tmp_path, {"communities": communities(parent=[-1, -1, -1], children=None)})
    assert places(index) == HIERARCHY
    assert "parents and children were derived from the members" in index.state("communities").reason


def test_levels_that_nothing_tells_are_zero_and_that_is_said(tmp_path: Path) -> None:
    index = made(tmp_path, {"communities": communities(parent=[-1] * 3, children=None, level=None)})
    assert [row.level for row in index.communities] == [0, 0, 0]
    assert "3 communities without a level stand at level 0" in index.state("communities").reason


def test_one_of_a_kind_is_said_as_one(tmp_path: Path) -> None:
    index = made(tmp_path, {"communities": communities(level=[0, None, 0], parent=[-1, 0, 2])})
    assert index.communities[1].level == 1
    reason = index.state("communities").reason
    assert "the level of 1 community was derived" in reason and "the parent of 1 community runs in a circle" in reason


def test_the_number_of_no_community_is_no_community(tmp_path: Path) -> None:
    index = made(tmp_path, {"entities": ENTITIES, "communities": communities(community=[0, 1, -1])})
    assert places(index) == HIERARCHY[:2]
    assert "left out without a community number: 1 of 3 rows" in index.state("communities").reason
    assert places(lean(open_index(tmp_path))) == HIERARCHY[:2]


@pytest.mark.parametrize("level", [-3, 10**12])
def test_a_level_that_is_no_depth_is_derived_whoever_reads_it(tmp_path: Path, level: int) -> None:
    index = made(tmp_path, {"entities": ENTITIES, "communities": communities(level=[0, level, 0])})
    assert places(index) == HIERARCHY
    assert places(lean(open_index(tmp_path))) == HIERARCHY
    assert read_outline(open_index(tmp_path)) is None and open_index(tmp_path).memberships is None


def test_a_report_that_says_nothing_of_its_place_stands_where_its_community_does(tmp_path: Path) -> None:
    reports = {"community": [1, 0], "title": ["R1", "R0"], "parent": [-1, -1], "children": [None, []]}
    index = made(tmp_path, {"communities": communities(), "community_reports": reports})
    assert [(row.level, row.parent, row.children) for row in index.reports] == [(1, 0, ()), (0, -1, (1,))]


def findings(tmp_path: Path, value: Any) -> list[tuple[str, str]]:
    index = made(tmp_path, {"community_reports": {"community": [0], "findings": [value]}})
    return [(row.summary, row.explanation) for row in index.reports[0].findings]


def test_findings_in_an_object_or_with_names_in_other_case(tmp_path: Path) -> None:
    assert findings(tmp_path, '{"findings": [{"summary": "A", "explanation": "B"}]}') == [("A", "B")]
    assert findings(tmp_path, [{"Summary": "A", "EXPLANATION": "B"}]) == [("A", "B")]


def test_findings_that_cannot_be_read_stay_as_text(tmp_path: Path) -> None:
    assert findings(tmp_path, '[{"summary": "cut off her') == [("cut off her", "")]
    assert findings(tmp_path, "[no list, no JSON") == [("", "[no list, no JSON")]
    said = "[Data: Entities (1)] shows that it's ALMA."
    assert findings(tmp_path, said) == [("", said)]
    assert findings(tmp_path, '[{"who": "ALMA", "what": 3}]') == [("", '{"who": "ALMA", "what": 3}')]
    assert findings(tmp_path, '[{"summary": "", "explanation": null}]') == []


def test_columns_that_are_missed_are_named(tmp_path: Path) -> None:
    links = {"source": ["ALMA"], "target": ["BRUNO"], "id": ["r"], "description": ["d"], "text_unit_ids": [["u"]]}
    reports = {"community": [0], "title": ["R"], "summary": ["s"], "full_content": ["f"]}
    index = made(tmp_path, {"entities": ENTITIES, "relationships": links, "community_reports": reports})
    assert index.state("entities").reason == ""
    assert index.state("relationships").reason == "there is no column weight, each row has the weight 1"
    assert index.relationships[0].weight == 1
    assert index.state("community_reports").reason == "there is no column rank, findings"


def test_before_2_a_table_of_nodes_is_missed(tmp_path: Path) -> None:
    pq.write_table(pa.table(dict(ENTITIES)), tmp_path / "create_final_entities.parquet")
    index = open_index(tmp_path)
    assert (index.state("nodes").state, index.version) == ("missing", "before 2")
    assert "create_final_nodes" in index.state("nodes").reason


def test_what_is_wrong_with_the_file_that_does_not_stand(tmp_path: Path) -> None:
    (tmp_path / "entities.csv").write_text(
        "id,human_readable_id,title,description,text_unit_ids,frequency,degree\na,0,ALMA,x,u,1,0\n", "utf-8"
    )
    (tmp_path / "entities.parquet").write_bytes(b"")
    index = open_index(tmp_path)
    assert [row.title for row in index.entities] == ["ALMA"]
    reason = index.state("entities").reason
    assert reason == "entities.csv stands; beside it lies entities.parquet, which has 0 bytes"


NOW = {"frequency": [1, 1], "degree": [1, 1]}
REPORT = {"community": [0], "rating_explanation": ["w"]}


@pytest.mark.parametrize(
    ("tables", "version"),
    [
        ({"entities": {**ENTITIES, **NOW}, "relationships": {"source": ["A"], "target": ["B"]}}, "3"),
        ({"entities": {**ENTITIES, **NOW}, "community_reports": REPORT}, "3"),
        ({"entities": {**ENTITIES, **NOW, "x": [0, 0], "y": [0, 0]}}, "2"),
        ({"entities": {**ENTITIES, **NOW, "x": [0, 0], "y": [0, 0]}, "community_reports": REPORT}, "2.3"),
        ({"community_reports": REPORT}, "2.3 or later"),
        ({"relationships": {"source": ["A"], "target": ["B"], "combined_degree": [2]}}, "2 or later"),
        ({"documents": {"id": ["d"], "raw_data": [None]}}, "3"),
        ({"documents": {"id": ["d"], "metadata": [None]}}, "2.3"),
        ({"create_final_documents": {"id": ["d"], "raw_content": ["t"]}}, "0.1"),
        ({"create_final_documents": {"id": ["d"], "text": ["t"]}}, "before 2"),
    ],
)
def test_the_version_from_whatever_tables_there_are(tmp_path: Path, tables: dict[str, Any], version: str) -> None:
    index = made(tmp_path, tables)
    assert index.version == version
    assert index.version_words == WORDS[version] != WORDS["unknown"]


def run(folder: Path, *, without: str = "") -> Path:
    folder.mkdir(parents=True)
    tables = {
        "entities": ENTITIES, "relationships": {"source": ["ALMA"], "target": ["BRUNO"]},
        "communities": communities(), "community_reports": {"community": [0]},
        "text_units": {"id": ["u"], "text": ["t"]},
    }  # fmt: skip
    made(folder, {name: rows for name, rows in tables.items() if name != without})
    return folder


def test_a_run_without_communities_was_not_finished(tmp_path: Path) -> None:
    whole, cut = run(tmp_path / "output" / "20240101-000000"), tmp_path / "output" / "20240201-000000"
    run(cut, without="communities")
    index = open_index(tmp_path)
    assert (index.output, index.others) == (whole, (cut,))


def test_the_runs_of_an_update_are_listed(tmp_path: Path) -> None:
    now = run(tmp_path / "output")
    updates = [run(tmp_path / "update_output" / "20240201-000000" / part) for part in ("previous", "delta")]
    for path in (tmp_path, now):
        assert (open_index(path).output, open_index(path).others) == (now, tuple(updates))
    assert open_index(updates[1]).others == (updates[0],)


def test_an_update_alone_is_opened_with_what_it_began_from(tmp_path: Path) -> None:
    updates = [run(tmp_path / "update_output" / "20240201-000000" / part) for part in ("previous", "delta")]
    index = open_index(tmp_path)
    assert (index.output, index.others, index.name) == (updates[0], (updates[1],), tmp_path.name)


def test_a_folder_whose_name_is_no_utf8_is_opened(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"caf\xe9 n\xb0 1")
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("this file system takes no such name")
    here = tmp_path / "entities.parquet"
    pq.write_table(pa.table(dict(ENTITIES)), here)
    here.rename(folder / here.name)
    index = open_index(folder)
    assert [row.title for row in index.entities] == ["ALMA", "BRUNO"]
    assert index.arrow("entities", ("title",)) is not None
    assert list(index.frame("entities")["title"]) == ["ALMA", "BRUNO"]
