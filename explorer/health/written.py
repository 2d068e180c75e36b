"""Reports that do not fit what they stand for: longer than a batch, older than their community, ambiguous."""

from __future__ import annotations

from collections import Counter

from explorer.base.tokens import count_tokens
from explorer.health.collect import Defects
from explorer.health.report import Defect
from explorer.tables.citations import cited_numbers
from explorer.tables.index import Index

BATCH = 12_000  # tokens: GraphRAG's max_context_tokens
_LEAST = 1.5  # characters that a token has at the least, in texts that are long: below it nothing need be counted


def check_written(index: Index) -> list[Defect]:
    """Reports longer than a batch, stale reports, and citations whose number two rows of a table bear."""
    defects = Defects()
    for report in index.reports:
        tokens = count_tokens(report.full_content) if len(report.full_content) > BATCH * _LEAST else 0
        if tokens > BATCH:
            defects.add(
                "report_longer_than_batch",
                f"{report.title} (community {report.community}): {tokens:,} tokens",
                f"It is sent whole and alone, over the {BATCH:,} tokens of a batch; write it shorter.",
            )
        community = index.community_by_number.get(report.community)
        if community is None:
            continue
        differs = [
            f"{name} {old} instead of {new}"
            for name, old, new in (
                ("level", report.level, community.level),
                ("size", report.size, community.size),
                ("period", report.period, community.period),
            )
            if old != new and (name == "level" or (old and new))
        ]
        if differs:
            defects.add(
                "stale_report",
                f"{report.title} (community {report.community}): {', '.join(differs)}",
                "It was written of another state of its community; index again, or take both tables from one run.",
            )
    _ambiguous(defects, index)
    return defects.all()


def _ambiguous(defects: Defects, index: Index) -> None:
    numbers = {
        "Entities": Counter(row.number for row in index.entities),
        "Relationships": Counter(row.number for row in index.relationships),
        "Sources": Counter(row.number for row in index.text_units),
        "Claims": Counter(row.number for row in index.claims),
    }
    twice = {name: {number for number, count in found.items() if count > 1} for name, found in numbers.items()}
    if not any(twice.values()):
        return
    for report in index.reports:
        for name, cited in cited_numbers(report.full_content).items():
            for number in sorted(cited & twice.get(name, set())):
                defects.add(
                    "ambiguous_citation",
                    f"community {report.community} cites {name} ({number}), which {numbers[name][number]} rows bear",
                    "The first of them opens; give each row a number of its own.",
                )
