"""Token counts kept on disk, under the hash of the text: a report is counted once, not once a question."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from types import TracebackType

from explorer.base.tokens import EncodingName, encoding
from explorer.base.valid_text import valid_text

FILE_NAME = "tokens.sqlite"
_SHORT = 200  # characters: below this a count costs less than looking it up
_CHUNK = 100_000  # characters that a thread encodes at a time
_THREADS = 2
# A report stands in a row, in a batch and in a message; its paragraphs are the same in all of them and are encoded
# once. The encodings never join a line feed with a letter or a digit after it, so that the counts of pieces add up.
_PARAGRAPH = re.compile(r"(?<=\n\n)(?=[^\W_])")
_ASKED = 500  # digests in one statement


class TokenCounter:
    """Counts tokens of many texts with one tokenizer, in native threads, and remembers the long ones.

    Parameters
    ----------
    name: the tokenizer.
    home: the folder for `tokens.sqlite`, or None to remember in memory only. A file that cannot be used changes no
        count, it only costs time: the counter then goes on without it.

    The counts are exact; what is stored is found again by the SHA-256 of the text, so a changed report is counted anew.
    """

    def __init__(self, name: EncodingName, home: Path | None = None) -> None:
        self.name: EncodingName = name
        self._memory: dict[bytes, int] = {}
        self._pieces: dict[str, int] = {}
        self._store = _open(home)

    def __enter__(self) -> TokenCounter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None

    def count(self, text: str) -> int:
        """The number of tokens of one text."""
        return self.count_all([text])[0]

    def count_all(self, texts: Sequence[str]) -> list[int]:
        """The numbers of tokens of texts, in their order."""
        digests = [_digest(text) for text in texts]
        known = {digest: self._memory[digest] for digest in digests if digest in self._memory}
        long = [digest for digest, text in zip(digests, texts, strict=True) if len(text) >= _SHORT]
        known.update(self._stored(digest for digest in dict.fromkeys(long) if digest not in known))
        missing = {d: t for d, t in zip(digests, texts, strict=True) if d not in known}
        fresh = dict(zip(missing, self._encode(list(missing.values())), strict=True))
        self._keep((digest, count) for digest, count in fresh.items() if len(missing[digest]) >= _SHORT)
        known.update(fresh)
        self._memory.update(known)
        return [known[digest] for digest in digests]

    def _encode(self, texts: list[str]) -> list[int]:
        pieces = [_PARAGRAPH.split(valid_text(text)) for text in texts]
        fresh = [piece for piece in dict.fromkeys(chain.from_iterable(pieces)) if piece not in self._pieces]
        self._pieces.update(zip(fresh, count_many(fresh, self.name), strict=True))
        return [sum(self._pieces[piece] for piece in parts) for parts in pieces]

    def _stored(self, digests: Iterable[bytes]) -> dict[bytes, int]:
        found: dict[bytes, int] = {}
        wanted = list(digests)
        if self._store is None:
            return found
        try:
            for start in range(0, len(wanted), _ASKED):
                part = wanted[start : start + _ASKED]
                marks = ",".join("?" * len(part))
                rows = self._store.execute(
                    f"SELECT digest, tokens FROM counts WHERE tokenizer = ? AND digest IN ({marks})", [self.name, *part]
                )
                found.update(rows)
        except sqlite3.Error:
            self.close()
        return found

    def _keep(self, counts: Iterable[tuple[bytes, int]]) -> None:
        rows = [(self.name, digest, tokens) for digest, tokens in counts]
        if self._store is None or not rows:
            return
        try:
            with self._store:
                self._store.executemany("INSERT OR REPLACE INTO counts VALUES (?, ?, ?)", rows)
        except sqlite3.Error:
            self.close()


def count_many(texts: Sequence[str], name: EncodingName) -> list[int]:
    """The numbers of tokens of texts, in their order; many texts are shared out among threads that let others run."""
    tokenizer = encoding(name)

    def count(part: Sequence[str]) -> list[int]:
        return [len(tokenizer.encode_ordinary(text)) for text in part]

    parts: list[list[str]] = []
    room = 0
    for text in texts:
        if room <= 0:
            parts.append([])
            room = _CHUNK
        parts[-1].append(text)
        room -= len(text)
    if len(parts) < 2:
        return [number for part in parts for number in count(part)]
    with ThreadPoolExecutor(_THREADS) as pool:
        return list(chain.from_iterable(pool.map(count, parts)))


def _open(home: Path | None) -> sqlite3.Connection | None:
    if home is None:
        return None
    try:
        home.mkdir(parents=True, exist_ok=True)
        # The window plans in one thread at a time, but not always in the same one.
        store = sqlite3.connect(home / FILE_NAME, timeout=2, check_same_thread=False)
    except (OSError, sqlite3.Error):
        return None
    try:
        store.execute("PRAGMA journal_mode=WAL")
        store.execute("PRAGMA synchronous=OFF")  # what is lost can be counted again
        with store:
            store.execute(
                "CREATE TABLE IF NOT EXISTS counts (tokenizer TEXT, digest BLOB, tokens INTEGER,"
                " PRIMARY KEY (tokenizer, digest)) WITHOUT ROWID"
            )
    except sqlite3.Error:
        store.close()
        return None
    return store


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
