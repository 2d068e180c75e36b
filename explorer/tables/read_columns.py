"""A table's file as columns of Python values, parquet or csv. What cannot be read is a reason, never a crash."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from explorer.base.words import counted
from explorer.tables.column_names import known_names
from explorer.tables.parts import part_files
from explorer.tables.read_csv import CsvTable, NoTable, csv_header, read_csv
from explorer.tables.sources import TableFile, file_fault

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

# Vectors that versions before 1.0 kept inside the tables: large, and never read from here.
_LEFT_OUT = ("name_embedding", "description_embedding", "graph_embedding", "text_embedding", "full_content_embedding",
             "summary_embedding", "raw_content_embedding")  # fmt: skip


_BATCH = 4_096


@dataclass(frozen=True)
class Shape:
    """What the head of a file says: its column names and rows, or why it cannot be read.

    `columns` are the names that the program knows, `names` those that the file has (other case, one name twice).
    `rows` is None for csv, whose rows are known when it has been read; `remark` says what was taken for granted;
    `nullable` are the columns of a parquet file of which its head does not say that no cell is null.
    """

    columns: tuple[str, ...] = ()
    rows: int | None = None
    fault: str = ""
    remark: str = ""
    nullable: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()

    @property
    def plain(self) -> bool:
        """Whether the file itself has the names that the program knows."""
        return self.columns == self.names


@dataclass(frozen=True)
class Columns:
    """The columns of a table as lists of values, how many rows of the file are left out, and what is said of that."""

    values: dict[str, list[Any]]
    left_out: int = 0
    notes: tuple[str, ...] = ()


class DamagedTable(Exception):
    """A file whose head could be read and whose body cannot; the text says why."""


def table_shape(file: TableFile) -> Shape:
    """The columns and rows of a table's file, without reading its body."""
    fault = file_fault(file.path, file.kind)
    if fault:
        return Shape(fault=fault)
    return _csv_shape(file) if file.kind == "csv" else _parquet_shape(file)


def table_columns(file: TableFile) -> Columns:
    """The columns of a table as lists of values; text of csv stays text. Raises DamagedTable."""
    return _csv_columns(file) if file.kind == "csv" else _parquet_columns(file)


def some_columns(file: TableFile, names: Collection[str]) -> dict[str, list[Any]]:
    """Those of the named columns that a parquet table has. Raises DamagedTable."""
    return _parquet_columns(file, names).values


def arrow_columns(path: Path, names: Collection[str]) -> pa.Table:
    """Those of the named columns that a parquet file has, as Arrow holds them. Raises DamagedTable."""
    import pyarrow as pa

    try:
        return _arrow(path, lambda name: name in names)
    except (OSError, pa.ArrowException) as error:
        raise DamagedTable(_short(error)) from error


def can_be_read(path: Path, but: Collection[str] = ()) -> bool:
    """Whether every column of a parquet file that is ever read from here, but for some, can be."""
    import pyarrow as pa

    try:
        _arrow(path, lambda name: name not in _LEFT_OUT and name not in but)
    except (OSError, pa.ArrowException):
        return False
    return True


def _arrow(path: Path, wanted: Callable[[str], bool]) -> pa.Table:
    """Some columns of a parquet file, or of all its parts one after the other."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    tables = []
    for part in part_files(path):
        # read_table would import pandas, 0.3 s of every start
        with _readable(part) as source, pq.ParquetFile(source) as handle:
            tables.append(handle.read(columns=[name for name in handle.schema_arrow.names if wanted(name)]))
    return tables[0] if len(tables) == 1 else pa.concat_tables(tables)


def parquet_frame(path: Path) -> pd.DataFrame:
    """A parquet file as a pandas DataFrame. Raises DamagedTable."""
    import pyarrow as pa

    try:
        frame: pd.DataFrame = _arrow(path, lambda _: True).to_pandas(ignore_metadata=True)
        return frame
    except (OSError, pa.ArrowException) as error:
        raise DamagedTable(_short(error)) from error


def parquet_batches(path: Path) -> Iterator[list[list[Any]]]:
    """The columns of a parquet file, every one of them, some thousand rows at a time. Raises DamagedTable."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        for part in part_files(path):
            with _readable(part) as source, pq.ParquetFile(source) as handle:
                for batch in handle.iter_batches(batch_size=_BATCH):
                    yield [column_values(pa.chunked_array([column])) for column in batch.columns]
    except (OSError, ValueError, OverflowError, pa.ArrowException) as error:
        raise DamagedTable(f"{path.name} is damaged: {_short(error)}") from error


@contextmanager
def _readable(path: Path) -> Iterator[Path | BinaryIO]:
    """What Arrow can open: the path, or the open file where the bytes of its name are no UTF-8."""
    try:
        str(path).encode("utf-8")
    except UnicodeEncodeError:
        with path.open("rb") as handle:
            yield handle
    else:
        yield path


def _parquet_shape(file: TableFile) -> Shape:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        heads = []
        for part in part_files(file.path):
            with _readable(part) as source:
                heads.append((part, pq.read_metadata(source)))
        schema = heads[0][1].schema.to_arrow_schema()
        for part, meta in heads[1:]:
            if not meta.schema.to_arrow_schema().equals(schema, check_metadata=False):
                told = f"{heads[0][0].name} and {part.name} have not the same columns of the same types"
                return Shape(fault=f"{file.path.name} is a folder whose parts are not of one table: {told}")
        names = tuple(schema.names)
        rows = sum(meta.num_rows for _, meta in heads)
        nullable = frozenset[str]().union(*(_nullable(meta) for _, meta in heads))
        remark = f"{file.path.name} is a folder of {counted(len(heads), 'part')}" if file.path.is_dir() else ""
        return Shape(tuple(known_names(names)), rows, remark=remark, nullable=nullable, names=names)
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


def _parquet_columns(file: TableFile, names: Collection[str] | None = None) -> Columns:
    import pyarrow as pa

    try:
        table = _arrow(file.path, lambda name: name not in _LEFT_OUT if names is None else name in names)
        notes: list[str] = []
        known = known_names(table.column_names)
        values = {name: column_values(table.column(place), name, notes) for place, name in enumerate(known)}
        return Columns(values, notes=tuple(notes))
    except (OSError, ValueError, OverflowError, pa.ArrowException) as error:
        raise DamagedTable(_short(error)) from error


def column_values(column: pa.ChunkedArray, name: str = "", notes: list[str] | None = None) -> list[Any]:
    """The values of a column; dates that Python has no value for (after the year 9999) as text.

    Bytes that are no UTF-8 become "�", which is said in `notes`.
    """
    import pyarrow as pa

    from explorer.tables.slices import values

    try:
        return values(column)
    except OverflowError:
        return values(column.cast(pa.string()))
    except UnicodeDecodeError:
        from explorer.tables.odd_letters import repaired

        if notes is not None:
            notes.append(f"letters in {name} are no UTF-8 and stand as \ufffd")
        return repaired(column)


def _csv_shape(file: TableFile) -> Shape:
    try:
        names, western = csv_header(file.path)
    except (OSError, NoTable) as error:
        return Shape(fault=f"{file.path.name} is no csv table: {_short(error)}")
    remark = f"{file.path.name} is no UTF-8 and was read as Windows-1252: letters may be wrong" if western else ""
    return Shape(tuple(known_names(names)), remark=remark, names=tuple(names))


def _csv_columns(file: TableFile) -> Columns:
    found = csv_table(file)
    values = dict(zip(known_names(found.names), found.columns, strict=True))
    kept = {name: cells for name, cells in values.items() if name not in _LEFT_OUT}
    return Columns(dict(kept), found.left_out, tuple(found.notes))


def csv_table(file: TableFile) -> CsvTable:
    """Every column of a csv table as texts, None for an empty field. Raises DamagedTable."""
    try:
        return read_csv(file.path)
    except (OSError, NoTable) as error:
        raise DamagedTable(_short(error)) from error


def _short(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:160]
