"""Long work in short steps, so that other threads get the interpreter between them.

A sort or a pickle is one call into C, which holds the interpreter from its beginning to its end: of a hundred thousand
rows that is a window that stands still for a quarter of a second.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

T = TypeVar("T")

ROWS = 2_000  # a few milliseconds of any of these calls


def pieces(items: Iterable[T], size: int = ROWS) -> Iterator[list[T]]:
    """The items in lists of `size`; the last may be shorter."""
    source = iter(items)
    while piece := list(islice(source, size)):
        yield piece


def sorted_in_pieces(items: Iterable[T], key: Callable[[T], Any] | None = None) -> list[T]:
    """What `sorted(items, key=key)` returns, equal items in their order; a long one is sorted in pieces and merged."""
    parts = [sorted(piece, key=key) for piece in pieces(items)]  # type: ignore[type-var, arg-type]
    if len(parts) < 2:
        return parts[0] if parts else []
    merge: Callable[..., Iterator[T]] = heapq.merge
    return list(merge(*parts, key=key))
