"""Every call to a model as a stored fact: one SQLite file, one commit a reply.

A reply is kept under a hash of all that shaped it (address, model, parameters, messages, schema, and an ordinal that
counts deliberate repeats). The newest well-formed reply stands; failed and malformed calls are recorded but never
served. Readings of the offline analyst are kept in the same way, so that a stopped run goes on where it was.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from explorer.base.errors import StorageError
from explorer.base.fates import CallFate
from explorer.base.files import database_error, storage_error

VERSION = 1
_COLUMNS = "key, stage, reply, model, fate, prompt_tokens, output_tokens, seconds, retries, error"
_SERVED = (CallFate.OK.value, CallFate.REPAIRED.value)

_SCHEMA = """
CREATE TABLE IF NOT EXISTS calls (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    stage TEXT NOT NULL,
    fate TEXT NOT NULL,
    reply TEXT NOT NULL,
    model TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    seconds REAL NOT NULL,
    retries INTEGER NOT NULL,
    error TEXT,
    made REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS calls_by_key ON calls (key, id);
"""


@dataclass(frozen=True, slots=True)
class StoredCall:
    """One call as it was made. `fate` is ok, repaired, malformed, failed or cancelled; `seconds` is its wall time."""

    key: str
    stage: str
    reply: str
    model: str = ""
    fate: CallFate = CallFate.OK
    prompt_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    retries: int = 0
    error: str | None = None


def call_key(
    *,
    base_url: str,
    model: str,
    messages: Sequence[tuple[str, str]],
    parameters: Mapping[str, object] | None = None,
    schema: Mapping[str, object] | None = None,
    ordinal: int = 0,
) -> str:
    """The SHA-256 in hex under which a call is kept.

    Parameters
    ----------
    messages: (role, content) in their order.
    parameters: what else was sent (temperature, max_tokens …); the order of the names does not matter.
    schema: the JSON schema that was asked for, or None.
    ordinal: 0 for the first asking, 1, 2 … for deliberate repeats and retries by hand.
    """
    value = [base_url, model, dict(parameters or {}), [list(message) for message in messages], schema, ordinal]
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


class CallStore:
    """The calls of one index. Safe from several threads of one process; a context manager.

    Raises StorageError, in one sentence, where the file cannot be opened, read or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise storage_error(path, error) from error
        try:
            connection = sqlite3.connect(path, timeout=30.0, isolation_level=None, check_same_thread=False)
        except sqlite3.Error as error:
            raise self._sentence(error) from error
        try:
            self._prepare(connection)
        except BaseException as error:
            connection.close()
            if isinstance(error, sqlite3.Error):
                raise self._sentence(error) from error
            raise
        self._connection: sqlite3.Connection | None = connection

    def get(self, key: str) -> StoredCall | None:
        """The newest well-formed reply under a key, or None."""
        with self._guard() as connection:
            row = connection.execute(
                f"SELECT {_COLUMNS} FROM calls WHERE key = ? AND fate IN (?, ?) ORDER BY id DESC LIMIT 1",
                (key, *_SERVED),
            ).fetchone()
        return None if row is None else _call(row)

    def known(self, keys: Iterable[str]) -> set[str]:
        """Those of the keys that `get` would serve."""
        found: set[str] = set()
        wanted = list(keys)
        with self._guard() as connection:
            for at in range(0, len(wanted), 500):
                part = wanted[at : at + 500]
                marks = ",".join("?" * len(part))
                rows = connection.execute(
                    f"SELECT DISTINCT key FROM calls WHERE key IN ({marks}) AND fate IN (?, ?)", (*part, *_SERVED)
                )
                found.update(row[0] for row in rows)
        return found

    def put(self, call: StoredCall) -> None:
        """Keep a call. When this returns, the call outlives the process."""
        self.put_all([call])

    def put_all(self, calls: Sequence[StoredCall]) -> None:
        """Keep several calls in one commit: all or none."""
        made = time.time()
        rows = [
            (
                call.key, call.stage, call.fate.value, call.reply, call.model, call.prompt_tokens, call.output_tokens,
                call.seconds, call.retries, call.error, made,
            )
            for call in calls
        ]  # fmt: skip
        with self._guard() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                connection.executemany(
                    "INSERT INTO calls (key, stage, fate, reply, model, prompt_tokens, output_tokens, seconds, retries,"
                    " error, made) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    rows,
                )
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def history(self, key: str) -> list[StoredCall]:
        """Every call made under a key, failed ones too, oldest first."""
        with self._guard() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM calls WHERE key = ? ORDER BY id",
                (key,),
            ).fetchall()
        return [_call(row) for row in rows]

    def close(self) -> None:
        """Close the file. A second call does nothing."""
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    def __enter__(self) -> CallStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")  # a paid reply outlives the machine, not only the process
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if version > VERSION:
            raise StorageError(
                f"{self.path} was written by a newer version of this program; nothing was changed. "
                "Open it with that version, or move the file away to start a new one."
            )
        if version < VERSION:
            connection.execute("BEGIN IMMEDIATE")
            for statement in _SCHEMA.split(";"):
                if statement.strip():
                    connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {VERSION}")
            connection.execute("COMMIT")

    @contextmanager
    def _guard(self) -> Iterator[sqlite3.Connection]:
        """The connection, one thread at a time; errors of SQLite as one sentence."""
        with self._lock:
            if self._connection is None:
                raise StorageError(f"{self.path} was closed before it was asked; this is a fault of the program.")
            try:
                yield self._connection
            except sqlite3.Error as error:
                raise self._sentence(error) from error

    def _sentence(self, error: sqlite3.Error) -> StorageError:
        text = str(error)
        if "not a database" in text or "malformed" in text:
            return StorageError(
                f"{self.path} is damaged and cannot be read; it was left as it is. "
                "Move it away and start again: the calls in it will be made again."
            )
        return database_error(self.path, error)


def _call(row: tuple[str, str, str, str, str, int, int, float, int, str | None]) -> StoredCall:
    key, stage, reply, model, fate, prompt_tokens, output_tokens, seconds, retries, error = row
    return StoredCall(key, stage, reply, model, CallFate(fate), prompt_tokens, output_tokens, seconds, retries, error)
