"""Arrow's columns as Python values, in slices: making the values holds the interpreter until it is done."""

from __future__ import annotations

from collections.abc import Iterator
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
            found.extend(chunk.slice(start, length).to_pylist())
    return found


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
