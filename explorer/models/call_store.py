"""Every call to a model as a stored fact: one SQLite file, one commit a reply.

A reply is kept under a hash of all that shaped it (address, model, parameters, messages, schema, and an ordinal that
counts deliberate repeats). The newest well-formed reply stands; failed and malformed calls are recorded but never
served. Readings of the offline analyst are kept in the same way, so that a stopped run goes on where it was.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from explorer.base.errors import StorageError
from explorer.base.fates import SERVED_CALLS, CallFate
from explorer.base.files import storage_error
from explorer.base.valid_text import valid_text
from explorer.models.call_schema import VERSION, prepare, store_error
from explorer.models.stored_call import (
    StoredCall,
    call_key,
    digest,
    pack_attempts,
    unpack_attempts,
    unpack_messages,
)

__all__ = ["VERSION", "CallStore", "StoredCall", "call_key"]

CALLS_NAME = "calls.sqlite"  # the store of an index, in its home
_COLUMNS = (
    "key, stage, reply, model, fate, prompt_tokens, output_tokens, seconds, retries, error, subject, messages,"
    " attempts, note, cost, billed_prompt_tokens, billed_output_tokens, base, parts, made"
)
_PLACES = ", ".join("?" * (_COLUMNS.count(",") + 1))
_ASKED = 500  # keys in one statement


class CallStore:
    """The calls of one index. Safe from several threads of one process; a context manager.

    Reading and writing have a connection each: who asks for a reply never waits for a commit of another.
    Raises StorageError, in one sentence, where the file cannot be opened, read or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._reading = threading.RLock()
        self._writing = threading.RLock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise storage_error(path, error) from error
        self._writer: sqlite3.Connection | None = self._open(write=True)
        try:
            self._reader: sqlite3.Connection | None = self._open(write=False)
            with self._guard() as connection:
                rows = connection.execute("SELECT key, ordinal FROM repeats").fetchall()
        except BaseException:
            self._writer.close()
            raise
        self._repeats: dict[str, int] = {key: int(ordinal) for key, ordinal in rows}

    def get(self, key: str) -> StoredCall | None:
        """The newest well-formed reply under a key, or None. Without its messages: `open_call` has them."""
        with self._guard() as connection:
            row = connection.execute(
                f"SELECT {_COLUMNS} FROM calls WHERE key = ? AND fate IN (?, ?) ORDER BY id DESC LIMIT 1",
                (key, *SERVED_CALLS),
            ).fetchone()
        return None if row is None else _call(row)

    def newest(self, key: str) -> StoredCall | None:
        """The newest record under a key, whatever its fate, or None; without its messages."""
        with self._guard() as connection:
            row = connection.execute(
                f"SELECT {_COLUMNS} FROM calls WHERE key = ? ORDER BY id DESC LIMIT 1", (key,)
            ).fetchone()
        return None if row is None else _call(row)

    def open_call(self, key: str) -> StoredCall | None:
        """Everything of the newest call under a key: messages, raw reply, attempts, note; None where there is none."""
        found = self.newest(key)
        if found is None:
            return None
        with self._guard() as connection:
            packed = connection.execute(
                "SELECT messages FROM calls WHERE key = ? ORDER BY id DESC LIMIT 1", (key,)
            ).fetchone()[0]
            return replace(found, messages=unpack_messages(connection, packed))

    def known(self, keys: Iterable[str]) -> set[str]:
        """Those of the keys that `get` would serve."""
        return {
            row[0]
            for part in _slices(keys)
            for row in self._ask(
                f"SELECT DISTINCT key FROM calls WHERE key IN ({_marks(part)}) AND fate IN (?, ?)",
                (*part, *SERVED_CALLS),
            )
        }

    def failures(self, stages: Iterable[str] | None = None, *, since: float = 0.0) -> list[StoredCall]:
        """The newest record of each call that has no well-formed reply (failed, malformed or cancelled), oldest first.

        `stages` keeps those of some stages, `since` those kept at or after a time (seconds since 1970). Of a call that
        was repeated by hand only the last repeat counts; of one for vectors only texts that still have none.
        """
        rows = self._ask(
            f"SELECT {_COLUMNS} FROM calls WHERE id IN (SELECT max(id) FROM calls GROUP BY key) AND made >= ?"
            " AND fate NOT IN (?, ?) AND key NOT IN (SELECT key FROM calls WHERE fate IN (?, ?)) ORDER BY id",
            (since, *SERVED_CALLS, *SERVED_CALLS),
        )
        wanted = None if stages is None else set(stages)
        calls = [call for call in map(_call, rows) if wanted is None or call.stage in wanted]
        calls = [call for call in calls if not call.base or self._is_last_repeat(call)]
        have = self.known_vectors(part for call in calls for part in call.parts)
        return [call for call in calls if not call.parts or any(part not in have for part in call.parts)]

    def put(self, call: StoredCall) -> None:
        """Keep a call. When this returns, the call outlives the process."""
        self.put_all([call])

    def put_all(self, calls: Sequence[StoredCall], vectors: Mapping[str, bytes] | None = None) -> None:
        """Keep several calls, and vectors by their keys, in one commit: all or none."""
        made = time.time()
        texts = {digest(text): valid_text(text) for call in calls for _, text in call.messages}
        with self._write() as connection:
            connection.executemany("INSERT OR IGNORE INTO texts (digest, text) VALUES (?, ?)", texts.items())
            connection.executemany(
                "INSERT OR REPLACE INTO vectors (key, vector) VALUES (?, ?)",
                [(bytes.fromhex(key), vector) for key, vector in (vectors or {}).items()],
            )
            connection.executemany(
                f"INSERT INTO calls ({_COLUMNS}) VALUES ({_PLACES})", [_row(call, made) for call in calls]
            )

    def vectors(self, keys: Iterable[str]) -> dict[str, bytes]:
        """The stored vectors under these keys: little-endian 32-bit floats."""
        found: dict[str, bytes] = {}
        for part in _slices(keys):
            rows = self._ask(
                f"SELECT key, vector FROM vectors WHERE key IN ({_marks(part)})", [bytes.fromhex(k) for k in part]
            )
            found.update((bytes(key).hex(), bytes(vector)) for key, vector in rows)
        return found

    def known_vectors(self, keys: Iterable[str]) -> set[str]:
        """Those of the keys under which a vector is stored."""
        return {
            bytes(row[0]).hex()
            for part in _slices(keys)
            for row in self._ask(
                f"SELECT key FROM vectors WHERE key IN ({_marks(part)})", [bytes.fromhex(k) for k in part]
            )
        }

    def repeat(self, key: str) -> int:
        """Have a call made again, by hand: raise its ordinal by one, and return how often it was raised.

        `key` may be that of the call or of an earlier repeat. What it brought before stays in the store.
        """
        found = self.newest(key)
        base = found.base if found is not None and found.base else key
        ordinal = self._repeats.get(base, 0) + 1
        with self._write() as connection:
            connection.execute("INSERT OR REPLACE INTO repeats (key, ordinal) VALUES (?, ?)", (base, ordinal))
        self._repeats[base] = ordinal
        return ordinal

    def repeats(self, key: str) -> int:
        """How often the call of a key was repeated by hand."""
        return self._repeats.get(key, 0)

    def history(self, key: str) -> list[StoredCall]:
        """Every call made under a key, failed ones too, oldest first; without their messages."""
        return [_call(row) for row in self._ask(f"SELECT {_COLUMNS} FROM calls WHERE key = ? ORDER BY id", (key,))]

    def close(self) -> None:
        """Close the file. A second call does nothing."""
        with self._writing, self._reading:
            for connection in (self._reader, self._writer):
                if connection is not None:
                    connection.close()
            self._reader = self._writer = None

    def __enter__(self) -> CallStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _is_last_repeat(self, call: StoredCall) -> bool:
        newest = self._ask("SELECT key FROM calls WHERE base = ? OR key = ? ORDER BY id DESC LIMIT 1", (call.base,) * 2)
        return bool(newest) and newest[0][0] == call.key

    def _open(self, *, write: bool) -> sqlite3.Connection:
        try:
            connection = sqlite3.connect(self.path, timeout=30.0, isolation_level=None, check_same_thread=False)
        except sqlite3.Error as error:
            raise self._sentence(error) from error
        try:
            if write:
                prepare(connection, self.path)
        except BaseException as error:
            connection.close()
            if isinstance(error, sqlite3.Error):
                raise self._sentence(error) from error
            raise
        return connection

    def _ask(self, statement: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        with self._guard() as connection:
            return connection.execute(statement, values).fetchall()

    @contextmanager
    def _guard(self) -> Iterator[sqlite3.Connection]:
        """The connection for reading, one thread at a time; errors of SQLite as one sentence."""
        with self._reading:
            if self._reader is None:
                raise self._closed()
            try:
                yield self._reader
            except sqlite3.Error as error:
                raise self._sentence(error) from error

    @contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        """The connection for writing, in one transaction."""
        with self._writing:
            connection = self._writer
            if connection is None:
                raise self._closed()
            try:
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield connection
                    connection.execute("COMMIT")
                except BaseException:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                    raise
            except sqlite3.Error as error:
                raise self._sentence(error) from error

    def _closed(self) -> StorageError:
        return StorageError(f"{self.path} was closed before it was asked; this is a fault of the program.")

    def _sentence(self, error: sqlite3.Error) -> StorageError:
        return store_error(self.path, error)


def _slices(keys: Iterable[str]) -> Iterator[list[str]]:
    wanted = list(keys)
    for at in range(0, len(wanted), _ASKED):
        yield wanted[at : at + _ASKED]


def _marks(part: Sequence[str]) -> str:
    return ",".join("?" * len(part))


def _row(call: StoredCall, made: float) -> tuple[object, ...]:
    messages = json.dumps([[role, digest(text).hex()] for role, text in call.messages]) if call.messages else None
    reply = valid_text(call.reply)
    return (
        call.key, call.stage, reply, call.model, call.fate.value, call.prompt_tokens, call.output_tokens,
        call.seconds, call.retries, None if call.error is None else valid_text(call.error), valid_text(call.subject),
        messages, pack_attempts(call.attempts, call.reply) if call.attempts else None, valid_text(call.note), call.cost,
        call.billed_prompt_tokens, call.billed_output_tokens, call.base, " ".join(call.parts), made,
    )  # fmt: skip


def _call(row: Sequence[Any]) -> StoredCall:
    values: dict[str, Any] = dict(zip(_COLUMNS.replace(" ", "").split(","), row, strict=True))
    values["fate"] = CallFate(values["fate"])
    values["messages"] = ()
    values["attempts"] = unpack_attempts(values["attempts"], values["reply"])
    values["parts"] = tuple(values["parts"].split())
    return StoredCall(**values)
