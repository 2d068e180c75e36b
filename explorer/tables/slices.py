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

_DIFFERENT = 0.8  # of the values of a column: with more, looking for equal ones costs more than it saves


def values(column: pa.ChunkedArray) -> list[Any]:
    """What `column.to_pylist()` returns; texts that repeat are one object, which halves what names and ids take.
    Other threads run between the slices. Raises what it raises."""
    found: list[Any] = []
    known = _Known()
    for chunk in column.chunks:
        for start, length in slices(chunk):
            found.extend(_values(chunk.slice(start, length), known))
    return found


def _values(array: pa.Array, known: _Known) -> list[Any]:
    """`to_pylist`; of lists the items are made all at once and cut, which takes a quarter of the time."""
    import pyarrow as pa

    if pa.types.is_string(array.type):
        return known.shared(array.to_pylist())
    if not pa.types.is_list(array.type) or pa.types.is_nested(array.type.value_type):
        made: list[Any] = array.to_pylist()
        return made
    if array.null_count:
        return [None if value is None else list(value) for value in array.to_pylist()]
    ends: list[int] = array.offsets.to_pylist()
    first = ends[0] if ends else 0
    # Not `flatten()`: that imports all of Arrow's functions.
    items: list[Any] = array.values.slice(first, ends[-1] - first if ends else 0).to_pylist()
    if pa.types.is_string(array.type.value_type):
        items = known.shared(items)
    return [items[start - first : end - first] for start, end in pairwise(ends)]


def give_back() -> None:
    """Give the memory of columns that are rows now back to the system: Arrow keeps it for the next ones."""
    import pyarrow as pa

    pa.default_memory_pool().release_unused()


class _Known:
    """The texts of a column so far, each once; given up where most of them differ."""

    def __init__(self) -> None:
        self._texts: dict[Any, Any] | None = {}
        self._seen = 0

    def shared(self, texts: list[Any]) -> list[Any]:
        """The same texts; those that came before are the objects of then."""
        if self._texts is not None and self._seen >= ROWS and len(self._texts) > _DIFFERENT * self._seen:
            self._texts = None
        if self._texts is None:
            return texts
        self._seen += len(texts)
        keep = self._texts.setdefault
        return [keep(text, text) for text in texts]


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
