"""Csv tables that do not fit: ragged rows, other quotes, a header twice: what is left out is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.tables.index import open_index

HEAD = "id,human_readable_id,title,type,description,text_unit_ids,frequency,degree"


def entities(folder: Path, text: str) -> None:
    (folder / "entities.csv").write_text(text, "utf-8", newline="")


def test_a_row_with_more_fields_is_left_out_and_named_and_the_others_are_read(tmp_path: Path) -> None:
    entities(tmp_path, f"{HEAD}\na,0,ALMA,P,x,['u'],1,1\nb,1,BRUNO,P,x,y,z,['u'],1,1\nc,2,CLARA,P,x,['u'],1,1\n")
    index = open_index(tmp_path)
    assert [row.title for row in index.entities] == ["ALMA", "CLARA"]
    state = index.state("entities")
    assert (state.state, state.rows) == ("read", 3)
    assert "left out with more fields than the header: 1 row (line 3: 10 in place of 8)" in state.reason


def test_a_row_with_fewer_fields_keeps_what_it_has_and_is_named(tmp_path: Path) -> None:
    entities(tmp_path, f"{HEAD}\na,0,ALMA,P,x,['u'],1,7\nb,1,BRU")
    index = open_index(tmp_path)
    assert [(row.title, row.degree, row.text_unit_ids) for row in index.entities] == [
        ("ALMA", 7, ("u",)), ("BRU", 0, ()),
    ]  # fmt: skip
    assert "with fewer fields than the header: 1 row (line 3: 3 in place of 8)" in index.state("entities").reason


def test_a_header_that_comes_again_is_no_entity(tmp_path: Path) -> None:
    entities(tmp_path, f"{HEAD}\na,0,ALMA,P,x,['u'],1,1\n{HEAD}\nb,1,BRUNO,P,x,['u'],1,1\n")
    index = open_index(tmp_path)
    assert [row.title for row in index.entities] == ["ALMA", "BRUNO"]
    assert "left out as the header once more: 1 row" in index.state("entities").reason


def test_empty_fields_beyond_the_header_cost_nothing(tmp_path: Path) -> None:
    entities(tmp_path, f"{HEAD}\na,0,ALMA,P,x,['u'],1,1,,\nb,1,BRUNO,P,x,['u'],1,1,\n")
    index = open_index(tmp_path)
    assert [row.title for row in index.entities] == ["ALMA", "BRUNO"]
    assert index.state("entities").reason == ""


def test_rows_that_all_have_more_fields_are_no_table_and_that_is_said(tmp_path: Path) -> None:
    entities(tmp_path, f"{HEAD}\n0,a,0,ALMA,P,x,['u'],1,1\n1,b,1,BRUNO,P,x,['u'],1,1\n")
    (tmp_path / "relationships.csv").write_text("source,target\nALMA,BRUNO\n", "utf-8")
    index = open_index(tmp_path)
    assert index.state("entities").state == "unreadable"
    assert "more fields than its header" in index.state("entities").reason


@pytest.mark.parametrize(
    "row",
    [
        "a,0,'ALMA, the \"first\"',P,'it''s, here','[''u'', ''v'']',1,1",
        'a,0,"ALMA, the \\"first\\"",P,"it\'s, here","[\'u\', \'v\']",1,1',
        'a,0,"ALMA, the ""first""",P,"it\'s, here","[\'u\', \'v\']",1,1',
    ],
    ids=["single quotes", "backslashes", "doubled quotes"],
)
def test_quotes_of_every_kind(tmp_path: Path, row: str) -> None:
    entities(tmp_path, f"{HEAD}\n{row}\n")
    (found,) = open_index(tmp_path).entities
    assert (found.title, found.description, found.text_unit_ids) == ('ALMA, the "first"', "it's, here", ("u", "v"))


def test_lists_in_single_quotes_without_a_comma(tmp_path: Path) -> None:
    entities(tmp_path, f"{HEAD}\na,0,ALMA,P,x,'[''u'']',1,1\nb,1,BRUNO,P,x,'[''v'']',1,1\n")
    assert [row.text_unit_ids for row in open_index(tmp_path).entities] == [("u",), ("v",)]


def test_children_as_numbers_parted_by_commas(tmp_path: Path) -> None:
    (tmp_path / "communities.csv").write_text(
        'community,level,parent,children,entity_ids,title,size\n0,0,-1,"1,2",e,A,1\n1,1,0,,e,B,1\n2,1,0,,e,C,1\n',
        "utf-8",
    )
    index = open_index(tmp_path)
    assert [row.children for row in index.communities] == [(1, 2), (), ()]
    assert index.state("communities").reason == ""


def test_the_folder_is_left_as_it_is(tmp_path: Path) -> None:
    entities(tmp_path, f"{HEAD}\na,0,ALMA,P,x,['u'],1,1,9\nb,1\n")
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in tmp_path.iterdir()}
    open_index(tmp_path).read_all()
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("line", ["sep=;", "SEP=;", '"sep=;"'])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_first_line_names_the_mark_between_the_fields(tmp_path: Path, line: str, end: str) -> None:
    rows = [line, "id;title;description;text_unit_ids", "a;ALMA, the first;x;u", "b;BRUNO;y"]
    (tmp_path / "entities.csv").write_bytes(end.join(rows).encode())
    index = open_index(tmp_path)
    assert [(row.id, row.title) for row in index.entities] == [("a", "ALMA, the first"), ("b", "BRUNO")]
    reason = index.state("entities").reason
    assert "sep=;" in reason
    assert "line 4: 3 in place of 4" in reason  # lines keep the numbers that an editor shows


def test_a_comment_in_place_of_the_column_names_is_said_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "entities.csv").write_text("# written by a program\nid,title\na,ALMA\n", "utf-8")
    (tmp_path / "relationships.csv").write_text("source,target\nALMA,BRUNO\n", "utf-8")
    state = open_index(tmp_path).state("entities")
    assert state.state == "unreadable"
    assert "comment line" in state.reason and "take out" in state.reason


def test_a_first_column_that_is_marked_is_no_comment(tmp_path: Path) -> None:
    (tmp_path / "entities.csv").write_text("#id,title\na,ALMA\n", "utf-8")
    assert [row.title for row in open_index(tmp_path).entities] == ["ALMA"]
