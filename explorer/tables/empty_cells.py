"""Which cells of a table's text columns are empty (null), where that matters: rows have an empty text for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import pyarrow as pa

    from explorer.tables.index import Index

R = TypeVar("R")
NAN = "nan"  # the word that GraphRAG 3 writes for such a cell, because the frames it reads hold a number there


def empty_cells(index: Index, name: str, columns: Sequence[str], rows: int) -> dict[str, frozenset[int]]:
    """Column → the rows, from 0, whose text is null; columns without such a row are left out.

    {} where the table is csv, of an old naming, or has not `rows` rows: then its rows are not those of the file. The
    file's own statistics say of nearly every table that there is nothing to read.
    """
    suspects = [column for column in columns if index.may_be_null(name, column)]
    table = index.arrow(name, suspects) if suspects else None
    if table is None or table.num_rows != rows:
        return {}
    found = {column: _places(table, column) for column in suspects}
    return {column: places for column, places in found.items() if places}


def as_graphrag_reads(index: Index, name: str, rows: list[R], columns: Sequence[str]) -> list[R]:
    """All rows of a table with the word that GraphRAG reads for each empty cell of the columns; the list itself where
    there is none."""
    cells = empty_cells(index, name, columns, len(rows))
    if not cells:
        return rows
    found: list[Any] = list(rows)
    for column, places in cells.items():
        for place in places:
            found[place] = replace(found[place], **{column: NAN})
    return found


def _places(table: pa.Table, column: str) -> frozenset[int]:
    import pyarrow as pa

    if column not in table.column_names or not (
        pa.types.is_string(table[column].type) or pa.types.is_large_string(table[column].type)
    ):
        return frozenset()
    flags = table[column].is_null().to_pylist()
    return frozenset(place for place, null in enumerate(flags) if null)
