"""The columns of GraphRAG 3's vector tables, in order, with their Arrow types, and what each table is made from.

Source: the tables that graphrag-vectors 3.3.0 writes; a date stands beside its parts, so that one can ask for a month.
"""

from __future__ import annotations

from datetime import datetime

import pyarrow as pa

LANCEDB_NAME = "lancedb"
UNITS = "text_unit_text"
ENTITIES = "entity_description"
REPORTS = "community_full_content"
VECTOR_TABLES = (UNITS, ENTITIES, REPORTS)
# Names of the same tables in indexes of GraphRAG 1 and 2.
OLDER_NAMES = {
    UNITS: ("default-text_unit-text",),
    ENTITIES: ("default-entity-description",),
    REPORTS: ("default-community-full_content",),
}
# Of which table of the index, and the columns that are embedded (joined by a colon where there are two).
SOURCES = {
    UNITS: ("text_units", ("text",)),
    ENTITIES: ("entities", ("title", "description")),
    REPORTS: ("community_reports", ("full_content",)),
}

_DATES = ("create_date", "update_date")
_PARTS: tuple[tuple[str, pa.DataType], ...] = (
    ("year", pa.int64()),
    ("month", pa.int64()),
    ("month_name", pa.string()),
    ("day", pa.int64()),
    ("day_of_week", pa.string()),
    ("hour", pa.int64()),
    ("quarter", pa.int64()),
)
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def vector_schema(dimension: int) -> pa.Schema:
    """The Arrow schema of a vector table whose vectors have `dimension` numbers."""
    fields = [pa.field("id", pa.string()), pa.field("vector", pa.list_(pa.float32(), dimension))]
    fields += [pa.field(name, pa.string()) for name in _DATES]
    fields += [pa.field(f"{date}_{part}", kind) for date in _DATES for part, kind in _PARTS]
    return pa.schema(fields)


def date_values(created: datetime) -> dict[str, str | int | None]:
    """The values of all columns but id and vector, for a row that was made at `created` and not changed since.

    Names of months and days are English whatever the locale, as GraphRAG writes them.
    """
    parts: dict[str, str | int | None] = {
        "year": created.year,
        "month": created.month,
        "month_name": _MONTHS[created.month - 1],
        "day": created.day,
        "day_of_week": _DAYS[created.weekday()],
        "hour": created.hour,
        "quarter": (created.month - 1) // 3 + 1,
    }
    values: dict[str, str | int | None] = {"create_date": created.isoformat(), "update_date": None}
    values.update({f"create_date_{name}": value for name, value in parts.items()})
    values.update({f"update_date_{name}": None for name in parts})
    return values
