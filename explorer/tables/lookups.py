"""Look-ups over the rows of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

K = TypeVar("K")
R = TypeVar("R")


def first_by(rows: Iterable[R], key: Callable[[R], K]) -> dict[K, R]:
    """The rows by a key; of several with one key the first."""
    found: dict[K, R] = {}
    for row in rows:
        found.setdefault(key(row), row)
    return found
