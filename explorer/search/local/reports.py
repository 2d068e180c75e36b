"""The reports of a local context: those of the communities that most of the selected entities are in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from explorer.base.token_cache import TokenCounter
from explorer.search.batches import DELIMITER, quoted
from explorer.search.reports import positions_within
from explorer.tables.empty_cells import as_graphrag_reads
from explorer.tables.rows import EntityRow, ReportRow

if TYPE_CHECKING:
    from explorer.tables.index import Index

NAME = "Reports"
_HEADER = ("id", "title", "content")
NOWHERE = -1
NOTHING = "[]"  # what GraphRAG sends where not even the first report fits, or there is none


def communities_of(index: Index, level: int | None) -> dict[str, list[int]]:
    """Entity id → the communities at or below a level that it is in; entities in none are not there, unless there is
    no level: then they are NOWHERE, as in GraphRAG.

    The order is that in which GraphRAG meets them: of a set of numbers.
    """
    found: dict[str, set[int]] = {}
    entities = index.entity_by_id
    for row in index.communities:
        if level is None or row.level <= level:
            for key in row.entity_ids:
                if key in entities:
                    found.setdefault(key, set()).add(row.community)
    if level is None:
        return {key: list(found.get(key, (NOWHERE,))) for key in entities}
    return {key: list(numbers) for key, numbers in found.items()}


def rank_reports(
    index: Index, selected: Sequence[EntityRow], homes: Mapping[str, Sequence[int]], level: int | None
) -> list[ReportRow] | None:
    """The reports of the communities that selected entities are in: by how many of them, then by rank, best first.

    None where there is no report at all at or below the level. Of two reports of one community the last counts.
    """
    rows = as_graphrag_reads(index, "community_reports", index.reports, ("title", "full_content"))
    reports = {rows[position].community: rows[position] for position in positions_within(index, level)}
    if not reports:
        return None
    matches: dict[int, int] = {}
    for entity in selected:
        for community in homes.get(entity.id, ()):
            matches[community] = matches.get(community, 0) + 1
    found = [reports[community] for community in matches if community in reports]
    # Ranks that are missing compare as they do in GraphRAG: as numbers that are none.
    ranks = [float("nan") if report.rank is None else report.rank for report in found]
    keys = {id(report): (matches[report.community], rank) for report, rank in zip(found, ranks, strict=True)}
    found.sort(key=lambda report: keys[id(report)], reverse=True)
    return [report for report in found if report.rank is not None and report.rank >= 0]


def reports_section(reports: Sequence[ReportRow], budget: int, counter: TokenCounter) -> tuple[str, int, list[int]]:
    """The text, how many reports it holds, and the tokens of each that was offered.

    Source: build_community_context of graphrag 3.3.0 in its mode of one batch.
    """
    opening = f"-----{NAME}-----\n{DELIMITER.join(_HEADER)}\n"
    used, kept = counter.count(opening), 0
    rows = [(str(report.community), report.title, report.full_content) for report in reports]
    counts = counter.count_all([DELIMITER.join(row) + "\n" for row in rows])
    for count in counts:
        if used + count > budget:
            break
        used += count
        kept += 1
    if not kept:
        return NOTHING, 0, counts
    lines = [DELIMITER.join(map(quoted, cells)) for cells in (_HEADER, *rows[:kept])]
    return f"-----{NAME}-----\n" + "\n".join(lines) + "\n", kept, counts
