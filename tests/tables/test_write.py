"""Tables as this program writes them: GraphRAG's columns and types, the same bytes, whole or not at all."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.base.errors import StorageError
from explorer.tables import write
from explorer.tables.index import open_index
from explorer.tables.write import read_rows, write_table

# The columns of GraphRAG 3.x as its own golden index has them, in order.
GOLDEN = ("documents", "text_units", "entities", "relationships", "communities", "community_reports", "covariates")


@pytest.mark.parametrize("name", GOLDEN)
def test_columns_and_types_are_those_of_graphrags_own_tables(shared: Path, tmp_path: Path, name: str) -> None:
    ours = pq.read_schema(write_table(tmp_path, name, []))
    theirs = pq.read_schema(shared / "indexes/microsoft/verbs-v3.1.2" / f"{name}.parquet")
    assert ours.names == theirs.names
    for field in theirs:
        mine = ours.field(field.name).type
        if pa.types.is_null(field.type):
            continue
        if pa.types.is_list(field.type):
            assert pa.types.is_list(mine) and mine.value_type == field.type.value_type
        else:
            assert mine == field.type


def test_raw_data_is_a_record_as_in_graphrag_and_comes_back_as_it_was(tmp_path: Path) -> None:
    rows = [
        {"id": "a", "title": "A", "text": "one", "raw_data": {"source": "tags: [glass]"}},
        {"id": "b", "title": "B", "text": "two", "raw_data": None},
    ]
    path = write_table(tmp_path, "documents", rows)
    assert pa.types.is_struct(pq.read_schema(path).field("raw_data").type)
    assert [row.raw_data for row in open_index(tmp_path).documents] == ["tags: [glass]", None]


def test_fields_of_raw_data_that_graphrag_kept_are_read_as_json(tmp_path: Path) -> None:
    raw = pa.array([{"city": "Trieste", "year": 1902}, None])
    pq.write_table(pa.table({"id": ["a", "b"], "raw_data": raw}), tmp_path / "documents.parquet")
    write_table(tmp_path, "entities", [{"id": "e", "title": "E"}])
    assert [row.raw_data for row in open_index(tmp_path).documents] == ['{"city": "Trieste", "year": 1902}', None]


def test_no_trace_of_pandas_and_the_same_bytes_each_time(tmp_path: Path) -> None:
    rows = [{"id": "a", "title": "A", "text_unit_ids": ["1", "2"]}, {"id": "b", "title": "B", "text_unit_ids": []}]
    first = write_table(tmp_path / "one", "entities", rows).read_bytes()
    second = write_table(tmp_path / "two", "entities", [dict(reversed(row.items())) for row in rows]).read_bytes()
    assert first == second
    assert b"pandas" not in first


def test_an_index_that_graphrag_wrote_is_the_same_after_we_write_it(shared: Path, tmp_path: Path) -> None:
    source = shared / "indexes/microsoft/verbs-v3.1.2"
    for name in GOLDEN:
        write_table(tmp_path, name, read_rows(source / f"{name}.parquet"))
    ours, theirs = open_index(tmp_path), open_index(source)
    assert ours.entities == theirs.entities
    assert ours.relationships == theirs.relationships
    assert ours.communities == theirs.communities
    assert ours.reports == theirs.reports
    assert ours.text_units == theirs.text_units
    assert ours.documents == theirs.documents


def test_a_full_disk_is_a_sentence_and_the_old_table_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_table(tmp_path, "entities", [{"id": "a", "title": "A"}])
    before = path.read_bytes()

    def full(table: pa.Table, handle: IO[bytes], **settings: Any) -> None:
        handle.write(b"half a ta")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(write.pq, "write_table", full)
    with pytest.raises(StorageError, match="disk is full"):
        write_table(tmp_path, "entities", [{"id": "b", "title": "B"}])
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["entities.parquet"]


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(TEXT, TEXT, st.floats(allow_nan=False), st.lists(TEXT, max_size=3)), max_size=5))
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, float, list[str]]]
) -> None:
    folder = tmp_path_factory.mktemp("tables")
    write_table(
        folder,
        "relationships",
        [
            {"id": f"r{n}", "human_readable_id": n, "source": s, "target": t, "weight": w, "text_unit_ids": units}
            for n, (s, t, w, units) in enumerate(rows)
        ],
    )
    read = [(row.source, row.target, row.weight, list(row.text_unit_ids)) for row in open_index(folder).relationships]
    assert read == rows
