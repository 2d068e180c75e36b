"""The memberships of a large index, kept in its home: reading them from the tables takes a plan a tenth of its time."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import BadZipFile

import numpy as np

from explorer.base.errors import StorageError
from explorer.base.files import write_atomic
from explorer.tables.memberships import Memberships
from explorer.tables.sources import file_mark

if TYPE_CHECKING:
    from explorer.tables.index import Index

KEPT = "memberships.npz"
_WORTH = 50_000  # memberships from which on they are kept
_PARTS = ("number", "level", "place", "entity", "unit_start", "unit")
_COUNTS = "unit_counts"  # made from the others, in a third of the time that all takes
_READ = ("entities", "communities")


def kept_memberships(index: Index, read: Callable[[Index], Memberships | None]) -> Memberships | None:
    """The memberships that were kept of the same files (by name, size and time), else those that `read` gives; None
    where it gives none."""
    marks = _marks(index)
    found = _load(index.home / KEPT, marks) if marks else None
    if found is not None:
        return found
    found = read(index)
    if found is not None and marks and len(found.place) >= _WORTH:
        with contextlib.suppress(OSError, StorageError):  # a home that cannot be written costs the reading alone
            write_atomic(index.home / KEPT, lambda path: _save(path, found, marks))
    return found


def _marks(index: Index) -> str:
    """What tells the files of the tables from others; "" where one is not plain."""
    paths = [index.plain_file(name) for name in _READ]
    try:
        return json.dumps([file_mark(path) for path in paths if path is not None]) if all(paths) else ""
    except OSError:
        return ""


def _save(path: Path, found: Memberships, marks: str) -> None:
    with path.open("wb") as handle:
        parts = {name: getattr(found, name) for name in (*_PARTS, _COUNTS)}
        np.savez(handle, marks=np.array(marks), known=np.array(found.known), **parts)


def _load(path: Path, marks: str) -> Memberships | None:
    try:
        with path.open("rb") as handle, np.load(handle, allow_pickle=False) as kept:
            if str(kept["marks"]) != marks:
                return None
            found = Memberships(known=int(kept["known"]), **{name: kept[name] for name in _PARTS})
            vars(found)[_COUNTS] = kept[_COUNTS]
    except (OSError, ValueError, KeyError, EOFError, TypeError, BadZipFile):  # cut off, or another program's
        return None
    return found
