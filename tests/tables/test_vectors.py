"""Vector tables: GraphRAG's own columns, its similarity, whole or not at all, and nothing written on reading."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from explorer.base.errors import OpenError, StorageError
from explorer.tables import write_vectors as writing
from explorer.tables.vector_columns import ENTITIES, REPORTS, UNITS
from explorer.tables.vectors import open_vectors, vector_folders
from explorer.tables.vectors_file import VectorsInfo, load_vectors_info
from explorer.tables.write_vectors import read_contents, recover_vectors, write_vectors

# What LanceDBVectorStore of graphrag-vectors 3.3.0 (lancedb 0.38.0) had in its table after create_index and
# load_documents of one document without a date, read with table.schema and to_arrow on 2026-11-30.
GRAPHRAG_COLUMNS = [
    ("id", "string"),
    ("vector", "fixed_size_list<item: float>[3]"),
    ("create_date", "string"),
    ("update_date", "string"),
    ("create_date_year", "int64"),
    ("create_date_month", "int64"),
    ("create_date_month_name", "string"),
    ("create_date_day", "int64"),
    ("create_date_day_of_week", "string"),
    ("create_date_hour", "int64"),
    ("create_date_quarter", "int64"),
    ("update_date_year", "int64"),
    ("update_date_month", "int64"),
    ("update_date_month_name", "string"),
    ("update_date_day", "int64"),
    ("update_date_day_of_week", "string"),
    ("update_date_hour", "int64"),
    ("update_date_quarter", "int64"),
]


def info(model: str = "a model", created: str = "2026-11-30") -> VectorsInfo:
    return VectorsInfo(connection="offline", model=model, dimension=3, created=created)


def write(home: Path, rows: list[tuple[str, tuple[float, ...]]], model: str = "a model") -> None:
    (home / "output").mkdir(parents=True, exist_ok=True)
    contents = [(ENTITIES, name, "0" * 32) for name, _ in rows]
    write_vectors(home, home / "output", {ENTITIES: rows}, contents, info(model))


def arrow(home: Path, name: str) -> pa.Table:
    import lancedb

    return lancedb.connect(str(home / "output" / "lancedb")).open_table(name).to_arrow()


def test_columns_are_those_of_graphrags_own_store(tmp_path: Path) -> None:
    write(tmp_path, [("a", (1.0, 0.0, 0.0))])
    for name in (UNITS, ENTITIES, REPORTS):
        assert [(field.name, str(field.type)) for field in arrow(tmp_path, name).schema] == GRAPHRAG_COLUMNS
        assert all(field.nullable for field in arrow(tmp_path, name).schema)


def test_a_table_that_graphrag_wrote_has_the_same_columns(shared: Path) -> None:
    import lancedb

    # Opening makes nothing new (see the test below), so the shared folder is opened as it is.
    place = lancedb.connect(str(shared / "indexes" / "generated-3.3" / "fast-dulce6" / "lancedb"))
    theirs = [(field.name, str(field.type)) for field in place.open_table(ENTITIES).schema]
    expected = [(name, kind.replace("[3]", "[8]")) for name, kind in GRAPHRAG_COLUMNS]
    assert theirs == expected


def test_dates_are_exploded_as_graphrag_does(tmp_path: Path) -> None:
    write(tmp_path, [("a", (1.0, 0.0, 0.0))])
    (row,) = arrow(tmp_path, ENTITIES).to_pylist()
    assert row == {
        "id": "a",
        "vector": [1.0, 0.0, 0.0],
        "create_date": "2026-11-30T00:00:00+00:00",
        "create_date_year": 2026,
        "create_date_month": 11,
        "create_date_month_name": "November",
        "create_date_day": 30,
        "create_date_day_of_week": "Monday",
        "create_date_hour": 0,
        "create_date_quarter": 4,
        "update_date": None,
        **{f"update_date_{part}": None for part in ("year", "month", "month_name", "day", "day_of_week")},
        "update_date_hour": None,
        "update_date_quarter": None,
    }


def test_similarity_is_one_less_the_square_of_the_distance(tmp_path: Path) -> None:
    # graphrag: score = 1 - abs(_distance), and LanceDB's l2 is the square. Squares by hand: 0, 0.4, 2, 4.
    rows = [
        ("opposite", (-1.0, 0.0, 0.0)),
        ("same", (1.0, 0.0, 0.0)),
        ("other", (0.0, 1.0, 0.0)),
        ("near", (0.8, 0.6, 0)),
    ]
    write(tmp_path, rows)
    vectors = open_vectors(tmp_path / "output")
    assert vectors is not None
    found = vectors.tables[ENTITIES].nearest((1.0, 0.0, 0.0), 10)
    assert [name for name, _ in found] == ["same", "near", "other", "opposite"]
    assert [score for _, score in found] == pytest.approx([1.0, 0.6, -1.0, -3.0], abs=1e-6)
    assert vectors.tables[ENTITIES].nearest((1.0, 0.0, 0.0), 2) == found[:2]


def test_equally_near_rows_come_by_id(tmp_path: Path) -> None:
    rows = [(f"{(place * 37) % 100:03}", (0.0, 1.0, 0.0)) for place in range(100)] + [("first", (1.0, 0.0, 0.0))]
    write(tmp_path, rows)
    vectors = open_vectors(tmp_path / "output")
    assert vectors is not None
    found = [name for name, _ in vectors.tables[ENTITIES].nearest((1.0, 0.0, 0.0), 4)]
    assert found == ["first", "000", "001", "002"]


def test_reading_by_id_and_all(tmp_path: Path) -> None:
    rows = [("it's", (1.0, 0.0, 0.0)), ("b", (0.0, 1.0, 0.0)), ("c", (0.0, 0.0, 1.0))]
    write(tmp_path, rows)
    vectors = open_vectors(tmp_path / "output")
    assert vectors is not None
    table = vectors.tables[ENTITIES]
    assert table.read(["it's", "c", "none"]) == {"it's": (1.0, 0.0, 0.0), "c": (0.0, 0.0, 1.0)}
    assert table.read() == dict(rows)
    assert table.ids() == ["it's", "b", "c"]
    assert (table.count, table.dimension, vectors.dimension) == (3, 3, 3)
    assert vectors.tables[UNITS].nearest((1.0, 0.0, 0.0), 3) == []
    with pytest.raises(ValueError, match="2 numbers"):
        table.nearest((1.0, 0.0), 1)


def test_a_foreign_index_is_read_and_not_changed(shared: Path, tmp_path: Path) -> None:
    output = tmp_path / "output"
    shutil.copytree(shared / "indexes" / "microsoft" / "dulce-v3.0.0", output)
    before = dict(_bytes(output))
    vectors = open_vectors(output)
    assert vectors is not None
    assert {name: table.count for name, table in vectors.tables.items()} == {UNITS: 5, ENTITIES: 39, REPORTS: 10}
    assert vectors.dimension == 3072
    name, vector = next(iter(vectors.tables[ENTITIES].read().items()))
    assert vectors.tables[ENTITIES].nearest(vector, 1) == [(name, pytest.approx(1.0, abs=1e-5))]
    assert dict(_bytes(output)) == before


def test_no_vectors(tmp_path: Path) -> None:
    assert open_vectors(tmp_path) is None
    assert vector_folders(tmp_path / "nowhere") == {}
    assert not list(tmp_path.iterdir())


def test_tables_under_their_older_names(tmp_path: Path) -> None:
    write(tmp_path, [("a", (1.0, 0.0, 0.0))])
    place = tmp_path / "output" / "lancedb"
    (place / f"{ENTITIES}.lance").rename(place / "default-entity-description.lance")
    vectors = open_vectors(tmp_path / "output")
    assert vectors is not None
    assert vectors.tables[ENTITIES].count == 1


def test_damaged_tables_are_said_in_one_sentence(tmp_path: Path) -> None:
    write(tmp_path, [("a", (1.0, 0.0, 0.0))])
    shutil.rmtree(tmp_path / "output" / "lancedb" / f"{ENTITIES}.lance" / "_versions")
    with pytest.raises(OpenError, match=r"cannot be read .*nothing was changed"):
        open_vectors(tmp_path / "output")
    write(tmp_path, [("a", (1.0, 0.0, 0.0))])
    for path in (tmp_path / "output" / "lancedb" / f"{ENTITIES}.lance" / "data").iterdir():
        path.unlink()
    vectors = open_vectors(tmp_path / "output")
    assert vectors is not None
    with pytest.raises(OpenError, match="cannot be read"):
        vectors.tables[ENTITIES].read()


@pytest.mark.parametrize("step", range(6))
def test_writing_that_is_ended_at_any_step_leaves_the_old_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """Ended as by a kill: nothing of the program runs after it. Then what is there is whole, and the next run works."""
    write(tmp_path, [("old", (1.0, 0.0, 0.0))])
    real, count = os.replace, 0

    class Killed(BaseException):
        pass

    def replace(source: object, target: object) -> None:
        nonlocal count
        if count == step:
            raise Killed
        count += 1
        real(source, target)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", replace)
        patch.setattr(shutil, "rmtree", lambda *_, **__: None)
        try:
            write(tmp_path, [("new", (0.0, 1.0, 0.0))], "another model")
        except Killed:
            pass
    vectors = open_vectors(tmp_path / "output")
    said = load_vectors_info(tmp_path)
    if vectors is not None and said is not None:
        expected = "old" if said.model == "a model" else "new"
        assert vectors.tables[ENTITIES].ids() == [expected]
        assert read_contents(tmp_path).keys() == {(ENTITIES, expected)} or expected == "old"
    elif vectors is not None:
        assert vectors.tables[ENTITIES].ids() in (["old"], ["new"])
    write(tmp_path, [("newer", (0.0, 0.0, 1.0))])
    vectors = open_vectors(tmp_path / "output")
    assert vectors is not None
    assert vectors.tables[ENTITIES].ids() == ["newer"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["output", "vectors.json", "vectors.parquet"]


def test_tables_that_were_moved_aside_come_back(tmp_path: Path) -> None:
    write(tmp_path, [("old", (1.0, 0.0, 0.0))])
    (tmp_path / "output" / "lancedb").rename(tmp_path / "lancedb.old")
    (tmp_path / "lancedb.part").mkdir()
    recover_vectors(tmp_path, tmp_path / "output")
    vectors = open_vectors(tmp_path / "output")
    assert vectors is not None
    assert vectors.tables[ENTITIES].ids() == ["old"]
    assert not (tmp_path / "lancedb.part").exists()


def test_a_killed_writer_leaves_the_old_or_the_new(tmp_path: Path) -> None:
    """Killed for good, at several moments."""
    write(tmp_path, [("old", (1.0, 0.0, 0.0))])
    context = multiprocessing.get_context("spawn")
    for wait in (0.0, 0.03):
        ready, told = context.Pipe()
        process = context.Process(target=_write_again_and_again, args=(tmp_path, told))
        process.start()
        ready.recv()
        time.sleep(wait)
        os.kill(process.pid or 0, signal.SIGKILL)
        process.join()
        vectors = open_vectors(tmp_path / "output")
        if vectors is not None:
            assert len(vectors.tables[ENTITIES].ids()) in (1, 2000)
        recover_vectors(tmp_path, tmp_path / "output")
        vectors = open_vectors(tmp_path / "output")
        assert vectors is not None
        assert len(vectors.tables[ENTITIES].ids()) in (1, 2000)
    write(tmp_path, [("last", (1.0, 0.0, 0.0))])


def _write_again_and_again(home: Path, told: object) -> None:
    write(home, [("old", (1.0, 0.0, 0.0))])
    told.send("ready")  # type: ignore[attr-defined]
    while True:
        write(home, [(str(place), (0.0, 1.0, 0.0)) for place in range(2000)])


def test_a_full_disk_is_said_and_the_old_tables_stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, [("old", (1.0, 0.0, 0.0))])

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing, "_write_contents", full)
    with pytest.raises(StorageError, match="disk is full"):
        write(tmp_path, [("new", (1.0, 0.0, 0.0))])
    vectors = open_vectors(tmp_path / "output")
    assert vectors is not None
    assert vectors.tables[ENTITIES].ids() == ["old"]
    assert load_vectors_info(tmp_path) == info()
    assert not (tmp_path / "lancedb.part").exists()


def _bytes(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            stamp = path.stat().st_mtime_ns
            yield str(path.relative_to(folder)), f"{stamp} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        else:
            yield str(path.relative_to(folder)), "folder"
