"""What the rows themselves say wrongly: repeated titles, impossible weights, citations without a target."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Collection

from explorer.health.collect import Defects
from explorer.health.report import Defect
from explorer.tables.citations import cited_in
from explorer.tables.index import Index

_REPEATED = "A look-up by it finds the first row alone: give each row its own, or index again."
_ONE_ENTITY = "Relationships name it, and go to the first row alone: join the rows, rename one, or index again."
_TELL_APART = "Tell these reports apart by the numbers of their communities; no answer is changed by it."


def check_content(index: Index) -> list[Defect]:
    """Repeated titles and ids, weights that clustering cannot use, report JSON that is none, citations to nothing."""
    defects = Defects()
    _repeats(defects, "duplicate_entity_title", [entity.title for entity in index.entities], _ONE_ENTITY)
    _repeats(defects, "duplicate_entity_id", [entity.id for entity in index.entities])
    _repeats(defects, "duplicate_relationship_id", [row.id for row in index.relationships])
    first: dict[int, str] = {}
    for report in index.reports:
        first.setdefault(report.community, report.title)  # a second report of one community is told elsewhere
    _repeats(defects, "duplicate_report_title", list(first.values()), _TELL_APART)
    _repeats(defects, "duplicate_text_unit_id", [unit.id for unit in index.text_units])
    _repeats(defects, "duplicate_document_id", [document.id for document in index.documents])
    # One pair named either way is no repetition: GraphRAG's own tables have it, and it is told among the losses.
    pairs = Counter((row.source, row.target) for row in index.relationships)
    for (source, target), number in pairs.items():
        if number > 1 and source != target:
            defects.add(
                "repeated_relationship",
                f"{source[:80]} – {target[:80]} ({number} times)",
                "GraphRAG clusters by the weight of the last of them, this program by their sum: remove what is a "
                "copy, or index again.",
            )
    for row in index.relationships:
        if not math.isfinite(row.weight) or row.weight <= 0:
            defects.add(
                "weight_not_positive",
                f"{row.source} – {row.target}: {row.weight}",
                "Clustering here counts a missing weight as 1 and leaves out what is not above 0: correct the table.",
            )
        if row.source == row.target:
            defects.add("self_loop", row.source, "Nothing need be done: clustering and degrees leave it out.")
    for report in index.reports:
        if report.full_content_json and not _is_json(report.full_content_json):
            defects.add(
                "bad_full_content_json",
                f"community {report.community}",
                "Nothing need be done: full_content is read instead.",
            )
    _citations(defects, index)
    return defects.all()


def _repeats(defects: Defects, kind: str, values: list[str], remedy: str = _REPEATED) -> None:
    for value, number in Counter(values).items():
        if number > 1 and value:  # what is empty is told as missing
            defects.add(kind, f"{value[:80]} ({number} times)", remedy)


def _citations(defects: Defects, index: Index) -> None:
    targets: dict[str, Collection[int]] = {
        "Entities": index.entity_by_number,
        "Relationships": index.relationship_by_number,
        "Sources": index.unit_by_number,
        "Reports": index.community_by_number,
        "Claims": {row.number for row in index.claims},
    }
    tables = {
        "Entities": "entities",
        "Relationships": "relationships",
        "Sources": "text_units",
        "Reports": "communities",
        "Claims": "covariates",
    }
    for report in index.reports:
        for name, numbers in cited_in(report).items():
            if name not in targets or index.state(tables[name]).state != "read":
                continue
            for number in sorted(numbers):
                if number not in targets[name]:
                    defects.add(
                        "unresolved_citation",
                        f"community {report.community} cites {name} ({number})",
                        "It leads nowhere: check what the report says there against the documents, or index again.",
                    )


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
