"""What the rows themselves say wrongly: repeated titles, impossible weights, citations without a target."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Collection

from explorer.health.collect import Defects
from explorer.health.report import Defect
from explorer.tables.citations import cited_numbers
from explorer.tables.index import Index


def check_content(index: Index) -> list[Defect]:
    """Repeated titles and ids, weights that clustering cannot use, report JSON that is none, citations to nothing."""
    defects = Defects()
    _repeats(defects, "duplicate_entity_title", [entity.title for entity in index.entities])
    _repeats(defects, "duplicate_entity_id", [entity.id for entity in index.entities])
    _repeats(defects, "duplicate_relationship_id", [row.id for row in index.relationships])
    _repeats(defects, "duplicate_report_title", [report.title for report in index.reports])
    _repeats(defects, "duplicate_text_unit_id", [unit.id for unit in index.text_units])
    _repeats(defects, "duplicate_document_id", [document.id for document in index.documents])
    pairs = Counter((row.source, row.target) for row in index.relationships)
    for (source, target), number in pairs.items():
        if number > 1 and source != target:
            defects.add(
                "repeated_relationship",
                f"{source[:80]} – {target[:80]} ({number} times)",
                "All rows are shown; their weights add up where the graph is drawn or clustered.",
            )
    for row in index.relationships:
        if not math.isfinite(row.weight) or row.weight <= 0:
            defects.add(
                "weight_not_positive",
                f"{row.source} – {row.target}: {row.weight}",
                "Clustering counts a missing weight as 1 and leaves out what is not above 0.",
            )
        if row.source == row.target:
            defects.add("self_loop", row.source, "It is left out of clustering and of degrees.")
    for report in index.reports:
        if report.full_content_json and not _is_json(report.full_content_json):
            defects.add(
                "bad_full_content_json",
                f"community {report.community}",
                "full_content is read instead; nothing is lost.",
            )
    _citations(defects, index)
    return defects.all()


def _repeats(defects: Defects, kind: str, values: list[str]) -> None:
    for value, number in Counter(values).items():
        if number > 1 and value:  # what is empty is told as missing
            defects.add(kind, f"{value[:80]} ({number} times)", "A look-up by it finds the first one.")


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
        texts = [report.full_content, report.summary, *(finding.explanation for finding in report.findings)]
        for name, numbers in cited_numbers("\n".join(texts)).items():
            if name not in targets or index.state(tables[name]).state != "read":
                continue
            for number in sorted(numbers):
                if number not in targets[name]:
                    defects.add(
                        "unresolved_citation",
                        f"community {report.community} cites {name} ({number})",
                        "It leads nowhere; the report names what is not in the index.",
                    )


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
