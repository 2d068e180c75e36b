"""A csv table as columns of texts, whoever wrote it: quotes doubled, escaped by backslashes, or single ones.

A first line "sep=;", which spreadsheets write, names the mark between the fields. A row that does not fit its header
does not cost the others: one with more fields is left out and named, one with fewer keeps what it has, which is named
too.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path

from explorer.base.words import counted
from explorer.tables.column_names import is_known

WESTERN = "cp1252"
_LONGEST_FIELD = 2**31 - 1  # the module's own limit is shorter than many an article
_HEAD = 1 << 16
# How csv is written, the most frequent first: quotes doubled, quotes after backslashes, single quotes.
_FORMS: tuple[dict[str, object], ...] = (
    {},
    {"doublequote": False, "escapechar": "\\"},
    {"quotechar": "'"},
)


# The line that names the mark between the fields; some programs put it in quotes.
_NAMED = re.compile(r"""\A"?sep=(?P<mark>[^\r\n"])"?[ ]*(?P<end>\r\n|\n|\r|\Z)""", re.IGNORECASE)


class NoTable(ValueError):
    """A file without a line of column names."""


@dataclass
class CsvTable:
    """`names` are those of the header as it stands, `columns` (by place) texts with None for an empty field."""

    names: list[str]
    columns: list[list[str | None]]
    left_out: int = 0
    notes: list[str] = field(default_factory=list)


@dataclass
class _Rows:
    """`long` and `short` are rows that do not fit the header, each with the line that it ends in and its fields."""

    header: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    long: list[tuple[int, int]] = field(default_factory=list)
    short: list[tuple[int, int]] = field(default_factory=list)
    headers: int = 0  # rows that repeat the header, as files that were put together do

    @property
    def bad(self) -> int:
        return len(self.long) + len(self.short)


def csv_header(path: Path) -> tuple[list[str], bool]:
    """The column names of a csv file, and whether it was read as Windows-1252. Raises NoTable, OSError."""
    text, encoding = _text(path)
    csv.field_size_limit(_LONGEST_FIELD)
    text, separator, _ = _parted(text)
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator)
    try:
        header = next((row for row in reader if row), None)
    except csv.Error as error:
        raise NoTable(str(error)) from error
    if header is None:
        raise NoTable("there is no line of column names in it")
    if _is_comment(header):
        raise NoTable("it begins with a comment line (#) in place of the column names: take out the lines before these")
    if all(len(name) > 1 and name.startswith("'") and name.endswith("'") for name in header):
        header = [name[1:-1] for name in header]  # quoted in the third of the forms
    return header, encoding == WESTERN


def read_csv(path: Path) -> CsvTable:
    """All rows of a csv file. Raises NoTable where no row fits the header, OSError."""
    text, _ = _text(path)
    csv.field_size_limit(_LONGEST_FIELD)
    text, separator, named = _parted(text)
    found = _best(text, separator)
    if found.long and not found.rows:
        raise NoTable("its rows have more fields than its header")
    columns: list[list[str | None]] = [[] for _ in found.header]
    for row in found.rows:
        for place, cells in enumerate(columns):
            cells.append(row[place] or None if place < len(row) else None)
    return CsvTable(found.header, columns, len(found.long) + found.headers, [*named, *_notes(found)])


def _best(text: str, separator: str) -> _Rows:
    """The rows in the form that fits: the first without an error or a ragged row, else the one with the fewest."""
    for form in _FORMS:
        try:
            found = _rows(text, separator, form, strict=True)
        except csv.Error:
            continue
        if not found.bad and ("quotechar" in form or not _quoted_singly(text, found)):
            return found
    lenient = []
    for form in _FORMS:
        try:
            lenient.append(_rows(text, separator, form, strict=False))
        except csv.Error:
            continue
    if not lenient:
        raise NoTable("no line of it can be taken apart")
    return min(lenient, key=lambda rows: rows.bad)


def _quoted_singly(text: str, found: _Rows) -> bool:
    """Whether lists stand in single quotes: without a comma in them they do not part a row wrongly."""
    return "'[" in text and any(
        cell.startswith("'[") and cell.endswith("]'") for row in found.rows[:100] for cell in row
    )


def _rows(text: str, separator: str, form: Mapping[str, object], *, strict: bool) -> _Rows:
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator, strict=strict, **form)  # type: ignore[arg-type]
    found = _Rows()
    for row in reader:
        if not row:
            continue
        width = len(found.header)
        if not width:
            found.header = row
        elif row == found.header:
            found.headers += 1
        elif len(row) > width and any(row[width:]):
            found.long.append((reader.line_num, len(row)))
        else:
            if len(row) < width:
                found.short.append((reader.line_num, len(row)))
            found.rows.append(row)
    return found


def _notes(found: _Rows) -> list[str]:
    width, notes = len(found.header), []
    if found.long:
        line, fields = found.long[0]
        notes.append(
            f"left out with more fields than the header: {counted(len(found.long), 'row')} "
            f"(line {line}: {fields} in place of {width})"
        )
    if found.headers:
        notes.append(f"left out as the header once more: {counted(found.headers, 'row')}")
    if found.short:
        line, fields = found.short[0]
        notes.append(
            f"with fewer fields than the header: {counted(len(found.short), 'row')} "
            f"(line {line}: {fields} in place of {width}), what is missing counts as empty"
        )
    return notes


def _text(path: Path) -> tuple[str, str]:
    """The text of a file and its encoding, by its mark or its bytes."""
    data = path.read_bytes()
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace"), "utf-16"
    try:
        return data.decode("utf-8-sig"), "utf-8"
    except UnicodeDecodeError:
        return data.decode(WESTERN, "replace"), WESTERN


def _parted(text: str) -> tuple[str, str, list[str]]:
    """The text, the mark between its fields, and what is said where its first line names that mark.

    That line is left empty, so that lines keep their numbers.
    """
    found = _NAMED.match(text)
    if found is None:
        return text, _separator(text), []
    mark = found["mark"]
    shown = "tab" if mark == "\t" else mark
    note = f"its first line, sep={shown}, was read as the mark between the fields"
    return (found["end"] or "\n") + text[found.end() :], mark, [note]


def _is_comment(header: list[str]) -> bool:
    """Whether the line in place of the column names is a comment: it begins so, and names no column."""
    return header[0].lstrip().startswith("#") and not any(is_known(name.strip().lstrip("#")) for name in header)


def _separator(text: str) -> str:
    """The mark that stands most often in the first line."""
    first = (text[:_HEAD].splitlines() or [""])[0]
    found = max(",;\t", key=first.count)
    return found if first.count(found) else ","
