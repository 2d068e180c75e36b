"""The weighted words of an index on disk: which statement of which report holds which term.

One SQLite file in the index's home, made at the end of indexing or on first use, and again whenever the tables that
it was made from are other than they were. A question reads the rows of its own terms and nothing else.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.analysts.offline.statements import split_report
from explorer.analysts.offline.terms import terms
from explorer.base.files import write_atomic
from explorer.tables.sources import file_digest, find_tables

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FILE_NAME = "words.sqlite"
WINDOW = 40  # terms of a text unit's passage, the unit in which a term's rarity is counted: some sentences
_DEEPEST = 1_000_000  # the last level at which a report without children is read
_VERSION = "8"


@dataclass(frozen=True)
class Posting:
    """Where a term stands.

    `statements` are numbers of statements, ascending, and `counts` how often each holds the term in its own text (0
    where only its heading or title has it); `units` are numbers of text units, and `unit_counts` how often each
    holds it. Counts end at 255.
    """

    statements: NDArray[np.int32]
    counts: NDArray[np.uint8]
    units: NDArray[np.int64]
    unit_counts: NDArray[np.uint8]


class WordIndex:
    """Read access. Statements are numbered over all reports in file order; `first` and `last` bound a report's own."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, check_same_thread=False)
        rows = dict(self._connection.execute("SELECT name, value FROM facts"))
        self.source = str(rows["source"])
        self.statements = int(rows["statements"])
        self.passages = int(rows["passages"])
        self.mean_length = float(rows["mean_length"])

    def close(self) -> None:
        self._connection.close()

    def frequencies(self, wanted: Sequence[str]) -> dict[str, int]:
        """Number of passages of the text units that hold each term; terms that none holds are 0."""
        found = dict.fromkeys(wanted, 0)
        for term in found:
            row = self._connection.execute("SELECT passages FROM terms WHERE term = ?", (term,)).fetchone()
            found[term] = int(row[0]) if row else 0
        return found

    def posting(self, term: str) -> Posting:
        """Where the reports hold a term."""
        import numpy as np

        query = "SELECT statements, counts, units, unit_counts FROM terms WHERE term = ?"
        row = self._connection.execute(query, (term,)).fetchone() or (b"", b"", b"", b"")
        return Posting(
            np.frombuffer(row[0], np.int32),
            np.frombuffer(row[1], np.uint8),
            np.frombuffer(row[2], np.int64),
            np.frombuffer(row[3], np.uint8),
        )

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Number of terms of each statement."""
        return self._array("lengths")

    @cached_property
    def cited(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Which statement cites which text unit: the statements, ascending, and the units' numbers beside them."""
        return self._array("citing"), self._array("cited")

    @cached_property
    def passage(self) -> NDArray[np.int64]:
        """A number for each statement that it shares with those of the same text."""
        return self._array("passage")

    def read_at(self, level: int) -> NDArray[np.bool_]:
        """The statements of the reports that a question at a level reads: those of the level, and those of shallower
        communities that have no children."""
        return (self._array("level") <= level) & (self._array("last_level") >= level)

    def level_of(self, communities: Sequence[int]) -> int:
        """The deepest level of some communities, 0 where the index holds none of them."""
        levels = self._reports[1]
        return max((levels.get(community, 0) for community in communities), default=0)

    def overviews(self, level: int, most: int) -> list[tuple[int, float]]:
        """The first statements of the reports of highest rank among those that a question at a level reads, and the
        rank of each. Reports without a rank come last."""
        rows = self._connection.execute(
            "SELECT first, rank FROM reports WHERE level <= ? AND last_level >= ? AND last > first"
            " ORDER BY rank DESC, first LIMIT ?",
            (level, level, most),
        )
        return [(int(first), float(rank)) for first, rank in rows]

    def _array(self, name: str) -> NDArray[np.int64]:
        import numpy as np

        (blob,) = self._connection.execute("SELECT value FROM arrays WHERE name = ?", (name,)).fetchone()
        return np.frombuffer(blob, np.int64)

    def bounds(self, community: int, content: str) -> tuple[int, int] | None:
        """First statement of a report and one past its last; None where the index holds another text for it."""
        return self._reports[0].get((community, _digest(content)))

    @cached_property
    def _reports(self) -> tuple[dict[tuple[int, str], tuple[int, int]], dict[int, int]]:
        """Bounds by community and text, and levels by community."""
        rows = self._connection.execute("SELECT community, digest, level, first, last FROM reports ORDER BY first DESC")
        bounds: dict[tuple[int, str], tuple[int, int]] = {}
        levels: dict[int, int] = {}
        for community, digest, level, first, last in rows:
            bounds[community, digest] = (first, last)
            levels[community] = level
        return bounds, levels


def fingerprint(output: Path) -> str:
    """What the word index depends on: the bytes of the reports' and the text units' tables, and this code's version.

    A table that cannot be read counts as none: it has no words.
    """
    digest = hashlib.sha256(_VERSION.encode())
    files = find_tables(output)
    for name in ("community_reports", "text_units"):
        if name in files:
            with contextlib.suppress(OSError):
                digest.update(file_digest(files[name].path))
    return digest.hexdigest()


def open_words(home: Path, source: str) -> WordIndex | None:
    """The word index in `home` if it stands and was made from `source`, else None."""
    path = home / FILE_NAME
    if not path.is_file():
        return None
    try:
        index = WordIndex(path.resolve())
    except (sqlite3.Error, KeyError, ValueError):
        return None  # damaged or of another version: it is made again
    if index.source != source:
        index.close()
        return None
    return index


@dataclass(frozen=True)
class ReportText:
    """A report as the word index reads it; `leaf` says that its community has no children."""

    community: int
    level: int
    leaf: bool
    content: str
    rank: float = 0.0


def build_words(home: Path, source: str, reports: Iterable[ReportText], units: Iterable[tuple[int, str]]) -> None:
    """Write the word index of an index.

    Parameters
    ----------
    home: the folder that takes the file. source: the fingerprint of the tables.
    reports: in file order. units: (number, text) of the text units.

    Raises StorageError where the disk refuses.
    """
    made = _gather(reports, units)
    write_atomic(home / FILE_NAME, lambda path: _write(path, source, made))


class _Postings:
    """Where terms stand: for each the places, ascending, and how often in each.

    Places are numbers of statements ("i", 32 bits) or of text units ("q", 64: a foreign index numbers as it likes).
    """

    def __init__(self, code: str = "i") -> None:
        self._code = code
        self.places: dict[str, array[int]] = {}
        self.counts: dict[str, array[int]] = {}

    def add(self, place: int, counts: Mapping[str, int]) -> None:
        places, tallies = self.places, self.counts
        for term, count in counts.items():
            if term not in places:
                places[term], tallies[term] = array(self._code), array("i")
            places[term].append(place)
            tallies[term].append(count)

    def blobs(self, term: str) -> tuple[bytes, bytes]:
        """Places as int32 or int64 and counts as uint8, at most 255."""
        import numpy as np

        if term not in self.places:
            return b"", b""
        counts = np.minimum(np.frombuffer(self.counts[term], np.int32), 255).astype(np.uint8)
        return self.places[term].tobytes(), counts.tobytes()


@dataclass
class _Made:
    windows: int = 0
    passages: Counter[str] = field(default_factory=Counter)  # term → windows of the units' text that hold it
    units: _Postings = field(default_factory=lambda: _Postings("q"))
    postings: _Postings = field(default_factory=_Postings)
    lengths: list[int] = field(default_factory=list)
    cited: list[tuple[int, int]] = field(default_factory=list)
    passage: list[int] = field(default_factory=list)
    level: list[int] = field(default_factory=list)
    last_level: list[int] = field(default_factory=list)
    reports: list[tuple[int, str, int, int, float, int, int]] = field(default_factory=list)


def _gather(reports: Iterable[ReportText], units: Iterable[tuple[int, str]]) -> _Made:
    made = _Made()
    for unit, text in units:
        found = terms(text)
        made.units.add(unit, Counter(found))
        for start in range(0, len(found), WINDOW):
            made.passages.update(set(found[start : start + WINDOW]))
            made.windows += 1
    known: dict[str, int] = {}
    for report in reports:
        title, statements = split_report(report.content)
        title_terms = dict.fromkeys(terms(title), 0)
        first = len(made.lengths)
        last_level = _DEEPEST if report.leaf else report.level
        for statement in statements:
            number = len(made.lengths)
            own = Counter(terms(statement.text))
            made.lengths.append(own.total())
            made.cited += [(number, unit) for unit in statement.references.get("Sources", ())]
            made.passage.append(known.setdefault(statement.text, len(known)))
            made.level.append(report.level)
            made.last_level.append(last_level)
            made.postings.add(number, {**title_terms, **dict.fromkeys(terms(statement.heading), 0), **own})
        made.reports.append(
            (report.community, _digest(report.content), report.level, last_level, report.rank, first, len(made.lengths))
        )
    return made


def _write(path: Path, source: str, made: _Made) -> None:
    import numpy as np

    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
            "CREATE TABLE facts (name TEXT PRIMARY KEY, value);"
            "CREATE TABLE arrays (name TEXT PRIMARY KEY, value BLOB);"
            "CREATE TABLE reports (community INTEGER, digest TEXT, level INTEGER, last_level INTEGER,"
            " rank REAL, first INTEGER, last INTEGER,"
            " PRIMARY KEY (community, digest));"
            "CREATE TABLE terms (term TEXT PRIMARY KEY, passages INTEGER, statements BLOB, counts BLOB, units BLOB,"
            " unit_counts BLOB)"
            " WITHOUT ROWID;"
        )
        mean = sum(made.lengths) / len(made.lengths) if made.lengths else 1.0
        facts = {"source": source, "statements": len(made.lengths), "passages": made.windows, "mean_length": mean}
        connection.executemany("INSERT INTO facts VALUES (?, ?)", facts.items())
        arrays = {
            "lengths": made.lengths,
            "passage": made.passage,
            "level": made.level,
            "last_level": made.last_level,
            "citing": [statement for statement, _ in made.cited],
            "cited": [unit for _, unit in made.cited],
        }
        rows = [(name, np.asarray(values, np.int64).tobytes()) for name, values in arrays.items()]
        connection.executemany("INSERT INTO arrays VALUES (?, ?)", rows)
        connection.executemany("INSERT OR IGNORE INTO reports VALUES (?, ?, ?, ?, ?, ?, ?)", made.reports)
        connection.executemany(
            "INSERT INTO terms VALUES (?, ?, ?, ?, ?, ?)",
            (
                (term, made.passages.get(term, 0), *made.postings.blobs(term), *made.units.blobs(term))
                for term in sorted(made.passages.keys() | made.postings.places.keys())
            ),
        )


def _digest(content: str) -> str:
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:24]
