"""The tables of an index as CSV files."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from explorer.base.errors import InputError
from explorer.base.events import EventSink, Notice, ignore
from explorer.base.files import write_atomic
from explorer.export.target import target_folder
from explorer.tables.columns import GRAPHRAG_TABLES
from explorer.tables.index import Index
from explorer.tables.read_columns import DamagedTable, csv_table, parquet_batches, table_shape
from explorer.tables.sources import TableFile, find_tables

_OWN = ("spans", "positions")


def export_tables(index: Index, out_dir: Path, *, sink: EventSink = ignore) -> list[Path]:
    """Write every table that can be read to `out_dir/<table>.csv`, with the columns that its file has.

    UTF-8, RFC 4180; lists and structures as JSON, an empty cell for null, "NaN" for a number that is none, all
    values exact (text that begins with "=" stays as it is: import the file as text where a spreadsheet would run
    it). Tables that cannot be read are named through `sink`. Gives the files that were written. Raises InputError
    where there is none, or where they would stand among the index's own, StorageError where the disk refuses.
    """
    folder = target_folder(out_dir)
    if folder.resolve() == index.output.resolve():
        raise InputError(f"{folder} holds the tables of the index itself; nothing was written. Choose another folder.")
    files = {name: file for name, file in find_tables(index.output).items() if name in GRAPHRAG_TABLES}
    for name in _OWN:
        if (path := index.home / f"{name}.parquet").is_file():
            files[name] = TableFile(name, path, "parquet", False)
    written = []
    for name, file in files.items():
        target = folder / f"{name}.csv"
        try:
            write_atomic(target, lambda path, file=file: _write(path, file))  # type: ignore[misc]
        except DamagedTable as error:
            sink(Notice(f"The table {name} was left out: {error}."))
            continue
        written.append(target)
    if not written:
        raise InputError(f"{index.name} has no table that can be read; nothing was written.")
    return written


def _write(path: Path, file: TableFile) -> None:
    shape = table_shape(file)
    if shape.fault:
        raise DamagedTable(shape.fault)
    with path.open("w", encoding="utf-8", newline="", errors="surrogatepass") as handle:
        writer = csv.writer(handle)
        writer.writerow(shape.names)
        writer.writerows(_parquet_rows(file) if file.kind == "parquet" else _csv_rows(file))


def _csv_rows(file: TableFile) -> Iterator[list[str]]:
    for row in zip(*csv_table(file).columns, strict=True):
        yield [_cell(value) for value in row]


def _parquet_rows(file: TableFile) -> Iterator[list[str]]:
    for columns in parquet_batches(file.path):
        yield from ([_cell(value) for value in row] for row in zip(*columns, strict=True))


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else repr(value)
    if isinstance(value, (list, dict)):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)
