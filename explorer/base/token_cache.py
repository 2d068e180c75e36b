"""Token counts kept on disk, under the hash of the text: a report is counted once, not once a question."""

from __future__ import annotations

import hashlib
import re
import sqlite3
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Literal

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
_MANY = 64  # so many texts together are looked up as one
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
        self._insides: dict[str, tuple[int, int, str]] = {}
        self._bundles: dict[bytes, list[int]] = {}
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

    def forget_texts(self) -> None:
        """Let go of texts that are remembered with their counts; what is stored stays."""
        self._bundles.clear()
        self._pieces = {piece: count for piece, count in self._pieces.items() if len(piece) >= _SHORT}

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
        if len(texts) < _MANY:
            return self._count_each(texts)
        return self.count_once(_key_of_all(texts), len(texts), lambda: texts)

    def count_once(self, key: bytes, length: int, make: Callable[[], Sequence[Sequence[str]]]) -> list[int]:
        """The numbers of tokens of `length` texts in parts that `make` returns, remembered under a key that stands for
        exactly these texts: where it is known, the texts are not made."""
        found = self._bundles.get(key) or self._stored_bundle(key, length)
        if found is None:
            found = self._encode(make())
            self._keep_bundle(key, found)
        self._bundles[key] = found
        return list(found)

    def _count_each(self, texts: Sequence[Sequence[str]]) -> list[int]:
        keys = [self._key(parts) for parts in texts]
        known = {key: self._memory[key] for key in keys if key in self._memory}
        known.update(self._stored(key for key in dict.fromkeys(keys) if key not in known))
        missing = {key: parts for key, parts in zip(keys, texts, strict=True) if key not in known}
        fresh = dict(zip(missing, self._encode(list(missing.values())), strict=True))
        whole = {key for key, parts in missing.items() if len(parts) == 1 and len(parts[0]) >= _SHORT}
        self._keep("counts", ((key, fresh[key]) for key in missing if key in whole))
        self._keep("pieces", ((key, fresh[key]) for key in missing if key not in whole))
        known.update(fresh)
        self._memory.update(known)
        return [known[key] for key in keys]

    def _key(self, parts: Sequence[str]) -> bytes:
        """What a count is kept under: the hash of a text, or of the hashes and lengths of its parts."""
        if len(parts) == 1:
            return self._digest(parts[0])
        named = [self._digest(part) if len(part) >= _SHORT else part for part in parts]
        lengths = ",".join(map(str, map(len, parts)))
        short = "".join([part for part in named if type(part) is str])
        joined = [f"parts {lengths}\n{short}".encode("utf-8", "surrogatepass")]
        joined += [part for part in named if type(part) is bytes]
        return hashlib.sha256(b"".join(joined)).digest()

    def _digest(self, text: str) -> bytes:
        found = self._digests.get(text)
        if found is None:
            found = self._digests[text] = _digest(text)
        return found

    def _encode(self, texts: Sequence[Sequence[str]]) -> list[int]:
        pieces = [list(self._pieces_of(parts)) for parts in texts]
        fresh = [piece for piece in dict.fromkeys(chain.from_iterable(pieces)) if piece not in self._pieces]
        long = {self._digest(piece): piece for piece in fresh if len(piece) >= _SHORT}
        stored = self._stored(long)
        self._pieces.update((long[digest], count) for digest, count in stored.items())
        fresh = [piece for piece in fresh if piece not in self._pieces]
        self._pieces.update(zip(fresh, count_many(fresh, self.name), strict=True))
        self._keep("pieces", ((key, self._pieces[piece]) for key, piece in long.items() if key not in stored))
        return [sum(map(self._pieces.__getitem__, parts)) for parts in pieces]

    def _pieces_of(self, parts: Sequence[str]) -> Iterator[str]:
        """A text in pieces whose counts add up: the inside of each long part, from its first to its last seam, and
        what lies between these."""
        between: list[str] = []
        for part in parts:
            start, end, inside = self._inside(part) if len(part) >= _SHORT else (0, 0, "")
            if not end:
                between.append(part)
                continue
            between.append(part[:start])
            yield from _PARAGRAPH.split(valid_text("".join(between)))
            if inside:
                yield inside
            between = [part[end:]]
        yield from _PARAGRAPH.split(valid_text("".join(between)))

    def _inside(self, part: str) -> tuple[int, int, str]:
        """Its first and last seam, and what lies between; the same text object each time."""
        found = self._insides.get(part)
        if found is None:
            start, end = _seams(part)
            found = self._insides[part] = (start, end, valid_text(part[start:end]))
        return found

    def _stored_bundle(self, key: bytes, length: int) -> list[int] | None:
        """The counts of many texts that were counted together before."""
        if self._store is None:
            return None
        try:
            row = self._store.execute(
                "SELECT counts FROM bundles WHERE tokenizer = ? AND digest = ?", [self.name, key]
            ).fetchone()
        except sqlite3.Error:
            self.close()
            return None
        if row is None or len(row[0]) != 4 * length:
            return None
        return list(struct.unpack(f"<{length}I", row[0]))

    def _keep_bundle(self, key: bytes, counts: Sequence[int]) -> None:
        if self._store is None:
            return
        try:
            with self._store:
                packed = struct.pack(f"<{len(counts)}I", *counts)
                self._store.execute("INSERT OR REPLACE INTO bundles VALUES (?, ?, ?)", [self.name, key, packed])
        except sqlite3.Error:
            self.close()

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
                    f"SELECT digest, tokens FROM counts WHERE tokenizer = ? AND digest IN ({marks}) UNION ALL "
                    f"SELECT digest, tokens FROM pieces WHERE tokenizer = ? AND digest IN ({marks})",
                    [self.name, *part, self.name, *part],
                )
                found.update(rows)
        except sqlite3.Error:
            self.close()
        return found

    def _keep(self, table: Literal["counts", "pieces"], counts: Iterable[tuple[bytes, int]]) -> None:
        rows = [(self.name, digest, tokens) for digest, tokens in counts]
        if self._store is None or not rows:
            return
        try:
            with self._store:
                self._store.executemany(f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?)", rows)
        except sqlite3.Error:
            self.close()


def _seams(part: str) -> tuple[int, int]:
    """The first and the last seam of a text; (0, 0) where it has none."""
    first = _SEAM.search(part)
    if first is None:
        return 0, 0
    end = part.rfind(" ")
    while not (part[end - 1].isascii() and part[end - 1].isalpha()):
        end = part.rfind(" ", 0, end)
    return first.start(), end


def count_many(texts: Sequence[str], name: EncodingName) -> list[int]:
    """The numbers of tokens of texts, in their order; many texts are shared out among threads that let others run."""
    if not texts:
        return []  # the vocabulary is not unpacked for nothing
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
            for table in ("counts", "pieces"):  # of whole long texts, and of all else: parts of them, short ones
                store.execute(
                    f"CREATE TABLE IF NOT EXISTS {table} (tokenizer TEXT, digest BLOB, tokens INTEGER,"
                    " PRIMARY KEY (tokenizer, digest)) WITHOUT ROWID"
                )
            store.execute(
                "CREATE TABLE IF NOT EXISTS bundles (tokenizer TEXT, digest BLOB, counts BLOB,"
                " PRIMARY KEY (tokenizer, digest))"
            )
    except sqlite3.Error:
        store.close()
        return None
    return store


def _key_of_all(texts: Sequence[Sequence[str]]) -> bytes:
    """A hash of many texts in their order (of the texts, not of how they are cut into parts)."""
    key = hashlib.sha256(",".join(str(sum(map(len, parts))) for parts in texts).encode())
    for start in range(0, len(texts), _MANY):
        some = chain.from_iterable(texts[start : start + _MANY])
        key.update("".join(some).encode("utf-8", "surrogatepass"))
    return key.digest()


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
