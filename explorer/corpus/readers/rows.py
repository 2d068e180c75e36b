"""csv and tsv: a document a row."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import StringIO
from itertools import islice

from explorer.base.words import counted
from explorer.corpus.decode import NotText, decode
from explorer.corpus.readers.fields import Row, rows_to_parts
from explorer.corpus.readers.parts import Parts

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_ROWS = 20
_LONGEST_FIELD = 2**31 - 1  # the module's own limit of 131,072 characters is shorter than many an article


def read(data: bytes) -> Parts:
    """Rows under the header of the first line; the delimiter is the one that splits the first rows alike.

    Raises NotText where there is no row below the header.
    """
    decoded = decode(data)
    delimiter = find_delimiter(decoded.text)
    lines = _lines(decoded.text, delimiter)
    header = next(lines, [])
    names = _names(header)
    rows: list[Row] = []
    skipped: list[tuple[int, str]] = []
    uneven = 0
    for number, values in enumerate(lines, start=1):
        if not any(value.strip() for value in values):
            skipped.append((number, "an empty row"))
            continue
        uneven += len(values) != len(names)
        longer = [f"column {column}" for column in range(len(names) + 1, len(values) + 1)]
        rows.append((number, dict(zip([*names, *longer], values, strict=False))))
    if not rows and not skipped:
        raise NotText("it has no row below its header")
    notes = decoded.notes
    if uneven:
        notes += (f"{counted(uneven, 'row has', 'rows have')} more or fewer columns than the header",)
    return rows_to_parts(rows, skipped, notes)


def find_delimiter(text: str) -> str:
    """The delimiter that makes most of the first rows as wide as the header; a comma where none makes two columns."""
    best, best_score = ",", (0, 0)
    for delimiter in _DELIMITERS:
        rows = list(islice(_lines(text, delimiter), _SAMPLE_ROWS))
        width = len(rows[0]) if rows else 0
        if width < 2:
            continue
        score = (sum(len(row) == width for row in rows), width)
        if score > best_score:
            best, best_score = delimiter, score
    return best


def _names(header: list[str]) -> list[str]:
    """Column names, each once: an empty one becomes its number, a repeated one is numbered."""
    names: list[str] = []
    for place, cell in enumerate(header, start=1):
        name = cell.strip() or f"column {place}"
        while name in names:
            name = f"{name} ({place})"
        names.append(name)
    return names


def _lines(text: str, delimiter: str) -> Iterator[list[str]]:
    csv.field_size_limit(_LONGEST_FIELD)
    return (row for row in csv.reader(StringIO(text, newline=""), delimiter=delimiter) if row)
