"""Rows and records: their text is the column `text`, or else one line "column: value" a column."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from explorer.corpus.decode import clean
from explorer.corpus.readers.parts import Part, Parts

TEXT_COLUMN = "text"
_NOTHING = frozenset(("", "nan", "none", "null"))
Row = tuple[int, dict[str, object]]


def rows_to_parts(rows: Sequence[Row], skipped: Sequence[tuple[int, str]], notes: tuple[str, ...]) -> Parts:
    """A part for each (row number, {column: value}); rows without text are added to `skipped`.

    The column `text` counts as soon as one row has it: then a row without it has no text.
    """
    has_text = any(TEXT_COLUMN in fields for _, fields in rows)
    parts = []
    lost = list(skipped)
    for number, fields in rows:
        if has_text:
            text = _value(fields.get(TEXT_COLUMN))
        else:
            text = "\n".join(f"{name}: {value}" for name, value in flatten(fields))
        text, _ = clean(text)
        if text.strip():
            raw, _ = clean(json.dumps(fields, ensure_ascii=False, default=str))
            parts.append(Part(text, row=number, raw_data=raw))
        else:
            lost.append((number, f"no text in the column {TEXT_COLUMN!r}" if has_text else "no text in any column"))
    return Parts(tuple(parts), tuple(sorted(lost)), notes)


def flatten(value: object, name: str = "") -> Iterator[tuple[str, str]]:
    """(dotted name, text) of every value that holds text, in the order of the record.

    Members of a list bear the list's own name: their position says nothing about them.
    """
    waiting: list[tuple[str, object]] = [(name, value)]
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend((f"{name}.{key}" if name else str(key), item) for key, item in reversed(value.items()))
        elif isinstance(value, list):
            waiting.extend((name, item) for item in reversed(value))
        else:
            text = _value(value)
            if text:
                yield name or "value", text


def _value(value: object) -> str:
    """A value as text; "" for what stands for nothing (empty, NaN, None, null)."""
    if value is None:
        return ""
    if isinstance(value, str):
        text = value
    elif isinstance(value, (dict, list)):
        text = "\n".join(f"{name}: {item}" for name, item in flatten(value))
    else:
        text = json.dumps(value)
    return "" if text.strip().casefold() in _NOTHING else text
