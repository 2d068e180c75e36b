"""The vectors of an index, opened for reading: LanceDB tables that this program or GraphRAG wrote.

Nothing is ever written here. Importing LanceDB takes two seconds, so it is imported when vectors are first opened.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa

from explorer.base.errors import OpenError
from explorer.tables.vector_columns import LANCEDB_NAME, OLDER_NAMES, VECTOR_TABLES

_SUFFIX = ".lance"


class VectorTable:
    """One table of vectors. Made by `open_vectors`.

    `count` is the number of its rows, `dimension` that of the numbers in a vector.
    """

    def __init__(self, name: str, table: Any, path: Path) -> None:
        self.name = name
        self._table = table
        self._path = path
        kind = table.schema.field("vector").type
        self.dimension = int(kind.list_size)

    @cached_property
    def count(self) -> int:
        return int(self._table.count_rows())

    def ids(self) -> list[str]:
        """The ids of all rows, in the order of the table. Raises OpenError."""
        return [str(value) for value in self._ask(lambda: self._rows(["id"])).column("id").to_pylist()]

    def read(self, ids: Iterable[str] | None = None) -> dict[str, tuple[float, ...]]:
        """Vectors by id, of all rows or of those asked for that are there. Raises OpenError."""
        wanted = None if ids is None else set(ids)
        if wanted is not None and not wanted:
            return {}
        where = None if wanted is None or len(wanted) > 500 else f"id IN ({', '.join(map(_quoted, sorted(wanted)))})"
        rows = self._ask(lambda: self._rows(["id", "vector"], where))
        names = rows.column("id").to_pylist()
        numbers = _matrix(rows, self.dimension)
        found: dict[str, tuple[float, ...]] = {}
        for position, name in enumerate(names):
            if wanted is None or name in wanted:
                found.setdefault(name, tuple(numbers[position].tolist()))
        return found

    def nearest(self, vector: Sequence[float], k: int) -> list[tuple[str, float]]:
        """The k nearest rows as (id, similarity), most similar first, equal ones by id.

        Similarity is 1 - distance, where distance is the square of Euclid's, as LanceDB gives it and GraphRAG takes
        it: for unit vectors 2 · cosine - 1. Every row is looked at, so the result is exact.

        Raises ValueError for a vector of another length, OpenError where the table cannot be read.
        """
        if len(vector) != self.dimension:
            raise ValueError(f"a vector of {len(vector)} numbers in a table of {self.dimension}")
        if k < 1 or self.count == 0:
            return []
        limit = min(self.count, k + 8)
        while True:
            # Which of several equally near rows come is chance: all of them are asked for, then sorted by id.
            rows = self._ask(lambda limit=limit: self._near(vector, limit))
            found = sorted(zip(rows.column("_distance").to_pylist(), rows.column("id").to_pylist(), strict=True))
            if limit >= self.count or len(found) <= k or found[-1][0] > found[k - 1][0]:
                return [(str(name), 1.0 - abs(float(distance))) for distance, name in found[:k]]
            limit = min(self.count, limit * 4)

    def _near(self, vector: Sequence[float], limit: int) -> pa.Table:
        query = self._table.search(list(vector), vector_column_name="vector").distance_type("l2")
        return query.bypass_vector_index().limit(limit).select(["id", "_distance"]).to_arrow()

    def _rows(self, columns: list[str], where: str | None = None) -> pa.Table:
        query = self._table.search().select(columns)
        if where is not None:
            query = query.where(where)
        return query.limit(max(1, self.count)).to_arrow()

    def _ask(self, question: Any) -> pa.Table:
        try:
            return question()
        except (OSError, RuntimeError, ValueError, pa.ArrowException) as error:
            raise _unreadable(self._path, error) from error


class Vectors:
    """The vector tables of an index by GraphRAG 3's names; a table that is not there is missing from `tables`."""

    def __init__(self, path: Path, tables: dict[str, VectorTable]) -> None:
        self.path = path
        self.tables = tables

    @property
    def dimension(self) -> int | None:
        """The length of the vectors, or None where the tables do not agree."""
        lengths = {table.dimension for table in self.tables.values()}
        return lengths.pop() if len(lengths) == 1 else None


def vector_folders(output: Path) -> dict[str, Path]:
    """The folders of the vector tables beside an index's tables, by GraphRAG 3's names; {} where there are none.

    Looks at names only: no table is opened and LanceDB is not imported.
    """
    folder = output / LANCEDB_NAME
    found: dict[str, Path] = {}
    for name in VECTOR_TABLES:
        for candidate in (name, *OLDER_NAMES[name]):
            path = folder / f"{candidate}{_SUFFIX}"
            if name not in found and path.is_dir():
                found[name] = path
    return found


def open_vectors(output: Path) -> Vectors | None:
    """Open the vectors in `output/lancedb` for reading, or None where there are none.

    Raises OpenError, in one sentence, where a table is damaged or has other columns.
    """
    folders = vector_folders(output)
    if not folders:
        return None
    folder = output / LANCEDB_NAME
    connection = lancedb_at(folder)
    tables: dict[str, VectorTable] = {}
    for name, path in folders.items():
        try:
            tables[name] = VectorTable(name, connection.open_table(path.name.removesuffix(_SUFFIX)), path)
        except (OSError, RuntimeError, ValueError, KeyError, AttributeError, pa.ArrowException) as error:
            raise _unreadable(path, error) from error
    return Vectors(folder, tables)


def no_lancedb() -> str:
    """Why vectors can neither be read nor written on this machine, in one sentence; "" where they can."""
    if find_spec("lancedb") is not None:
        return ""
    return (
        "LanceDB, which keeps vectors, is not installed (it is not made for every machine); everything else is whole. "
        "Where there is one for this machine: pip install lancedb"
    )


def import_lancedb() -> Any:
    """The module, its log held to errors: it warns of every table that it makes. Takes two seconds the first time.

    Raises OpenError where it is not installed.
    """
    if (sentence := no_lancedb()) != "":
        raise OpenError(sentence)
    os.environ.setdefault("LANCE_LOG", "error")
    import lancedb

    return lancedb


def lancedb_at(folder: Path) -> Any:
    """LanceDB's connection to a folder. Raises OpenError where LanceDB is not installed."""
    return import_lancedb().connect(str(folder))


def _matrix(rows: pa.Table, dimension: int) -> Any:
    column = rows.column("vector").combine_chunks()
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    return column.flatten().to_numpy(zero_copy_only=False).reshape(len(column), dimension)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _unreadable(path: Path, error: Exception) -> OpenError:
    reason = (str(error).splitlines() or [type(error).__name__])[0][:160]
    return OpenError(
        f"The vectors in {path} cannot be read ({reason}); nothing was changed. "
        "Make the vectors again, or ask in a way that needs none (global, dynamic)."
    )
