"""Vector tables put in place as one set: built beside the old ones, then exchanged by renaming.

A kill leaves the old tables or none, never half of them; what it left aside is put right before the next writing.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from explorer.base.files import storage_error, write_atomic
from explorer.tables.vector_columns import LANCEDB_NAME, VECTOR_TABLES, date_values, vector_schema
from explorer.tables.vectors import lancedb_at
from explorer.tables.vectors_file import VECTORS_FILE, VectorsInfo, save_vectors_info

PART_NAME = "lancedb.part"
OLD_NAME = "lancedb.old"
CONTENTS_FILE = "vectors.parquet"  # which text each vector is of: table, id, hash
ROWS_A_BATCH = 1_000

Row = tuple[str, Sequence[float]]


def recover_vectors(home: Path, output: Path) -> None:
    """Put right what a kill left behind: tables that were moved aside come back, unfinished ones go away.

    Raises StorageError.
    """
    place, old, part = output / LANCEDB_NAME, home / OLD_NAME, home / PART_NAME
    try:
        if old.is_dir():
            if place.is_dir():
                shutil.rmtree(old)
            elif output.is_dir():
                old.replace(place)
        if part.is_dir():
            shutil.rmtree(part)
    except OSError as error:
        raise storage_error(place, error) from error


def write_vectors(
    home: Path,
    output: Path,
    tables: Mapping[str, Iterable[Row]],
    contents: Iterable[tuple[str, str, str]],
    info: VectorsInfo,
    *,
    checkpoint: Callable[[], None] = lambda: None,
) -> None:
    """Write all vector tables of an index, and vectors.json after them.

    Parameters
    ----------
    home, output: of the index; the tables come to `output/lancedb`.
    tables: rows (id, vector) by table name; a table that is not given is written without rows.
    contents: (table, id, hash of the text) of every row.
    info: what vectors.json shall say; its `created` is the date of the rows.

    The caller holds the lock of `home`. Raises StorageError where the disk is full or refuses; the old tables then
    still stand.
    """
    place, old, part = output / LANCEDB_NAME, home / OLD_NAME, home / PART_NAME
    recover_vectors(home, output)
    created = datetime.fromisoformat(info.created).replace(tzinfo=UTC)
    try:
        connection = lancedb_at(part)
        for name in VECTOR_TABLES:
            checkpoint()
            reader = _reader(tables.get(name, ()), info.dimension, created)
            connection.create_table(name, data=reader, schema=reader.schema)
        checkpoint()
        _write_contents(home / f"{CONTENTS_FILE}.part", contents)
        (home / VECTORS_FILE).unlink(missing_ok=True)
        output.mkdir(parents=True, exist_ok=True)
        if place.is_dir():
            place.replace(old)
        part.replace(place)
        (home / f"{CONTENTS_FILE}.part").replace(home / CONTENTS_FILE)
    except (OSError, RuntimeError, pa.ArrowException) as error:
        shutil.rmtree(part, ignore_errors=True)
        # LanceDB tells of a full disk in words only.
        reason = error if isinstance(error, OSError) else OSError(None, str(error).splitlines()[0][:160])
        raise storage_error(place, reason) from error
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    save_vectors_info(home, info)
    shutil.rmtree(old, ignore_errors=True)


def read_contents(home: Path) -> dict[tuple[str, str], str]:
    """The hash of the text that each vector was made from, by (table, id); {} where that is not known."""
    try:
        with pq.ParquetFile(home / CONTENTS_FILE) as file:
            columns = file.read().to_pydict()
        return dict(zip(zip(columns["table"], columns["id"], strict=True), columns["hash"], strict=True))
    except (OSError, KeyError, pa.ArrowException):
        return {}


def _write_contents(path: Path, contents: Iterable[tuple[str, str, str]]) -> None:
    columns: list[list[str]] = [list(column) for column in zip(*contents, strict=True)] or [[], [], []]
    arrays = [pa.array(column, pa.string()) for column in columns]
    table = pa.table(dict(zip(("table", "id", "hash"), arrays, strict=True)))

    def write(target: Path) -> None:
        with target.open("wb") as handle:
            pq.write_table(table, handle, compression="zstd")

    write_atomic(path, write)


def _reader(rows: Iterable[Row], dimension: int, created: datetime) -> pa.RecordBatchReader:
    schema = vector_schema(dimension)
    return pa.RecordBatchReader.from_batches(schema, _batches(rows, schema, dimension, date_values(created)))


def _batches(
    rows: Iterable[Row], schema: pa.Schema, dimension: int, dates: Mapping[str, str | int | None]
) -> Iterator[pa.RecordBatch]:
    import numpy as np

    for ids, vectors in _chunks(rows):
        numbers = np.asarray(vectors, dtype=np.float32).reshape(len(ids) * dimension)
        columns: list[Any] = [
            pa.array(ids, pa.string()),
            pa.FixedSizeListArray.from_arrays(pa.array(numbers), dimension),
        ]
        columns += [pa.array([dates[field.name]] * len(ids), field.type) for field in list(schema)[2:]]
        yield pa.RecordBatch.from_arrays(columns, schema=schema)


def _chunks(rows: Iterable[Row]) -> Iterator[tuple[list[str], list[Sequence[float]]]]:
    ids: list[str] = []
    vectors: list[Sequence[float]] = []
    for name, vector in rows:
        ids.append(name)
        vectors.append(vector)
        if len(ids) == ROWS_A_BATCH:
            yield ids, vectors
            ids, vectors = [], []
    if ids:
        yield ids, vectors
