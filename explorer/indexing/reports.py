"""Stage reports: one for each community, the deepest level first, so that a parent can build on its children."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from explorer.analysts.judgements import CallCount, IndexAnalyst, WrittenReport
from explorer.analysts.prompts import count_messages, report_messages
from explorer.base.cancel import CancelScope
from explorer.base.events import EventSink, StageProgress
from explorer.base.ids import content_hash
from explorer.base.tokens import count_tokens
from explorer.corpus.material import TextUnit
from explorer.indexing.claims import ClaimRow
from explorer.indexing.contexts import ContextBuilder
from explorer.indexing.progress import inside
from explorer.indexing.rows import GraphRows
from explorer.tables.rows import CommunityRow, FindingRow, ReportRow

STAGE = "reports"
NO_REPORT = "community_without_report"
FROM_CHILDREN = "report_from_children"


@dataclass(frozen=True)
class Reports:
    """Reports in GraphRAG's order: the deepest level first, then by community. `dropped` counts losses by name;
    `from_children` is the number of reports that were written from those of the children; `calls` what a language
    model would have been charged for."""

    rows: tuple[ReportRow, ...]
    calls: CallCount = field(default_factory=CallCount)
    from_children: int = 0
    dropped: dict[str, int] = field(default_factory=dict)


def write_reports(
    analyst: IndexAnalyst,
    communities: Sequence[CommunityRow],
    graph: GraphRows,
    units: Sequence[TextUnit],
    *,
    max_input_tokens: int,
    claims: Sequence[ClaimRow] = (),
    sink: EventSink,
    scope: CancelScope,
) -> Reports:
    """Have the analyst write all reports, level by level. A community whose report does not come is counted.

    Where a child has no report, its parent is written without it.

    Raises Cancelled.
    """
    builder = ContextBuilder(graph, communities, units, max_input_tokens, claims)
    written: dict[int, WrittenReport] = {}
    rows: list[ReportRow] = []
    dropped: dict[str, int] = {}
    from_children = prompt_tokens = output_tokens = 0
    head = count_messages(report_messages(""))
    done = 0
    for level in sorted({row.level for row in communities}, reverse=True):
        scope.checkpoint()
        here = sorted((row for row in communities if row.level == level), key=lambda row: row.community)
        built = builder.build(here, written)
        for name, number in built.dropped.items():
            dropped[name] = dropped.get(name, 0) + number
        from_children += sum(context.from_children for context in built.contexts)
        came = analyst.report(built.contexts, sink=inside(sink, STAGE, done, len(communities)), scope=scope)
        by_community = {report.community: report for report in came}
        for community in here:
            report = by_community.get(community.community)
            if report is None:
                dropped[NO_REPORT] = dropped.get(NO_REPORT, 0) + 1
                continue
            written[community.community] = report
            row = _row(report, community)
            rows.append(row)
            prompt_tokens += head + built.tokens[community.community]
            output_tokens += count_tokens(row.full_content_json)
        done += len(here)
        sink(StageProgress(STAGE, done, len(communities)))
    take_losses = getattr(analyst, "take_report_losses", None)
    for name, number in (take_losses() if take_losses is not None else {}).items():
        dropped[name] = dropped.get(name, 0) + number
    calls = CallCount(count=len(rows), prompt_tokens=prompt_tokens, output_tokens=output_tokens)
    return Reports(tuple(rows), calls, from_children, dropped)


def _row(report: WrittenReport, community: CommunityRow) -> ReportRow:
    full_content = render_report(report)
    return ReportRow(
        id=content_hash(full_content),
        community=community.community,
        level=community.level,
        parent=community.parent,
        children=community.children,
        title=report.title,
        summary=report.summary,
        full_content=full_content,
        rank=report.rating,
        rating_explanation=report.rating_explanation,
        findings=tuple(FindingRow(finding.summary, finding.explanation) for finding in report.findings),
        full_content_json=report_json(report),
        period=community.period,
        size=community.size,
    )


def render_report(report: WrittenReport) -> str:
    """The report as Markdown, in GraphRAG's form: title, summary, then each finding under its own heading."""
    findings = "\n\n".join(f"## {finding.summary}\n\n{finding.explanation}" for finding in report.findings)
    return f"# {report.title}\n\n{report.summary}\n\n{findings}"


def report_json(report: WrittenReport) -> str:
    """The report as JSON indented by 4 spaces, with GraphRAG's five fields in its order."""
    fields = {
        "title": report.title,
        "summary": report.summary,
        "findings": [{"summary": item.summary, "explanation": item.explanation} for item in report.findings],
        "rating": report.rating,
        "rating_explanation": report.rating_explanation,
    }
    return json.dumps(fields, ensure_ascii=False, indent=4)
