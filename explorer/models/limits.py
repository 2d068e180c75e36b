"""Requests and tokens per minute: how much may still go out, counted so that the server sees no 60 seconds with more.

A server counts a request when it arrives, and that is somewhere between sending it and having its reply. A slot is
therefore held from before the request goes out until 60 seconds after its reply came. Slots are kept in a small file
that all programs of this user share, under the name of the connection: a run that is started again within the minute,
or one beside another, counts what the other sent.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from explorer.base.files import database_error

SPAN = 60.0  # seconds
_MARGIN = 0.05  # seconds for what lies between a clock read and the wire
_REAP = 1.0  # seconds between two looks for slots of programs that died

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS slots (id INTEGER PRIMARY KEY, account TEXT NOT NULL, owner TEXT NOT NULL,"
    " ends REAL NOT NULL, tokens INTEGER NOT NULL, settled INTEGER NOT NULL)"
)


@dataclass(frozen=True)
class Slot:
    """A request that is out, and what was reserved for it."""

    number: int
    tokens: int


class RateLimits:
    """The limits of one connection. Not async: `take` says at once whether a request may go out.

    Parameters
    ----------
    requests, tokens: the most in any 60 seconds; None is no limit.
    longest: seconds after which an attempt has ended for certain (its time-out).
    account: whose limits they are; all who share the file and the account share the limits.
    path: the shared file, or None to count for this run alone.
    clock: seconds that run alike for all programs since the machine started.

    Raises sqlite3.Error or OSError from the constructor where the file cannot be used, later StorageError.
    """

    def __init__(
        self,
        requests: int | None,
        tokens: int | None,
        *,
        longest: float = 300.0,
        account: str = "",
        path: Path | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.requests = requests
        self.tokens = tokens
        self._longest = longest
        self._account = account
        self._path = path or Path("limits")
        self._clock = clock
        self._owner = _owner(os.getpid()) or ""
        self._reaped = -_REAP
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
        # Each statement is short; a lock of another program is over in a millisecond.
        self._file = sqlite3.connect(":memory:" if path is None else path, timeout=5.0, isolation_level=None)
        try:
            self._file.execute("PRAGMA journal_mode = WAL")
            self._file.execute("PRAGMA synchronous = OFF")  # it need outlive a killed program, not the machine
            self._file.execute(_SCHEMA)
            self._reap(clock())
        except BaseException:
            self._file.close()
            raise

    def take(self, tokens: int) -> Slot | float:
        """A slot for a request of so many tokens (prompt and expected output), or the seconds until it is worth asking
        again. A request that expects more than the whole limit reserves the whole limit and so goes alone."""
        try:
            return self._take(tokens)
        except sqlite3.Error as error:
            raise database_error(self._path, error) from error

    def _take(self, tokens: int) -> Slot | float:
        now = self._clock()
        if self.tokens is not None:
            tokens = min(tokens, self.tokens)
        self._file.execute("BEGIN IMMEDIATE")
        try:
            self._file.execute("DELETE FROM slots WHERE ends <= ?", (now,))
            count, total, first = self._file.execute(
                "SELECT count(*), coalesce(sum(tokens), 0), min(ends) FROM slots WHERE account = ?", (self._account,)
            ).fetchone()
            fits = (self.requests is None or count < self.requests) and (
                self.tokens is None or total + tokens <= self.tokens
            )
            number = 0
            if fits:
                number = (
                    self._file.execute(
                        "INSERT INTO slots (account, owner, ends, tokens, settled) VALUES (?, ?, ?, ?, 0)",
                        (self._account, self._owner, now + self._longest + SPAN + _MARGIN, tokens),
                    ).lastrowid
                    or 0
                )
        except BaseException:
            self._file.execute("ROLLBACK")
            raise
        self._file.execute("COMMIT")
        if fits:
            return Slot(number, tokens)
        if now - self._reaped >= _REAP:
            self._reap(now)
        return float(max(_MARGIN, min(first - now, _REAP)))

    def settle(self, slot: Slot, tokens: int | None = None) -> None:
        """The request of a slot ended. `tokens` are those it really had, None where the server did not say.

        What it had beyond its reservation counts as well: the requests after it then wait the longer.
        """
        with contextlib.suppress(sqlite3.Error):  # the slot then lasts as long as the request might have
            self._file.execute(
                "UPDATE slots SET ends = ?, tokens = ?, settled = 1 WHERE id = ? AND account = ?",
                (self._clock() + SPAN + _MARGIN, slot.tokens if tokens is None else tokens, slot.number, self._account),
            )

    def close(self) -> None:
        self._file.close()

    def _reap(self, now: float) -> None:
        """Requests of a program that died were sent before now; so were those of before the machine started."""
        self._reaped = now
        self._file.execute(
            "UPDATE slots SET ends = ?, settled = 1 WHERE ends > ?", (now + SPAN, now + self._longest + SPAN + 1.0)
        )
        for (owner,) in self._file.execute("SELECT DISTINCT owner FROM slots WHERE settled = 0").fetchall():
            if not _alive(owner):
                self._file.execute(
                    "UPDATE slots SET ends = min(ends, ?), settled = 1 WHERE owner = ? AND settled = 0",
                    (now + SPAN + _MARGIN, owner),
                )


def _owner(pid: int) -> str | None:
    """A process by its number and its start: a number alone is given again."""
    import psutil

    try:
        return f"{pid}:{psutil.Process(pid).create_time():.2f}"
    except psutil.Error:
        return None


def _alive(owner: str) -> bool:
    return _owner(int(owner.partition(":")[0] or 0)) == owner
