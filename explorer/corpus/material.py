"""What the corpus floor hands on: documents and text units."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Document:
    """One document: a file, or one row or record of a csv or json file.

    `path` is relative to the folder, with forward slashes; `row` is the 1-based row or record, or None for a whole
    file. `pages` holds (first character, page number) pairs in ascending order where the format has pages.
    """

    id: str
    title: str
    text: str
    path: str
    creation_date: str
    row: int | None = None
    raw_data: str | None = None
    pages: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class TextUnit:
    """A window of tokens of one document. `start` and `end` are characters of the document's text, end exclusive."""

    id: str
    document_id: str
    text: str
    n_tokens: int
    path: str
    start: int
    end: int
    page: int | None = None


@dataclass(frozen=True)
class Skipped:
    """A part of a file (a row without text, a broken line) or a whole file that gave no document, and why."""

    path: str
    reason: str
    row: int | None = None


@dataclass(frozen=True)
class FileReading:
    """What one file gave: its documents, and what in it was skipped.

    Without documents, either `skip_reason` or `failed` says why; `notes` are sentences about a file that was read.
    """

    path: str
    size: int
    documents: tuple[Document, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    skip_reason: str = ""
    failed: str = ""
    notes: tuple[str, ...] = field(default=())
