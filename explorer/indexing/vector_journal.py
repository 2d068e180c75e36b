"""Vectors that were made and are not in the tables yet: a stop or a kill keeps them, and the next run goes on."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from explorer.base.files import database_error

if TYPE_CHECKING:
    import numpy as np

JOURNAL_NAME = "vectors.part.sqlite"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS made_by (model TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS vectors (hash TEXT PRIMARY KEY, numbers BLOB NOT NULL) WITHOUT ROWID;
"""


class VectorJournal:
    """An SQLite file with vectors by the hash of their text, one commit a batch; those of another model are dropped.

    Raises StorageError where the disk is full or refuses.
    """

    def __init__(self, home: Path, model: str) -> None:
        self._path = home / JOURNAL_NAME
        try:
            self._open(model)
        except sqlite3.DatabaseError:
            self._close()
            self._path.unlink(missing_ok=True)  # damaged: what it held is made again
            self._guard(lambda: self._open(model))

    def __enter__(self) -> VectorJournal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def hashes(self) -> set[str]:
        return {row[0] for row in self._guard(lambda: self._base.execute("SELECT hash FROM vectors").fetchall())}

    @property
    def dimension(self) -> int | None:
        """The length of the vectors in it, None where it is empty."""
        row = self._guard(lambda: self._base.execute("SELECT length(numbers) FROM vectors LIMIT 1").fetchone())
        return int(row[0]) // 4 if row else None

    def add(self, vectors: Mapping[str, Sequence[float]]) -> None:
        """Keep vectors by hash, in one commit."""
        import numpy as np

        rows = [(name, np.asarray(vector, dtype="<f4").tobytes()) for name, vector in vectors.items()]

        def write() -> None:
            with self._base:
                self._base.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)

        self._guard(write)

    def read(self, hashes: Iterable[str]) -> dict[str, np.ndarray[Any, Any]]:
        """The vectors of those hashes that are in it."""
        import numpy as np

        found: dict[str, np.ndarray[Any, Any]] = {}
        for name in hashes:
            row = self._base.execute("SELECT numbers FROM vectors WHERE hash = ?", (name,)).fetchone()
            if row is not None:
                found[name] = np.frombuffer(row[0], dtype="<f4")
        return found

    def clear(self) -> None:
        """Drop what is in it."""

        def write() -> None:
            with self._base:
                self._base.execute("DELETE FROM vectors")

        self._guard(write)

    def discard(self) -> None:
        """Close it and take it away: the tables hold everything."""
        self._close()
        self._path.unlink(missing_ok=True)

    def _open(self, model: str) -> None:
        # LanceDB draws rows on a thread of its own while the one that opened this waits.
        self._base = sqlite3.connect(self._path, check_same_thread=False)
        with self._base:
            self._base.executescript(_SCHEMA)
            row = self._base.execute("SELECT model FROM made_by").fetchone()
            if row is None or row[0] != model:
                self._base.execute("DELETE FROM vectors")
                self._base.execute("DELETE FROM made_by")
                self._base.execute("INSERT INTO made_by VALUES (?)", (model,))

    def _close(self) -> None:
        with contextlib.suppress(AttributeError, sqlite3.Error):
            self._base.close()

    def _guard(self, work: Any) -> Any:
        try:
            return work()
        except sqlite3.Error as error:
            raise database_error(self._path, error) from error


def has_journal(home: Path) -> bool:
    """Whether vectors were begun and are not in the tables yet."""
    return (home / JOURNAL_NAME).is_file()
