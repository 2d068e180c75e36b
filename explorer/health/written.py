"""Reports that do not fit what they stand for: longer than a batch, older than their community, ambiguous."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from explorer.base.token_cache import TokenCounter
from explorer.health.collect import Defects
from explorer.health.report import Defect
from explorer.search.batches import BatchRow, build_batches
from explorer.search.options import GlobalOptions
from explorer.tables.citations import cited_in
from explorer.tables.families import report_families
from explorer.tables.index import Index
from explorer.tables.rows import CommunityRow, ReportRow

_SHOWN = 8  # children in a sentence
_FRAME = 200  # bytes: what the header and the short columns of a row are sure to stay under


def check_written(index: Index) -> list[Defect]:
    """Reports longer than a batch, stale reports, and citations whose number two rows of a table bear."""
    defects = Defects()
    limit = _limit(index)
    counter = TokenCounter(GlobalOptions().tokenizer)
    family = report_families(index)
    for position, report in enumerate(index.reports):
        tokens = _tokens(position, report, limit, counter)
        if tokens > limit:
            defects.add(
                "report_longer_than_batch",
                f"{report.title} (community {report.community}): {tokens:,} tokens",
                f"It is sent whole and alone, over the {limit:,} tokens of a batch: raise max_context_tokens, or lower "
                "community_reports.max_length and index again.",
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
        differs += _moved(family.get(position, {}), community)
        if differs:
            defects.add(
                "stale_report",
                f"{report.title} (community {report.community}): {', '.join(differs)}",
                "It was written for another state of its community: index again, or take both tables from one run.",
            )
    _ambiguous(defects, index)
    return defects.all()


def _moved(told: Mapping[str, object], community: CommunityRow) -> list[str]:
    """In words, where a report names another parent or other children than its community."""
    found = []
    if "parent" in told and told["parent"] != community.parent:
        found.append(f"parent {told['parent']} instead of {community.parent}")
    if "children" in told and told["children"] != tuple(sorted(community.children)):
        found.append(f"children {_numbers(told['children'])} instead of {_numbers(sorted(community.children))}")
    return found


def _numbers(found: object) -> str:
    words = [str(number) for number in found] if isinstance(found, list | tuple) else []
    return ", ".join([*words[:_SHOWN], *(["…"] if len(words) > _SHOWN else [])]) or "none"


def _limit(index: Index) -> int:
    told = index.settings.values.get("max_context_tokens") if index.settings is not None else None
    return int(told) if told else GlobalOptions().max_context_tokens


def _tokens(position: int, report: ReportRow, limit: int, counter: TokenCounter) -> int:
    """What a batch of this report alone counts; 0 where it is too short to be counted: a token has a byte at least."""
    if len((report.full_content + report.title).encode("utf-8", "replace")) + _FRAME <= limit:
        return 0
    row = BatchRow(position, report, 1.0, report.full_content)
    return build_batches([row], max_context_tokens=limit, seed=0, counter=counter)[0].context_tokens


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
        for name, cited in cited_in(report).items():
            for number in sorted(cited & twice.get(name, set())):
                defects.add(
                    "ambiguous_citation",
                    f"community {report.community} cites {name} ({number}), which {numbers[name][number]:,} rows bear",
                    "The first of them opens: give each row a number of its own in human_readable_id, or index again.",
                )
