"""Arrow's columns as Python values, in slices: making the values holds the interpreter until it is done."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 4_096
BYTES = 1 << 18
"""At most so many rows and bytes a slice (one row is never cut): some milliseconds of conversion."""


def values(column: pa.ChunkedArray) -> list[Any]:
    """What `column.to_pylist()` returns. Other threads run between the slices. Raises what it raises."""
    found: list[Any] = []
    for chunk in column.chunks:
        for start, length in slices(chunk):
            found.extend(_values(chunk.slice(start, length)))
    return found


def _values(array: pa.Array) -> list[Any]:
    """`to_pylist`; of lists the items are made all at once and cut, which takes a quarter of the time."""
    import pyarrow as pa

    if not pa.types.is_list(array.type) or pa.types.is_nested(array.type.value_type):
        made: list[Any] = array.to_pylist()
        return made
    if array.null_count:
        return [None if value is None else list(value) for value in array.to_pylist()]
    ends: list[int] = array.offsets.to_pylist()
    first = ends[0] if ends else 0
    # Not `flatten()`: that imports all of Arrow's functions.
    items: list[Any] = array.values.slice(first, ends[-1] - first if ends else 0).to_pylist()
    return [items[start - first : end - first] for start, end in pairwise(ends)]


def slices(array: pa.Array) -> Iterator[tuple[int, int]]:
    """(start, length) of neighbouring slices of an array, each within ROWS and BYTES or of one row."""
    pending = [(start, min(ROWS, len(array) - start)) for start in range(0, len(array), ROWS)][::-1]
    while pending:
        start, length = pending.pop()
        if length > 1 and array.slice(start, length).nbytes > BYTES:
            half = length // 2
            pending += [(start + half, length - half), (start, half)]
        else:
            yield start, length
