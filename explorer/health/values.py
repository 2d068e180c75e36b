"""Values that a row cannot do without and does not have, and numbers that are none."""

from __future__ import annotations

from collections.abc import Iterable

from explorer.health.collect import Defects
from explorer.health.report import Defect
from explorer.tables.filled_in import NUMBER, filled_notes
from explorer.tables.index import Index

_BEFORE_NUMBERS = ("0.1", "before 2", "unknown")  # versions that gave numbers to some tables only
_KINDS = {NUMBER: "row_without_number", "id": "row_without_id"}  # of what a row may lack; the others are numbers
_FILLED = {
    "row_without_number": "Citations go by it, and may lead to another row: give each row its own, or index again.",
    "row_without_id": "Other tables go by it: take the table from where the index was made, or index again.",
}
_SOURCE = "Take the table from where the index was made, or index again."


def check_values(index: Index) -> list[Defect]:
    """Entities and ends without a title, text units and reports without text, ratings outside 0 to 10, no numbers."""
    defects = Defects()

    def look(kind: str, examples: Iterable[str], remedy: str = _SOURCE) -> None:
        for example in examples:
            defects.add(kind, example, remedy)

    look("entity_without_title", (f"entity {row.number}, id {row.id}" for row in index.entities if not row.title))
    look(
        "relationship_without_end",
        (f"relationship {row.number}, id {row.id}" for row in index.relationships if not (row.source and row.target)),
    )
    look("text_unit_without_text", (f"text unit {row.number}" for row in index.text_units if not row.text.strip()))
    look(
        "report_without_text",
        (f"community {row.community}" for row in index.reports if not row.full_content.strip()),
        "It adds nothing to an answer: index again to have it written.",
    )
    look("report_without_title", (f"community {row.community}" for row in index.reports if not row.title.strip()))
    look(
        "report_without_rating",
        (f"{row.title} (community {row.community})" for row in index.reports if row.rank is None),
        "Neither global nor local search reads it: write a rating into rank, or index again.",
    )
    look(
        "rating_out_of_range",
        (
            f"{row.title} (community {row.community}): {row.rank:g}"
            for row in index.reports
            if row.rank is not None and not 0 <= row.rank <= 10
        ),
        "Ratings go from 0 to 10, and it is used as it stands: correct it, for it decides the order in a batch.",
    )
    if index.version not in _BEFORE_NUMBERS:
        look(
            "no_citation_numbers",
            (
                f"{name} has no column human_readable_id"
                for name in ("entities", "relationships", "text_units")
                if index.state(name).state == "read" and "human_readable_id" not in index.columns(name)
            ),
            "Citations are counted by rows, and may lead to the wrong one: index again with GraphRAG 0.5 or later.",
        )
    return [*defects.all(), *_filled(index)]


def _filled(index: Index) -> list[Defect]:
    """What rows do not say and no other column tells, one line a kind. A column that is not there at all is a remark
    in the table's line: its version may never have had it."""
    found: dict[str, Defect] = {}
    for fill in (fill for fills in index.filled.values() for fill in fills if not (fill.absent or fill.derived)):
        kind = _KINDS.get(fill.column, "value_filled_in")
        example = f"{fill.table}: {filled_notes([fill])[0]}"
        known = found.get(kind)
        if known is None:
            found[kind] = Defect(kind=kind, count=fill.count, example=example, remedy=_FILLED.get(kind, _SOURCE))
        else:
            known.count += fill.count
            known.example += f"; {example}"
    return list(found.values())
