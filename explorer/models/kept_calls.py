"""A call store read without changing it: what an index's calls were, long after the run that made them.

The file is neither made nor brought to another version, and replies are read only for a call that is opened: a list
of 100,000 calls needs none of them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple
from urllib.parse import quote

from explorer.base.errors import StorageError
from explorer.base.fates import CallFate
from explorer.models.call_schema import refuse_newer, store_error, version_of
from explorer.models.stored_call import StoredCall, unpack_attempts, unpack_messages

_ASKED = 500  # rows in one statement
_SINCE_2 = {"subject": "''", "messages": "NULL", "attempts": "NULL", "note": "''", "cost": "NULL",
            "billed_prompt_tokens": "0", "billed_output_tokens": "0", "base": "''", "parts": "''"}  # fmt: skip
_LISTED = (
    "id", "key", "stage", "fate", "subject", "model", "billed_prompt_tokens", "billed_output_tokens", "cost",
    "seconds", "retries", "error", "note",
)  # fmt: skip
_OPENED = (
    "key", "stage", "reply", "model", "fate", "prompt_tokens", "output_tokens", "seconds", "retries", "error",
    "subject", "messages", "attempts", "note", "cost", "billed_prompt_tokens", "billed_output_tokens", "base", "parts",
    "made",
)  # fmt: skip


class KeptCall(NamedTuple):
    """One record of a call, without its texts; tokens are those charged, `id` counts up with time."""

    id: int
    key: str
    stage: str
    fate: str
    subject: str
    model: str
    prompt_tokens: int
    output_tokens: int
    cost: float | None
    seconds: float
    retries: int
    error: str | None
    note: str


class KeptCalls:
    """A context manager over one call store. Raises StorageError, in one sentence, for a file that is damaged, was
    written by a newer version, or cannot be read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection = self._open()

    def records(self, stages: Sequence[str]) -> Iterator[tuple[KeptCall, bool]]:
        """Every record of calls to a model in these stages, oldest first, and whether it is the newest under its key.

        What the offline analyst read was no call.
        """
        marks = ", ".join("?" * len(stages))
        spoken = "" if self._version < 2 else " AND NOT (attempts IS NULL AND messages IS NULL)"
        with self._guard() as connection:
            if self._version:
                rows = connection.execute(
                    f"SELECT {self._columns(_LISTED)}, id IN (SELECT max(id) FROM calls GROUP BY key) FROM calls"
                    f" WHERE stage IN ({marks}){spoken} ORDER BY id",
                    tuple(stages),
                )
                for row in rows:
                    yield KeptCall._make(row[:-1]), bool(row[-1])

    def rows(self, ids: Sequence[int]) -> list[KeptCall]:
        """The records of these ids, in their order."""
        found = {row[0]: KeptCall._make(row) for row in self._by_id(_LISTED, ids)}
        return [found[id] for id in ids if id in found]

    def without_vectors(self, ids: Sequence[int]) -> set[int]:
        """Those of the calls for vectors of which a text still has none."""
        parts = {row[0]: row[1].split() for row in self._by_id(("id", "parts"), ids)}
        wanted = list(dict.fromkeys(part for keys in parts.values() for part in keys))
        have: set[str] = set()
        with self._guard() as connection:
            for slice in _slices(wanted):
                marks = ", ".join("?" * len(slice))
                rows = connection.execute(
                    f"SELECT key FROM vectors WHERE key IN ({marks})", [bytes.fromhex(key) for key in slice]
                )
                have.update(bytes(row[0]).hex() for row in rows)
        return {id for id, keys in parts.items() if not keys or any(key not in have for key in keys)}

    def last_id(self) -> int:
        """The id of the newest record, 0 where there is none."""
        with self._guard() as connection:
            return int(connection.execute("SELECT max(id) FROM calls").fetchone()[0] or 0) if self._version else 0

    def open_call(self, key: str) -> StoredCall | None:
        """Everything of the newest record under a key, as `CallStore.open_call`."""
        with self._guard() as connection:
            row = None
            if self._version:
                row = connection.execute(
                    f"SELECT {self._columns(_OPENED)} FROM calls WHERE key = ? ORDER BY id DESC LIMIT 1", (key,)
                ).fetchone()
            if row is None:
                return None
            values: dict[str, Any] = dict(zip(_OPENED, row, strict=True))
            values["messages"] = unpack_messages(connection, values["messages"])
        values["fate"] = CallFate(values["fate"])
        values["attempts"] = unpack_attempts(values["attempts"], values["reply"])
        values["parts"] = tuple(values["parts"].split())
        return StoredCall(**values)

    def __enter__(self) -> KeptCalls:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def _by_id(self, names: Sequence[str], ids: Sequence[int]) -> Iterator[tuple[Any, ...]]:
        with self._guard() as connection:
            for slice in _slices(ids):
                marks = ", ".join("?" * len(slice))
                yield from connection.execute(f"SELECT {self._columns(names)} FROM calls WHERE id IN ({marks})", slice)

    def _columns(self, names: Sequence[str]) -> str:
        """What a file of the first version has not yet stands in as empty."""
        return ", ".join(_SINCE_2.get(name, name) if self._version < 2 else name for name in names)

    def _open(self) -> sqlite3.Connection:
        # As a writer that only asks: who merely reads a file with a log beside it leaves that log behind. A medium
        # that cannot be written to has no writer either: there the file is read as it stands.
        try:
            return self._try("mode=rw")
        except sqlite3.OperationalError:
            try:
                return self._try("mode=ro&immutable=1")
            except sqlite3.Error as error:
                raise _sentence(self.path, error) from error
        except sqlite3.Error as error:
            raise _sentence(self.path, error) from error

    def _try(self, mode: str) -> sqlite3.Connection:
        address = f"file:{quote(self.path.absolute().as_posix())}?{mode}"
        connection = sqlite3.connect(address, uri=True, timeout=30.0, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA query_only = ON")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            refuse_newer(connection, self.path)
            self._version = version_of(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def _guard(self) -> Iterator[sqlite3.Connection]:
        try:
            yield self._connection
        except sqlite3.Error as error:
            raise _sentence(self.path, error) from error


def _sentence(path: Path, error: sqlite3.Error) -> StorageError:
    said = store_error(path, error)
    if said.sentence.startswith(f"{path} is damaged"):
        return said
    return StorageError(f"{path} cannot be read ({error}); it was left as it is, and the index itself is whole.")


def _slices(values: Iterable[Any]) -> Iterator[list[Any]]:
    wanted = list(values)
    for at in range(0, len(wanted), _ASKED):
        yield wanted[at : at + _ASKED]
