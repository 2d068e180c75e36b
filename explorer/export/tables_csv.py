"""The tables of an index as CSV files."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.base.errors import InputError
from explorer.base.events import EventSink, Notice, ignore
from explorer.base.files import write_atomic
from explorer.export.target import target_folder
from explorer.tables.index import Index
from explorer.tables.locate import table_files

if TYPE_CHECKING:
    import pyarrow.parquet as pq

_OWN = ("spans", "positions")
_BATCH = 4096


def export_tables(index: Index, out_dir: Path, *, sink: EventSink = ignore) -> list[Path]:
    """Write every table that can be read to `out_dir/<table>.csv`, with the columns that its file has.

    UTF-8, RFC 4180; lists and structures as JSON, an empty cell for null, "NaN" for a number that is none, all
    values exact (text that begins with "=" stays as it is: import the file as text where a spreadsheet would run
    it). Tables that cannot be read are named through `sink`. Gives the files that were written. Raises InputError
    where there is none, StorageError where the disk refuses.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = target_folder(out_dir)
    files = table_files(index.output)
    files.update({name: path for name in _OWN if (path := index.home / f"{name}.parquet").is_file()})
    written = []
    for name, source in files.items():
        try:
            table = pq.ParquetFile(source)
        except (OSError, pa.ArrowException):
            sink(Notice(f"The table {name} cannot be read and was left out."))
            continue
        target = folder / f"{name}.csv"
        try:
            write_atomic(target, lambda path, table=table: _write(path, table))  # type: ignore[misc]
        except pa.ArrowException:
            sink(Notice(f"The table {name} is damaged and was left out."))
            continue
        finally:
            table.close()
        written.append(target)
    if not written:
        raise InputError(f"{index.name} has no table that can be read; nothing was written.")
    return written


def _write(path: Path, table: pq.ParquetFile) -> None:
    with path.open("w", encoding="utf-8", newline="", errors="surrogatepass") as handle:
        writer = csv.writer(handle)
        writer.writerow(table.schema_arrow.names)
        writer.writerows(_rows(table))


def _rows(table: pq.ParquetFile) -> Iterator[list[str]]:
    for batch in table.iter_batches(batch_size=_BATCH):
        columns = [column.to_pylist() for column in batch.columns]
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
