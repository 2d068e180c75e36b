"""What a reader brings back from one file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """The text of one document of a file.

    `row` is the 1-based row or record, None for a whole file; `pages` are (first character, page number) pairs;
    `raw_data` is what the document was made from beside its text, as JSON or as the file had it.
    """

    text: str
    row: int | None = None
    raw_data: str | None = None
    pages: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Parts:
    """All documents of a file, the rows that gave none with their reasons, and sentences about the file."""

    parts: tuple[Part, ...]
    skipped: tuple[tuple[int, str], ...] = ()
    notes: tuple[str, ...] = ()


def whole(text: str, notes: tuple[str, ...] = (), *, raw_data: str | None = None) -> Parts:
    """The parts of a file that is one document."""
    return Parts((Part(text, raw_data=raw_data),), notes=notes)
