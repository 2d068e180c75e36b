"""From the columns of a table, whatever made it, to rows: numbers from floats or text, lists from arrays or text."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

from explorer.tables.hierarchy import Place, derive_hierarchy
from explorer.tables.lists import items
from explorer.tables.rows import (
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

_CLAIM_TEXTS = ("subject_id", "object_id", "type", "status", "start_date", "end_date", "description", "source_text",
                "text_unit_id")  # fmt: skip
Columns = Mapping[str, list[Any]]

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


def communities(columns: Columns) -> tuple[list[CommunityRow], tuple[str, ...]]:
    """The communities, and what had to be left out or derived, a sentence each."""
    kept = [(number, row) for row in records(columns) if (number := maybe_integer(row["community"])) is not None]
    hierarchy = derive_hierarchy([_place(number, row) for number, row in kept])
    rows = [
        CommunityRow(
            id=text(row.get("id")) or str(number),
            community=number,
            level=_or(maybe_integer(row.get("level")), hierarchy.levels[number]),
            parent=hierarchy.parents[number],
            children=hierarchy.children[number],
            title=text(row.get("title")) or f"Community {number}",
            entity_ids=texts(row.get("entity_ids")),
            relationship_ids=texts(row.get("relationship_ids")),
            text_unit_ids=texts(row.get("text_unit_ids")),
            period=text(row.get("period")),
            size=integer(row.get("size"), len(items(row.get("entity_ids")))),
        )
        for number, row in kept
    ]
    return rows, (*_left_out(columns, len(kept)), *hierarchy.notes)


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
    return rows, _left_out(columns, len(rows))


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


def claims(columns: Columns) -> list[ClaimRow]:
    return [
        ClaimRow(
            id=text(row.get("id")) or str(position),
            number=integer(row.get("human_readable_id"), position),
            **{name: text(row.get(name)) for name in _CLAIM_TEXTS},
        )
        for position, row in enumerate(records(columns))
    ]


def documents(columns: Columns) -> list[DocumentRow]:
    rows = []
    for position, row in enumerate(records(columns)):
        rows.append(
            DocumentRow(
                id=text(row["id"]),
                number=integer(row.get("human_readable_id"), position),
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
            text_unit_id=text(row["text_unit_id"]),
            document_id=text(row.get("document_id")),
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
        level=maybe_integer(row.get("level")),
        parent=maybe_integer(row.get("parent")),
        children=None if children is None else integers(children),
        entity_ids=texts(row.get("entity_ids")),
    )


def _or(value: int | None, default: int) -> int:
    return default if value is None else value


def _left_out(columns: Columns, kept: int) -> tuple[str, ...]:
    length = _length(columns)
    return () if kept == length else (f"left out without a community number: {length - kept} of {length} rows",)


def _findings(value: Any) -> tuple[FindingRow, ...]:
    return tuple(
        FindingRow(summary=text(item.get("summary")), explanation=text(item.get("explanation")))
        for item in items(value)
        if isinstance(item, Mapping)
    )


def _length(columns: Columns) -> int:
    return len(next(iter(columns.values()), []))
