"""A table's file as columns of Python values, parquet or csv. What cannot be read is a reason, never a crash."""

from __future__ import annotations

import codecs
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.tables.sources import TableFile, file_fault

if TYPE_CHECKING:
    import pyarrow as pa

# Vectors that versions before 1.0 kept inside the tables: large, and never read from here.
_LEFT_OUT = ("name_embedding", "description_embedding", "graph_embedding", "text_embedding", "full_content_embedding",
             "summary_embedding", "raw_content_embedding")  # fmt: skip


_BATCH = 4_096
_WESTERN = "cp1252"


@dataclass(frozen=True)
class Shape:
    """What the head of a file says: its column names and rows, or why it cannot be read.

    `rows` is None for csv, whose rows are known when it has been read; `remark` says what was taken for granted;
    `nullable` are the columns of a parquet file of which its head does not say that no cell is null.
    """

    columns: tuple[str, ...] = ()
    rows: int | None = None
    fault: str = ""
    remark: str = ""
    nullable: frozenset[str] = frozenset()


class DamagedTable(Exception):
    """A file whose head could be read and whose body cannot; the text says why."""


def table_shape(file: TableFile) -> Shape:
    """The columns and rows of a table's file, without reading its body."""
    fault = file_fault(file.path, file.kind)
    if fault:
        return Shape(fault=fault)
    return _csv_shape(file) if file.kind == "csv" else _parquet_shape(file)


def table_columns(file: TableFile) -> dict[str, list[Any]]:
    """The columns of a table as lists of values; text of csv stays text. Raises DamagedTable."""
    return _csv_columns(file) if file.kind == "csv" else _parquet_columns(file)


def some_columns(file: TableFile, names: Collection[str]) -> dict[str, list[Any]]:
    """Those of the named columns that a parquet table has. Raises DamagedTable."""
    return _parquet_columns(file, names)


def arrow_columns(path: Path, names: Collection[str]) -> pa.Table:
    """Those of the named columns that a parquet file has, as Arrow holds them. Raises DamagedTable."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as handle:
            return handle.read(columns=[name for name in handle.schema_arrow.names if name in names])
    except (OSError, pa.ArrowException) as error:
        raise DamagedTable(_short(error)) from error


def parquet_batches(path: Path) -> Iterator[list[list[Any]]]:
    """The columns of a parquet file, every one of them, some thousand rows at a time. Raises DamagedTable."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as handle:
            for batch in handle.iter_batches(batch_size=_BATCH):
                yield [column_values(pa.chunked_array([column])) for column in batch.columns]
    except (OSError, ValueError, OverflowError, pa.ArrowException) as error:
        raise DamagedTable(f"{path.name} is damaged: {_short(error)}") from error


def _parquet_shape(file: TableFile) -> Shape:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        meta = pq.read_metadata(file.path)
        return Shape(tuple(meta.schema.to_arrow_schema().names), meta.num_rows, nullable=_nullable(meta))
    except (OSError, pa.ArrowException) as error:
        return Shape(fault=f"{file.path.name} is no parquet file: {_short(error)}")


def _nullable(meta: Any) -> frozenset[str]:
    found = set()
    for group in (meta.row_group(place) for place in range(meta.num_row_groups)):
        for column in (group.column(place) for place in range(group.num_columns)):
            numbers = column.statistics
            if numbers is None or not numbers.has_null_count or numbers.null_count:
                found.add(str(column.path_in_schema))
    return frozenset(found)


def _parquet_columns(file: TableFile, names: Collection[str] | None = None) -> dict[str, list[Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(file.path) as handle:
            known = handle.schema_arrow.names
            wanted = [name for name in known if (name not in _LEFT_OUT if names is None else name in names)]
            table = handle.read(columns=wanted)  # read_table would import pandas, 0.3 s of every start
        return {name: column_values(table.column(position)) for position, name in enumerate(table.column_names)}
    except (OSError, ValueError, OverflowError, pa.ArrowException) as error:
        raise DamagedTable(_short(error)) from error


def column_values(column: pa.ChunkedArray) -> list[Any]:
    """The values of a column; dates that Python has no value for (after the year 9999) as text."""
    import pyarrow as pa

    from explorer.tables.slices import values

    try:
        return values(column)
    except OverflowError:
        return values(column.cast(pa.string()))


def _csv_shape(file: TableFile) -> Shape:
    import pandas as pd

    try:
        form = _form(file)
        head = pd.read_csv(file.path, nrows=0, **form)
    except (OSError, ValueError) as error:
        return Shape(fault=f"{file.path.name} is no csv table: {_short(error)}")
    western = form["encoding"] == _WESTERN
    remark = f"{file.path.name} is no UTF-8 and was read as Windows-1252: letters may be wrong" if western else ""
    return Shape(tuple(str(name) for name in head.columns), remark=remark)


def _csv_columns(file: TableFile) -> dict[str, list[Any]]:
    return {name: values for name, values in csv_columns(file).items() if name not in _LEFT_OUT}


def csv_columns(file: TableFile) -> dict[str, list[Any]]:
    """Every column of a csv table as texts, None for an empty field. Raises DamagedTable."""
    import pandas as pd

    try:
        try:
            frame = pd.read_csv(file.path, **_form(file))
        except pd.errors.ParserError:  # written with backslashes before quotes, where most double them?
            frame = pd.read_csv(file.path, escapechar="\\", doublequote=False, **_form(file))
    except (OSError, ValueError) as error:
        raise DamagedTable(_short(error).removeprefix("Error tokenizing data. C error: ")) from error
    if not isinstance(frame.index, pd.RangeIndex):  # pandas would take the first columns for names of the rows
        raise DamagedTable("its rows have more fields than its header")
    return {str(name): [_cell(value) for value in frame[name].tolist()] for name in frame.columns}


def _cell(value: Any) -> str | None:
    """The text of a field; None for an empty one and for one that a short row does not have."""
    return value if isinstance(value, str) and value else None


def _is_utf8(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    with path.open("rb") as handle:
        try:
            while block := handle.read(1 << 20):
                decoder.decode(block)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def _form(file: TableFile) -> dict[str, Any]:
    """How a csv file is to be read: its encoding by its mark or its bytes, its separator by its first line."""
    with file.path.open("rb") as handle:
        head = handle.read(1 << 16)
    wide = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    encoding = "utf-16" if wide else "utf-8-sig" if _is_utf8(file.path) else _WESTERN
    first = (head.decode(encoding, "replace").splitlines() or [""])[0]
    separator = max(",;\t", key=first.count)
    return {
        "dtype": str, "keep_default_na": False, "encoding": encoding, "encoding_errors": "replace",
        "sep": separator if first.count(separator) else ",",
    }  # fmt: skip


def _short(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:160]
