"""From the columns of a table, whatever made it, to rows: numbers from floats or text, lists from arrays or text."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from itertools import count
from typing import Any

from explorer.base.words import share
from explorer.tables.hierarchy import Place, derive_hierarchy
from explorer.tables.lists import items
from explorer.tables.rows import (
    DEEPEST,
    ROOT,
    ClaimRow,
    CommunityRow,
    DocumentRow,
    EntityRow,
    FindingRow,
    RelationshipRow,
    ReportRow,
    SpanRow,
    UnitRow,
)

_CLAIM_TEXTS = ("subject_id", "object_id", "type", "status", "start_date", "end_date", "description", "source_text")
Columns = Mapping[str, list[Any]]
_TEXT_ONLY = frozenset((str,))
_WHOLE = re.compile(r"-?\d+\.0+")
_LIMIT = 2**63
_LISTED = re.compile(r"""\s*(?:array\(|set\()?[\[({]\s*(?:[bur]?['"]|[\[({\])}]|[-\d]|None|null|nan|array)""")
_NONE = frozenset(("", "[]", "{}", "[[]]", "()", "nan", "NaN", "None", "null"))  # texts of no findings

# What models call the two parts of a finding, the asked name first.
_SUMMARIES = ("summary", "title", "heading", "name")
_EXPLANATIONS = ("explanation", "description", "text", "content", "body", "details")


def records(columns: Columns) -> Iterator[dict[str, Any]]:
    """The rows of a table as dictionaries, from its columns."""
    names = list(columns)
    for values in zip(*columns.values(), strict=True):
        yield dict(zip(names, values, strict=True))


def text(value: Any) -> str:
    """A value as text; null becomes the empty text, a whole number has no decimals whatever its type."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, float | Decimal):
        if value != value:
            return ""
        return str(int(value)) if math.isfinite(value) and value == int(value) else str(value)
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def key(value: Any) -> str:
    """An id as text: 3, 3.0, "3" and "3.0" are one, since what passes through a table with gaps becomes a float."""
    found = text(value)
    return found.partition(".")[0] if found.endswith("0") and _WHOLE.fullmatch(found) else found


def integer(value: Any, default: int = 0) -> int:
    """A whole number from an integer, a float or its text; `default` for null, NaN or anything else."""
    found = maybe_integer(value)
    if found is None:
        number = maybe_float(value)
        found = int(number) if number is not None and abs(number) < _LIMIT else None
    return default if found is None else found


def maybe_integer(value: Any) -> int | None:
    """A whole number of 64 bits; None for what is none, 2.5 among it."""
    try:
        number = int(value) if isinstance(value, int | str) else None
    except ValueError:
        number = None
    if number is None:
        try:
            real = float(value)
        except (TypeError, ValueError, OverflowError):
            return None
        number = int(real) if math.isfinite(real) and real == int(real) else None
    return number if number is not None and -_LIMIT <= number < _LIMIT else None


def maybe_float(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return None if math.isnan(number) else number


def texts(value: Any) -> tuple[str, ...]:
    """The ids of a list, an array or a text of either: one in brackets, or ids parted by commas."""
    if type(value) is list and _TEXT_ONLY.issuperset(map(type, value)) and ".0" not in "".join(value):
        return tuple(value)
    found = items(value)
    if not found and isinstance(value, str) and not value.lstrip().startswith(("[", "(", "{", "array", "set")):
        found = [part.strip() for part in value.split(",")]
    return tuple(name for item in found if item is not None and (name := key(item)))


def integers(value: Any) -> tuple[int, ...]:
    """The whole numbers of a list, of its text, or of a text of numbers parted by commas."""
    found = items(value)
    if not found and isinstance(value, str) and not value.lstrip().startswith(("[", "(", "{", "array", "set")):
        found = value.split(",")
    return tuple(number for number in map(maybe_integer, found) if number is not None)


def entities(columns: Columns) -> list[EntityRow]:
    """The entities. A column at a time: a dictionary for each row would take four times as long."""
    places = range(_length(columns))
    return list(
        map(
            EntityRow,
            _ids(columns, places),
            _numbers(columns, places),
            _texts(columns, "title", places),
            _texts(columns, "type", places),
            _texts(columns, "description", places),
            _lists(columns, "text_unit_ids", places),
            _frequencies(columns),
            _integers(columns, "degree"),
        )
    )


def relationships(columns: Columns) -> list[RelationshipRow]:
    """The relationships; of a table without weights each is 1, a weight that is no number is NaN."""
    places = range(_length(columns))
    weights = [maybe_float(value) for value in columns["weight"]] if "weight" in columns else [1.0] * len(places)
    return list(
        map(
            RelationshipRow,
            _ids(columns, places),
            _numbers(columns, places),
            _texts(columns, "source", places),
            _texts(columns, "target", places),
            _texts(columns, "description", places),
            [math.nan if weight is None else weight for weight in weights],
            _integers(columns, "combined_degree"),
            _lists(columns, "text_unit_ids", places),
        )
    )


def _ids(columns: Columns, places: range) -> list[str]:
    column = columns.get("id")
    found = [""] * len(places) if column is None else [key(value) for value in column]
    return [value or str(place) for place, value in zip(places, found, strict=True)]


def _texts(columns: Columns, name: str, places: range) -> list[str]:
    column = columns.get(name)
    if column is None:
        return [""] * len(places)
    return [value if type(value) is str else text(value) for value in column]


def _integers(columns: Columns, name: str) -> list[int]:
    """A column of whole numbers; what is none becomes 0."""
    column = columns.get(name)
    if column is None:
        return [0] * _length(columns)
    return [value if type(value) is int else integer(value) for value in column]


def _frequencies(columns: Columns) -> list[int]:
    """In how many text units entities stand, where the column does not say it counted from their ids."""
    told, units = columns.get("frequency"), columns.get("text_unit_ids")
    if told is not None and set(map(type, told)) <= {int}:
        return told
    counted = [0] * _length(columns) if units is None else [len(set(texts(value))) for value in units]
    return counted if told is None else [integer(value, n) for value, n in zip(told, counted, strict=True)]


def _numbers(columns: Columns, places: range) -> list[int]:
    """The numbers that citations go by: a row without one goes by its place, or past the largest number where another
    row bears that, so that a citation never leads to a row that only stands where another should."""
    column = columns.get("human_readable_id")
    if column is None:
        return list(places)
    found = [value if type(value) is int else maybe_integer(value) for value in column]
    taken = {number for number in found if number is not None}
    free = count(max((*taken, len(places))) + 1)
    return [
        number if number is not None else place if place not in taken else next(free)
        for place, number in zip(places, found, strict=True)
    ]


def _lists(columns: Columns, name: str, places: range) -> list[tuple[str, ...]]:
    column = columns.get(name)
    return [()] * len(places) if column is None else [texts(value) for value in column]


def communities(columns: Columns) -> tuple[list[CommunityRow], tuple[str, ...]]:
    """The communities, and what had to be left out or derived, a sentence each. Number -1 is that of no community."""
    numbered = ((maybe_integer(row["community"]), row) for row in records(columns))
    kept = [(number, row) for number, row in numbered if number is not None and number != ROOT]
    hierarchy = derive_hierarchy([_place(number, row) for number, row in kept])
    rows = [
        CommunityRow(
            id=key(row.get("id")) or str(number),
            community=number,
            level=_or(_level(row), hierarchy.levels[number]),
            parent=hierarchy.parents[number],
            children=hierarchy.children[number],
            title=community_title(row.get("title"), number),
            entity_ids=texts(row.get("entity_ids")),
            relationship_ids=texts(row.get("relationship_ids")),
            text_unit_ids=texts(row.get("text_unit_ids")),
            period=text(row.get("period")),
            size=integer(row.get("size"), len(items(row.get("entity_ids")))),
        )
        for number, row in kept
    ]
    return rows, (*_left_out(columns, len(kept)), *hierarchy.notes)


def community_title(value: Any, number: int) -> str:
    """The title of a community; one without a title is called by its number."""
    return text(value) or f"Community {number}"


def reports(columns: Columns, by_number: Mapping[int, CommunityRow]) -> tuple[list[ReportRow], tuple[str, ...]]:
    """The reports, and how many rows were left out because they bear no community number, in a sentence.

    What a report does not say about its place in the hierarchy is taken from its community.
    """
    rows: list[ReportRow] = []
    for row in records(columns):
        number = maybe_integer(row["community"])
        if number is None:
            continue
        community = by_number.get(number)
        parent = integer(row.get("parent"), ROOT)
        rows.append(
            ReportRow(
                id=key(row.get("id")) or str(number),
                community=number,
                level=_or(_level(row), community.level if community else 0),
                parent=community.parent if community and parent == ROOT else parent,
                children=integers(row.get("children")) or (community.children if community else ()),
                title=text(row.get("title")),
                summary=text(row.get("summary")),
                full_content=text(row.get("full_content")),
                rank=maybe_float(row.get("rank")),
                rating_explanation=text(row.get("rating_explanation", row.get("rank_explanation"))),
                findings=_findings(row.get("findings")),
                full_content_json=text(row.get("full_content_json")),
                period=text(row.get("period")),
                size=integer(row.get("size"), community.size if community else 0),
            )
        )
    return rows, _left_out(columns, len(rows))


def text_units(columns: Columns) -> list[UnitRow]:
    rows = []
    for number, row in zip(_numbers(columns, range(_length(columns))), records(columns), strict=True):
        documents = texts(row.get("document_ids"))
        rows.append(
            UnitRow(
                id=key(row["id"]),
                number=number,
                text=text(row["text"]),
                n_tokens=integer(row.get("n_tokens")),
                document_id=key(row.get("document_id")) or (documents[0] if documents else ""),
                entity_ids=texts(row.get("entity_ids")),
                relationship_ids=texts(row.get("relationship_ids")),
                covariate_ids=texts(row.get("covariate_ids")),
            )
        )
    return rows


def claims(columns: Columns) -> list[ClaimRow]:
    places = range(_length(columns))
    return [
        ClaimRow(
            id=key(row.get("id")) or str(position),
            number=number,
            text_unit_id=key(row.get("text_unit_id")),
            **{name: text(row.get(name)) for name in _CLAIM_TEXTS},
        )
        for position, (number, row) in enumerate(zip(_numbers(columns, places), records(columns), strict=True))
    ]


def documents(columns: Columns) -> list[DocumentRow]:
    rows = []
    for number, row in zip(_numbers(columns, range(_length(columns))), records(columns), strict=True):
        rows.append(
            DocumentRow(
                id=key(row["id"]),
                number=number,
                title=text(row.get("title")),
                text=text(row.get("text")),
                text_unit_ids=texts(row.get("text_unit_ids")),
                creation_date=text(row.get("creation_date")),
                raw_data=_raw_data(row.get("raw_data", row.get("metadata"))),
            )
        )
    return rows


def _raw_data(value: Any) -> str | None:
    """What a document was made from: our one field, or the fields that GraphRAG kept as JSON."""
    if not isinstance(value, dict):
        return None if value is None else text(value)
    if set(value) == {"source"} and isinstance(value["source"], str | None):
        return value["source"]
    return json.dumps(value, ensure_ascii=False, default=str)


def spans(columns: Columns) -> list[SpanRow]:
    return [
        SpanRow(
            text_unit_id=key(row["text_unit_id"]),
            document_id=key(row.get("document_id")),
            path=text(row.get("path")),
            start=integer(row["start"]),
            end=integer(row["end"]),
            page=maybe_integer(row.get("page")),
        )
        for row in records(columns)
    ]


def _place(number: int, row: Mapping[str, Any]) -> Place:
    children = row.get("children")
    return Place(
        community=number,
        level=_level(row),
        parent=maybe_integer(row.get("parent")),
        children=None if children is None else integers(children),
        entity_ids=texts(row.get("entity_ids")),
    )


def _level(row: Mapping[str, Any]) -> int | None:
    """The level that a row gives; None without one, or for a number that is no depth."""
    level = maybe_integer(row.get("level"))
    return level if level is not None and 0 <= level <= DEEPEST else None


def _or(value: int | None, default: int) -> int:
    return default if value is None else value


def _left_out(columns: Columns, kept: int) -> tuple[str, ...]:
    length = _length(columns)
    return () if kept == length else (f"left out without a community number: {share(length - kept, length, 'row')}",)


def _findings(value: Any) -> tuple[FindingRow, ...]:
    """Findings from structures, from texts, or from one text for all of them; what cannot be read stays as text."""
    found = items(value)
    if isinstance(value, str) and value.strip() not in _NONE and (not found or not _LISTED.match(value)):
        return (FindingRow(summary="", explanation=value),)
    if len(found) == 1 and isinstance(found[0], Mapping) and items(_named(found[0], ("findings",))):
        found = items(_named(found[0], ("findings",)))  # a report's object in place of its list
    rows = (_finding(item) for item in found)
    return tuple(row for row in rows if row.summary or row.explanation)


def _finding(item: Any) -> FindingRow:
    if not isinstance(item, Mapping):
        return FindingRow(summary="", explanation=text(item))
    row = FindingRow(summary=text(_named(item, _SUMMARIES)), explanation=text(_named(item, _EXPLANATIONS)))
    if row.summary or row.explanation or all(part is None or part == "" for part in item.values()):
        return row
    return FindingRow(summary="", explanation=json.dumps(item, ensure_ascii=False, default=str))


def _named(item: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """The first of some fields that is there, whatever the case of its name."""
    folded = {str(name).strip().lower(): part for name, part in item.items() if part is not None}
    return next((folded[name] for name in names if name in folded), None)


def _length(columns: Columns) -> int:
    return len(next(iter(columns.values()), []))
