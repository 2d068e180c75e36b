"""Tables written the same to the byte every time: one schema, fixed settings, no trace of pandas or of the hour."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from explorer.base.files import write_atomic
from explorer.tables.columns import schema
from explorer.tables.slices import values

ROWS_A_GROUP = 50_000


def write_table(output: Path, name: str, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Write `output/name.parquet` from rows as dictionaries, whole or not at all. Returns its path.

    Every column of the schema of `name` is written; a key that a row does not have becomes null.
    Raises StorageError where the disk is full or refuses, KeyError for a name that is no table.
    """
    table = pa.Table.from_pylist([dict(row) for row in rows], schema=schema(name))
    target = output / f"{name}.parquet"
    write_atomic(target, lambda path: _write(table, path))
    return target


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a parquet file as dictionaries, as they are. Raises OSError or pyarrow's errors."""
    with pq.ParquetFile(path) as file:  # read_table would import pandas
        table = file.read()
    names = table.column_names
    columns = [values(column) for column in table.columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _write(table: pa.Table, path: Path) -> None:
    # Written through an open file, so that a full disk is an OSError with its number and not an Arrow error.
    with path.open("wb") as handle:
        pq.write_table(
            table,
            handle,
            row_group_size=ROWS_A_GROUP,
            compression="zstd",
            compression_level=3,
            version="2.6",
            data_page_version="1.0",
            use_dictionary=True,
            write_statistics=True,
            store_schema=True,
        )
