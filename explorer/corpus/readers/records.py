"""json and json lines: a document a record."""

from __future__ import annotations

import json

from explorer.corpus.decode import NotText, decode
from explorer.corpus.readers.fields import TEXT_COLUMN, Row, rows_to_parts
from explorer.corpus.readers.parts import Parts


def read(data: bytes) -> Parts:
    """A list gives a document an element, anything else gives one document.

    Raises NotText, with the place, where the file is not JSON.
    """
    decoded = decode(data)
    try:
        value = json.loads(decoded.text)
    except json.JSONDecodeError as error:
        raise NotText(f"it is not valid JSON (line {error.lineno}: {error.msg})") from error
    records = value if isinstance(value, list) else [value]
    rows = [(number, _fields(record)) for number, record in enumerate(records, start=1)]
    return rows_to_parts(rows, (), decoded.notes)


def read_lines(data: bytes) -> Parts:
    """A document a line; a line that is not JSON is skipped with its number, an empty one is no line."""
    decoded = decode(data)
    rows: list[Row] = []
    skipped: list[tuple[int, str]] = []
    for number, line in enumerate(decoded.text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            rows.append((number, _fields(json.loads(line))))
        except json.JSONDecodeError as error:
            skipped.append((number, f"the line is not valid JSON ({error.msg})"))
        except (RecursionError, ValueError):
            skipped.append((number, "the line cannot be read as JSON"))
    return rows_to_parts(rows, skipped, decoded.notes)


def _fields(record: object) -> dict[str, object]:
    """A record as columns; a bare string or number in a list is a record of its text alone."""
    if isinstance(record, dict):
        return {str(key): value for key, value in record.items()}
    return {TEXT_COLUMN: record} if isinstance(record, str) else {"value": record}
