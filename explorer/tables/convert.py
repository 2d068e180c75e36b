"""From the columns of a table, whatever made it, to rows: numbers from floats or text, lists from arrays or text."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from explorer.tables.rows import (
    ROOT,
    CommunityRow,
    DocumentRow,
    EntityRow,
    FindingRow,
    RelationshipRow,
    ReportRow,
    SpanRow,
    UnitRow,
)

Columns = Mapping[str, list[Any]]

# How numpy 2 shows its numbers inside a list's Python text: np.int64(7).
_NUMPY = re.compile(r"np\.\w+\(([^()]*)\)")

# A table without these cannot be used at all.
NEEDED: dict[str, tuple[str, ...]] = {
    "documents": ("id",),
    "text_units": ("id", "text"),
    "entities": ("title",),
    "relationships": ("source", "target"),
    "communities": ("community",),
    "community_reports": ("community",),
    "covariates": (),
    "spans": ("text_unit_id", "start", "end"),
}


def records(columns: Columns) -> Iterator[dict[str, Any]]:
    """The rows of a table as dictionaries, from its columns."""
    names = list(columns)
    for values in zip(*columns.values(), strict=True):
        yield dict(zip(names, values, strict=True))


def text(value: Any) -> str:
    """A value as text; null becomes the empty text."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return value if isinstance(value, str) else str(value)


def integer(value: Any, default: int = 0) -> int:
    """A whole number from an integer, a float or its text; `default` for null, NaN or anything else."""
    found = maybe_integer(value)
    return default if found is None else found


def maybe_integer(value: Any) -> int | None:
    if isinstance(value, int):
        return int(value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return int(number) if math.isfinite(number) else None


def maybe_float(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return None if math.isnan(number) else number


def items(value: Any) -> list[Any]:
    """A list from a list, an array, a set's or list's Python text (tables kept as csv), or null."""
    if value is None:
        return []
    if isinstance(value, str):
        try:
            parsed = ast.literal_eval(_NUMPY.sub(r"\1", value))
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return []
        return list(parsed) if isinstance(parsed, (list, tuple, set)) else []
    try:
        return list(value)
    except TypeError:
        return []


def texts(value: Any) -> tuple[str, ...]:
    return tuple(text(item) for item in items(value) if item is not None)


def integers(value: Any) -> tuple[int, ...]:
    return tuple(number for number in map(maybe_integer, items(value)) if number is not None)


def entities(columns: Columns) -> list[EntityRow]:
    return [
        EntityRow(
            id=text(row.get("id")) or str(position),
            number=integer(row.get("human_readable_id"), position),
            title=text(row["title"]),
            type=text(row.get("type")),
            description=text(row.get("description")),
            text_unit_ids=texts(row.get("text_unit_ids")),
            frequency=integer(row.get("frequency")),
            degree=integer(row.get("degree")),
        )
        for position, row in enumerate(records(columns))
    ]


def relationships(columns: Columns) -> list[RelationshipRow]:
    rows = []
    for position, row in enumerate(records(columns)):
        weight = row.get("weight", 1.0)
        number = maybe_float(weight)
        rows.append(
            RelationshipRow(
                id=text(row.get("id")) or str(position),
                number=integer(row.get("human_readable_id"), position),
                source=text(row["source"]),
                target=text(row["target"]),
                description=text(row.get("description")),
                weight=math.nan if number is None else number,
                combined_degree=integer(row.get("combined_degree")),
                text_unit_ids=texts(row.get("text_unit_ids")),
            )
        )
    return rows


def communities(columns: Columns) -> tuple[list[CommunityRow], int]:
    """The communities, and how many rows were left out because they bear no community number."""
    kept = [(number, row) for row in records(columns) if (number := maybe_integer(row["community"])) is not None]
    children = _children(kept)
    levels = _levels(kept)
    rows = [
        CommunityRow(
            id=text(row.get("id")) or str(number),
            community=number,
            level=levels[number],
            parent=integer(row.get("parent"), ROOT),
            children=children[position],
            title=text(row.get("title")) or f"Community {number}",
            entity_ids=texts(row.get("entity_ids")),
            relationship_ids=texts(row.get("relationship_ids")),
            text_unit_ids=texts(row.get("text_unit_ids")),
            period=text(row.get("period")),
            size=integer(row.get("size"), len(items(row.get("entity_ids")))),
        )
        for position, (number, row) in enumerate(kept)
    ]
    return rows, _length(columns) - len(kept)


def reports(columns: Columns, by_number: Mapping[int, CommunityRow]) -> tuple[list[ReportRow], int]:
    """The reports, and how many rows were left out because they bear no community number.

    What a report does not say about its place in the hierarchy is taken from its community.
    """
    rows: list[ReportRow] = []
    for row in records(columns):
        number = maybe_integer(row["community"])
        if number is None:
            continue
        community = by_number.get(number)
        children = row.get("children")
        rows.append(
            ReportRow(
                id=text(row.get("id")) or str(number),
                community=number,
                level=integer(row.get("level"), community.level if community else 0),
                parent=integer(row.get("parent"), community.parent if community else ROOT),
                children=(community.children if community else ()) if children is None else integers(children),
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
    return rows, _length(columns) - len(rows)


def text_units(columns: Columns) -> list[UnitRow]:
    rows = []
    for position, row in enumerate(records(columns)):
        documents = texts(row.get("document_ids"))
        rows.append(
            UnitRow(
                id=text(row["id"]),
                number=integer(row.get("human_readable_id"), position),
                text=text(row["text"]),
                n_tokens=integer(row.get("n_tokens")),
                document_id=text(row.get("document_id")) or (documents[0] if documents else ""),
                entity_ids=texts(row.get("entity_ids")),
                relationship_ids=texts(row.get("relationship_ids")),
                covariate_ids=texts(row.get("covariate_ids")),
            )
        )
    return rows


def documents(columns: Columns) -> list[DocumentRow]:
    rows = []
    for position, row in enumerate(records(columns)):
        raw = row.get("raw_data", row.get("metadata"))
        rows.append(
            DocumentRow(
                id=text(row["id"]),
                number=integer(row.get("human_readable_id"), position),
                title=text(row.get("title")),
                text=text(row.get("text")),
                text_unit_ids=texts(row.get("text_unit_ids")),
                creation_date=text(row.get("creation_date")),
                raw_data=None if raw is None else text(raw),
            )
        )
    return rows


def spans(columns: Columns) -> list[SpanRow]:
    return [
        SpanRow(
            text_unit_id=text(row["text_unit_id"]),
            document_id=text(row.get("document_id")),
            path=text(row.get("path")),
            start=integer(row["start"]),
            end=integer(row["end"]),
            page=maybe_integer(row.get("page")),
        )
        for row in records(columns)
    ]


def _levels(kept: list[tuple[int, dict[str, Any]]]) -> dict[int, int]:
    """The level of each community; where the table does not say, one below its parent's (0 without a parent)."""
    levels = {number: level for number, row in kept if (level := maybe_integer(row.get("level"))) is not None}
    parents = {number: integer(row.get("parent"), ROOT) for number, row in kept}
    for number in parents:
        path = [number]
        while path[-1] not in levels and parents.get(path[-1], ROOT) not in (ROOT, *path):
            path.append(parents[path[-1]])
        top = levels.setdefault(path[-1], 0)
        for below, member in enumerate(reversed(path)):
            levels.setdefault(member, top + below)
    return levels


def _children(kept: list[tuple[int, dict[str, Any]]]) -> list[tuple[int, ...]]:
    given = [row.get("children") for _, row in kept]
    if any(value is not None for value in given):
        return [integers(value) for value in given]
    found: dict[int, list[int]] = {}
    for number, row in kept:
        parent = integer(row.get("parent"), ROOT)
        if parent != ROOT:
            found.setdefault(parent, []).append(number)
    return [tuple(sorted(found.get(number, ()))) for number, _ in kept]


def _findings(value: Any) -> tuple[FindingRow, ...]:
    return tuple(
        FindingRow(summary=text(item.get("summary")), explanation=text(item.get("explanation")))
        for item in items(value)
        if isinstance(item, Mapping)
    )


def _length(columns: Columns) -> int:
    return len(next(iter(columns.values()), []))
