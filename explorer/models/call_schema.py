"""The tables of a call store, and how a file of an older version becomes one of this."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from explorer.base.errors import StorageError
from explorer.base.files import database_error

VERSION = 2

# What each version added; a file goes through all that came after its own.
_STEPS = {
    1: """
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
""",
    2: """
ALTER TABLE calls ADD COLUMN subject TEXT NOT NULL DEFAULT '';
ALTER TABLE calls ADD COLUMN messages TEXT;
ALTER TABLE calls ADD COLUMN attempts TEXT;
ALTER TABLE calls ADD COLUMN note TEXT NOT NULL DEFAULT '';
ALTER TABLE calls ADD COLUMN cost REAL;
ALTER TABLE calls ADD COLUMN billed_prompt_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE calls ADD COLUMN billed_output_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE calls ADD COLUMN base TEXT NOT NULL DEFAULT '';
ALTER TABLE calls ADD COLUMN parts TEXT NOT NULL DEFAULT '';
CREATE INDEX calls_by_base ON calls (base, id) WHERE base <> '';
CREATE TABLE texts (id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, text TEXT NOT NULL);
CREATE TABLE vectors (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, vector BLOB NOT NULL);
CREATE TABLE repeats (key TEXT PRIMARY KEY, ordinal INTEGER NOT NULL) WITHOUT ROWID;
""",
}


def prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Make the tables, or bring those of an older version up to this one, in one transaction.

    Raises StorageError where a newer version of the program wrote the file; nothing is then changed.
    """
    refuse_newer(connection, path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")  # a paid reply outlives the machine, not only the process
    if version_of(connection) == VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for version in range(version_of(connection) + 1, VERSION + 1):  # asked again: another process may be first
            for statement in _STEPS[version].split(";"):
                if statement.strip():
                    connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def refuse_newer(connection: sqlite3.Connection, path: Path) -> None:
    """Raises StorageError where a newer version of the program wrote the file."""
    if version_of(connection) > VERSION:
        raise StorageError(
            f"{path} was written by a newer version of this program; nothing was changed. "
            "Open it with that version, or move the file away to start a new one."
        )


def version_of(connection: sqlite3.Connection) -> int:
    """The version that wrote the file; 0 of one without tables."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def store_error(path: Path, error: sqlite3.Error) -> StorageError:
    """What SQLite says about a call store, in one sentence."""
    text = str(error)
    if "not a database" in text or "malformed" in text:
        return StorageError(
            f"{path} is damaged and cannot be read; it was left as it is. "
            "Move it away and start again: the calls in it will be made again."
        )
    return database_error(path, error)
