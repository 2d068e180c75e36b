"""Token counts kept on disk, under the hash of the text: a report is counted once, not once a question."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
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
# A report stands in a row, in a batch and in a message, and is encoded once. The encodings never join a letter with
# the space after it, nor a line feed with a letter or a digit after it, so that the counts of pieces cut there add up.
_SEAM = re.compile(r"(?<=[A-Za-z])(?= )")
_PARAGRAPH = re.compile(r"(?<=\n\n)(?=[^\W_])")
_LAST = 400  # characters at the end of a part in which its last seam is looked for first
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
        self._digests: dict[str, bytes] = {}  # of texts that stand in several others
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
        return self.count_parts([(text,) for text in texts])

    def count_parts(self, texts: Sequence[Sequence[str]]) -> list[int]:
        """The numbers of tokens of texts that are given in parts (a text is its parts, joined), in their order.

        A long part that stands in many texts is encoded once; the counts are those of the whole texts.
        """
        keys = [self._key(parts) for parts in texts]
        known = {key: self._memory[key] for key in keys if key in self._memory}
        known.update(self._stored(key for key in dict.fromkeys(keys) if key not in known))
        missing = {key: parts for key, parts in zip(keys, texts, strict=True) if key not in known}
        fresh = dict(zip(missing, self._encode(list(missing.values())), strict=True))
        self._keep(fresh.items())
        known.update(fresh)
        self._memory.update(known)
        return [known[key] for key in keys]

    def _key(self, parts: Sequence[str]) -> bytes:
        """What a count is kept under: the hash of a text, or of the hashes and lengths of its parts."""
        if len(parts) == 1:
            return self._digest(parts[0])
        joined = hashlib.sha256(b"parts")
        for part in parts:
            if len(part) >= _SHORT:
                joined.update(b"\1" + self._digest(part))
            else:
                packed = part.encode("utf-8", "surrogatepass")
                joined.update(b"\0" + len(packed).to_bytes(4, "little") + packed)
        return joined.digest()

    def _digest(self, text: str) -> bytes:
        found = self._digests.get(text)
        if found is None:
            found = self._digests[text] = _digest(text)
        return found

    def _encode(self, texts: list[Sequence[str]]) -> list[int]:
        pieces = [list(_pieces(parts)) for parts in texts]
        fresh = [piece for piece in dict.fromkeys(chain.from_iterable(pieces)) if piece not in self._pieces]
        long = {self._digest(piece): piece for piece in fresh if len(piece) >= _SHORT}
        stored = self._stored(long)
        self._pieces.update((long[digest], count) for digest, count in stored.items())
        fresh = [piece for piece in fresh if piece not in self._pieces]
        self._pieces.update(zip(fresh, count_many(fresh, self.name), strict=True))
        self._keep((digest, self._pieces[piece]) for digest, piece in long.items() if digest not in stored)
        return [sum(map(self._pieces.__getitem__, parts)) for parts in pieces]

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


def _pieces(parts: Sequence[str]) -> Iterator[str]:
    """A text in pieces whose counts add up: the inside of each long part, from its first to its last seam, and what
    lies between these."""
    between: list[str] = []
    for part in map(valid_text, parts):
        first = _SEAM.search(part) if len(part) >= _SHORT else None
        if first is None:
            between.append(part)
            continue
        start, end = first.start(), _last_seam(part)
        yield from _PARAGRAPH.split("".join([*between, part[:start]]))
        if end > start:
            yield part[start:end]
        between = [part[end:]]
    yield from _PARAGRAPH.split("".join(between))


def _last_seam(part: str) -> int:
    for start in (max(0, len(part) - _LAST), 0):
        ends = [seam.start() for seam in _SEAM.finditer(part, start)]
        if ends:
            return ends[-1]
    return 0


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
