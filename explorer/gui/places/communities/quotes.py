"""The place of a text unit in its file, and the sentence of it that names something. No Qt here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from explorer.gui.places.communities.hierarchy import one_line
from explorer.tables.rows import UnitRow

_END = re.compile(r"(?<=[.!?。！？…])[\"'”’»)\]]*\s+|\n\s*\n|(?<=[。！？])")
_LONGEST = 420
_METADATA_LINES = 8


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """`file` is the path in the folder, or the title of the document where no path is known; `start` and `end` are
    characters of its text (end exclusive), None where they are not known. `ahead` is how many characters of the unit
    stand before that: lines of metadata that were put before the document's own text."""

    file: str
    start: int | None = None
    end: int | None = None
    page: int | None = None
    ahead: int = 0

    def words(self) -> str:
        """ "stave-3.txt · characters 21,388–21,604 · page 2"."""
        parts = [one_line(self.file, 90) or "a document without a name"]
        if self.start is not None and self.end is not None:
            parts.append(f"characters {self.start:,}–{self.end:,}")
        if self.page is not None:
            parts.append(f"page {self.page}")
        return " · ".join(parts)


def whereabouts(index: Any, unit: UnitRow) -> Whereabouts:
    """Where a text unit stands: by its span, or else by finding its text in its document."""
    span = index.span_by_unit.get(unit.id)
    if span is not None:
        return Whereabouts(span.path, span.start, span.end, span.page)
    document = index.document_by_id.get(unit.document_id)
    if document is None:
        return Whereabouts("")
    ahead = 0
    for _ in range(_METADATA_LINES + 1):
        own = unit.text[ahead:]
        start = document.text.find(own) if own.strip() else -1
        if start >= 0:
            return Whereabouts(document.title, start, start + len(own), ahead=ahead)
        ahead = unit.text.find("\n", ahead) + 1
        if not ahead:
            break
    return Whereabouts(document.title)


def sentence_around(text: str, start: int, end: int) -> tuple[int, int]:
    """The first and last character of the sentence that holds text[start:end], at most a few lines long."""
    first, last = 0, len(text)
    for match in _END.finditer(text, max(0, start - 2 * _LONGEST), min(len(text), end + 2 * _LONGEST)):
        if match.end() <= start:
            first = match.end()
        elif match.start() >= end:
            last = match.start()
            break
    first, last = max(first, start - _LONGEST), min(last, end + _LONGEST)
    while first < start and text[first].isspace():
        first += 1
    while last > end and text[last - 1].isspace():
        last -= 1
    return first, last


def quote(index: Any, unit: UnitRow, pattern: re.Pattern[str] | None) -> tuple[str, Whereabouts]:
    """The first sentence of a unit that matches, and its own place in the file; the unit's beginning if none does."""
    place = whereabouts(index, unit)
    match = pattern.search(unit.text) if pattern is not None else None
    if match is None:
        first, last = 0, min(len(unit.text), _LONGEST // 2)
    else:
        first, last = sentence_around(unit.text, match.start(), match.end())
    if place.start is None or first < place.ahead:
        return unit.text[first:last], place
    start = place.start - place.ahead
    return unit.text[first:last], Whereabouts(place.file, start + first, start + last, place.page)
