"""One sound index in every form that other programs and other hands leave it in: the rows are the same."""

from __future__ import annotations

import csv
import datetime
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from explorer.tables.columns import GRAPHRAG_TABLES
from explorer.tables.index import Index, open_index
from explorer.tables.lists import cut_off, items

Frames = dict[str, pd.DataFrame]
SOUND = "indexes/microsoft/dulce-v3.0.0"


@pytest.fixture
def frames(shared: Path) -> Frames:
    return {name: pd.read_parquet(shared / SOUND / f"{name}.parquet") for name in GRAPHRAG_TABLES}


def as_parquet(frames: Frames, folder: Path) -> Index:
    for name, frame in frames.items():
        frame.to_parquet(folder / f"{name}.parquet")
    return open_index(folder)


def plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return [plain(item) for item in value]
    return {key: plain(item) for key, item in value.items()} if isinstance(value, dict) else value


def with_lists(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(**{name: [plain(value) for value in frame[name]] for name in frame.columns})


def as_json(frame: pd.DataFrame) -> pd.DataFrame:
    def cell(value: Any) -> Any:
        return json.dumps(value, default=int) if isinstance(value, list | dict) else value

    lists = with_lists(frame)
    return lists.assign(**{name: [cell(value) for value in lists[name]] for name in lists.columns})


def same_rows(odd: Index, sound: Index) -> None:
    odd.read_all()
    for name in ("entities", "relationships", "communities", "reports", "text_units", "claims"):
        assert getattr(odd, name) == getattr(sound, name), name
    assert [(row.id, row.title, row.text) for row in odd.documents] == [
        (row.id, row.title, row.text) for row in sound.documents
    ]


def by_dict_writer(frame: pd.DataFrame, path: Path) -> None:
    """As graphrag 3's streaming tables write rows: the text of each Python value."""
    rows = with_lists(frame).to_dict("records")
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, fieldnames=list(frame.columns))
        writer.writeheader()
        writer.writerows({str(name): value for name, value in row.items()} for row in rows)


CSV: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "pandas, arrays": lambda frame, path: frame.to_csv(path, index=False),
    "pandas, lists": lambda frame, path: with_lists(frame).to_csv(path, index=False),
    "JSON": lambda frame, path: as_json(frame).to_csv(path, index=False),
    "rows one by one": by_dict_writer,
    "with an index column": lambda frame, path: frame.to_csv(path),
    "byte order mark": lambda frame, path: frame.to_csv(path, index=False, encoding="utf-8-sig"),
    "UTF-16": lambda frame, path: frame.to_csv(path, index=False, encoding="utf-16"),
    "line ends of Windows": lambda frame, path: frame.to_csv(path, index=False, lineterminator="\r\n"),
    "all quoted": lambda frame, path: frame.to_csv(path, index=False, quoting=csv.QUOTE_ALL),
    "backslashes": lambda frame, path: frame.to_csv(path, index=False, doublequote=False, escapechar="\\"),
    "semicolons": lambda frame, path: frame.to_csv(path, index=False, sep=";"),
    "tabs": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
}


@pytest.mark.parametrize("form", CSV)
def test_csv_in_every_form_gives_the_rows_of_the_parquet(
    shared: Path, tmp_path: Path, frames: Frames, form: str
) -> None:
    for name, frame in frames.items():
        CSV[form](frame, tmp_path / f"{name}.csv")
    same_rows(open_index(tmp_path), open_index(shared / SOUND))


def test_texts_in_csv_come_back_letter_for_letter(tmp_path: Path) -> None:
    titles = ["nan", "NULL", "None", "007", "3.0", "a,b", 'say "no"', "line\r\nline\rline\nline", "=1+1", " x ", "א"]
    long = "wörd\r\n" * 400_000
    frame = pd.DataFrame({"id": range(len(titles)), "title": titles, "description": long})
    frame.to_csv(tmp_path / "entities.csv", index=False)
    index = open_index(tmp_path)
    assert [row.title for row in index.entities] == titles
    assert index.entities[0].description == long


def test_csv_of_western_windows_is_read_and_said(tmp_path: Path) -> None:
    (tmp_path / "entities.csv").write_text("id,title\n1,Zoë “Q”\n", encoding="cp1252")
    index = open_index(tmp_path)
    assert [row.title for row in index.entities] == ["Zoë “Q”"]
    assert "Windows-1252" in index.state("entities").reason


@pytest.mark.parametrize("own", [int, float, str, lambda number: f"{number}.0"], ids=["int", "float", "text", "3.0"])
@pytest.mark.parametrize("other", [int, float, str, lambda number: f"{number}.0"], ids=["int", "float", "text", "3.0"])
def test_ids_join_whatever_type_a_table_gave_them(
    tmp_path: Path, own: Callable[[int], Any], other: Callable[[int], Any]
) -> None:
    tables = {
        "entities": {"id": [own(1), own(2)], "title": ["A", "B"], "text_unit_ids": [[other(7)]] * 2},
        "relationships": {"id": [own(5)], "source": ["A"], "target": ["B"], "text_unit_ids": [[other(7)]]},
        "text_units": {"id": [own(7)], "text": ["t"], "document_id": [other(9)], "entity_ids": [[other(1)]]},
        "documents": {"id": [own(9)], "title": ["d"], "text": ["t"]},
        "communities": {
            "community": [other(0), other(3)], "level": [0, 1], "parent": [own(-1), own(0)],
            "children": [[own(3)], []], "entity_ids": [[other(1), other(2)]] * 2, "relationship_ids": [[other(5)]] * 2,
        },
        "community_reports": {"community": [own(0), own(3)], "title": ["x", "y"], "full_content": ["x", "y"]},
    }  # fmt: skip
    index = as_parquet({name: pd.DataFrame(columns) for name, columns in tables.items()}, tmp_path)
    assert all(key in index.entity_by_id for row in index.communities for key in row.entity_ids)
    assert all(key in index.relationship_by_id for row in index.communities for key in row.relationship_ids)
    assert all(key in index.unit_by_id for row in index.entities for key in row.text_unit_ids)
    assert [row.document_id in index.document_by_id for row in index.text_units] == [True]
    assert set(index.report_by_community) == set(index.community_by_number) == {0, 3}
    assert (index.community_by_number[3].parent, index.community_by_number[0].children) == (0, (3,))


def test_numbers_beyond_what_a_float_can_tell_apart(tmp_path: Path) -> None:
    numbers = [2**53 + 1, 2**53 + 2]
    pd.DataFrame({"community": [str(number) for number in numbers]}).to_parquet(tmp_path / "communities.parquet")
    assert [row.community for row in open_index(tmp_path).communities] == numbers


def test_a_number_that_is_not_whole_is_no_community(tmp_path: Path) -> None:
    pd.DataFrame({"community": [0.5, 1.0, 1e308, float("inf")]}).to_parquet(tmp_path / "communities.parquet")
    index = open_index(tmp_path)
    assert [row.community for row in index.communities] == [1]
    assert "3 of 4 rows" in index.state("communities").reason


LEVELS = {0: (0, -1), 1: (0, -1), 2: (1, 0), 3: (1, 0), 4: (2, 2)}
MEMBERS = {0: "abcdef", 1: "gh", 2: "abcd", 3: "ef", 4: "ab"}


@pytest.mark.parametrize(
    "dropped",
    [
        ("children",), ("parent",), ("level",), ("children", "parent"), ("children", "level"), ("parent", "level"),
        ("children", "parent", "level"),
    ],
)  # fmt: skip
def test_the_hierarchy_is_derived_from_what_there_is(tmp_path: Path, dropped: tuple[str, ...]) -> None:
    frame = pd.DataFrame({
        "community": list(LEVELS),
        "level": [level for level, _ in LEVELS.values()],
        "parent": [parent for _, parent in LEVELS.values()],
        "children": [[other for other in LEVELS if LEVELS[other][1] == number] for number in LEVELS],
        "entity_ids": [list(MEMBERS[number]) for number in LEVELS],
    })  # fmt: skip
    frame.drop(columns=list(dropped)).to_parquet(tmp_path / "communities.parquet")
    index = open_index(tmp_path)
    assert {row.community: (row.level, row.parent) for row in index.communities} == LEVELS
    assert [row.children for row in index.communities] == [(2, 3), (), (4,), (), ()]
    assert "derived" in index.state("communities").reason


@pytest.mark.parametrize("level", [10**12, -4])
def test_a_level_that_no_hierarchy_has_is_derived(tmp_path: Path, level: int) -> None:
    frame = {"community": [0, 1], "level": [0, level], "parent": [-1, 0], "entity_ids": [["a", "b"], ["a"]]}
    pd.DataFrame(frame).to_parquet(tmp_path / "communities.parquet")
    index = open_index(tmp_path)
    assert [row.level for row in index.communities] == [0, 1]
    assert "the level of 1 community was derived" in index.state("communities").reason


@pytest.mark.parametrize(
    ("value", "right"),
    [
        ("['a', 'b']", ["a", "b"]),
        ('["a", null, NaN]', ["a", None, float("nan")]),
        ("['a', nan, None]", ["a", None, None]),
        ("['a' 'b'\n 'c']", ["a", "b", "c"]),
        ("[1 2 3]", [1, 2, 3]),
        ("[np.int64(1), np.str_('x')]", [1, "x"]),
        ("array(['a', 'b'], dtype=object)", ["a", "b"]),
        ("array([], dtype=object)", []),
        ("{'b', 'a'}", ["b", "a"]),
        ("set()", []),
        ("[1f, 2f]", ["1f", "2f"]),
        ("[b'x', 'it\\'s', \"q\\n\"]", ["x", "it's", "q\n"]),
        ("[{'a': 1, 'b': ['x', 'y']}]", [{"a": 1, "b": ["x", "y"]}]),
        ("[{'a': '(see [D])'}\n {'a': 'array([1, 2])'}]", [{"a": "(see [D])"}, {"a": "array([1, 2])"}]),
        ("{'a': 'x'}", [{"a": "x"}]),
        ("no list", []),
        ("[" * 100_000, None),
    ],
)
def test_lists_as_text(value: str, right: list[Any] | None) -> None:
    found = items(value)
    assert right is None or str(found) == str(right)


def test_a_list_that_was_cut_off_is_said(tmp_path: Path) -> None:
    pd.DataFrame({"id": range(2000), "title": [f"E{number}" for number in range(2000)]}).to_csv(
        tmp_path / "entities.csv", index=False
    )
    members = pd.Series([np.arange(2000).astype(str).astype(object), np.array(["1"], dtype=object)])
    pd.DataFrame({"community": [0, 1], "entity_ids": members}).to_csv(tmp_path / "communities.csv", index=False)
    index = open_index(tmp_path)
    assert "the text of 1 list in entity_ids is cut off" in index.state("communities").reason
    assert 0 < len(index.communities[0].entity_ids) < 2000
    assert not cut_off("['a ...', 'b']") and cut_off("['a', 'b") and not cut_off('["…", "..."]')


FINDINGS: dict[str, tuple[Any, list[tuple[str, str]]]] = {
    "structures": ([{"summary": "s", "explanation": "e"}], [("s", "e")]),
    "JSON": ('[{"summary": "s", "explanation": "e"}]', [("s", "e")]),
    "Python": ("[{'summary': 's', 'explanation': 'e'}]", [("s", "e")]),
    "arrays": ("array([{'summary': 's', 'explanation': 'e'}], dtype=object)", [("s", "e")]),
    "text": ("Plain words [Data: Entities (1)].", [("", "Plain words [Data: Entities (1)].")]),
    "texts": (["one", "two"], [("", "one"), ("", "two")]),
    "one structure": ({"summary": "s", "explanation": "e"}, [("s", "e")]),
    "other names": ([{"title": "s", "description": "e"}], [("s", "e")]),
    "null": (None, []),
    "cut off": ("[{'summary': 's', 'explanation': 'e'}, {'summary': 'half", [("s", "e"), ("half", "")]),
}


@pytest.mark.parametrize("form", FINDINGS)
def test_findings_in_every_form(tmp_path: Path, form: str) -> None:
    value, right = FINDINGS[form]
    pd.DataFrame({"community": [0], "findings": [value]}).to_parquet(tmp_path / "community_reports.parquet")
    (report,) = open_index(tmp_path).reports
    assert [(finding.summary, finding.explanation) for finding in report.findings] == right


def test_columns_of_other_types_give_the_same_rows(shared: Path, tmp_path: Path) -> None:
    for path in (shared / SOUND).glob("*.parquet"):
        columns: dict[str, Any] = {}
        table = pq.read_table(path)
        for name in table.column_names:
            column = table.column(name).combine_chunks()
            kind = column.type
            if pa.types.is_integer(kind):
                column = column.cast(pa.decimal128(38, 2))
            elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
                column = column.cast(pa.large_string()) if name == "text" else column.cast(pa.string())
                column = column if name == "text" else column.dictionary_encode()
            elif pa.types.is_list(kind) and not pa.types.is_nested(kind.value_type):
                column = column.cast(pa.large_list(kind.value_type))
            columns[name] = column
        pq.write_table(pa.table(columns), tmp_path / path.name)
    same_rows(open_index(tmp_path), open_index(shared / SOUND))


def test_dates_that_python_has_no_value_for_do_not_hide_the_table(tmp_path: Path) -> None:
    table = {"id": ["d"], "title": ["t"], "creation_date": pa.array([2**62], pa.timestamp("us"))}
    pq.write_table(pa.table(table), tmp_path / "documents.parquet")
    pq.write_table(
        pa.table({"id": ["u"], "text": ["t"], "when": pa.array([datetime.date(2024, 1, 1)])}),
        tmp_path / "text_units.parquet",
    )
    index = open_index(tmp_path)
    assert [row.title for row in index.documents] == ["t"]
    assert [row.id for row in index.text_units] == ["u"]


def test_nulls_in_every_field_of_every_table(frames: Frames, tmp_path: Path) -> None:
    lengths = {name: len(frame) for name, frame in frames.items()}
    for name, frame in frames.items():
        loose = frame.astype(object)
        for place, column in enumerate(frame.columns):
            loose.iloc[place % len(loose), place] = None
        frames[name] = loose
    index = as_parquet(frames, tmp_path)
    index.read_all()
    assert {name: index.state(name).rows for name in lengths} == lengths
    assert all(index.state(name).state == "read" for name in lengths)
    assert len(index.entities) == lengths["entities"]
    assert len(index.communities) == lengths["communities"] - 1  # one row has no number, and that is said
    assert "1 of 10 rows" in index.state("communities").reason


def test_a_row_with_more_fields_than_the_header_is_damage(tmp_path: Path) -> None:
    (tmp_path / "entities.csv").write_text("title,type\nA,B,C\nD,E,F\n")
    (tmp_path / "text_units.csv").write_text("id,text\n1,t\n2\n")
    index = open_index(tmp_path)
    assert index.state("entities").state == "unreadable" and "more fields" in index.state("entities").reason
    assert [(row.id, row.text) for row in index.text_units] == [("1", "t"), ("2", "")]


def test_a_parquet_file_without_its_end_does_not_hide_the_sound_csv(frames: Frames, tmp_path: Path) -> None:
    whole_rows = as_parquet(frames, tmp_path).entities
    frames["entities"].to_csv(tmp_path / "entities.csv", index=False)
    whole = (tmp_path / "entities.parquet").read_bytes()
    (tmp_path / "entities.parquet").write_bytes(whole[: len(whole) // 2])
    cut = open_index(tmp_path)
    assert cut.entities == whole_rows
    assert "entities.parquet" in cut.state("entities").reason


def test_tables_that_are_all_pointers_are_said_once(shared: Path, tmp_path: Path) -> None:
    for path in (shared / SOUND).glob("*.parquet"):
        (tmp_path / path.name).write_text("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n")
    with pytest.raises(Exception, match="git lfs pull") as error:
        open_index(tmp_path)
    assert str(error.value).count("git lfs pull") == 1
