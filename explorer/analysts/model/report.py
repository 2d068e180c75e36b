"""The report of one community: one call, with ids of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from explorer.analysts.judgements import ReportContext, WrittenReport
from explorer.analysts.model.messages import report_messages
from explorer.analysts.model.read_report import ReadReport, read_report
from explorer.analysts.model.report_context import render_context
from explorer.analysts.model.schemas import COMMUNITY_REPORT
from explorer.analysts.prompts import Prompts
from explorer.models.calls import Caller, ChatRequest


@dataclass(frozen=True)
class ReportWriting:
    """What became of one report, and what its reply lost by name. `asked` is False where the community has no text, and
    no model was asked.
    """

    report: WrittenReport | None
    lost: Mapping[str, int]
    asked: bool = True


async def write_report(
    caller: Caller, context: ReportContext, *, prompts: Prompts, max_report_length: int
) -> ReportWriting:
    """Ask for the report of one community; its citations come back as numbers of the tables.

    Parameters
    ----------
    max_report_length: words that the prompt allows.

    Raises what the caller raises.
    """
    rendered = render_context(context)
    if not rendered.has_text:
        return ReportWriting(None, {}, asked=False)
    messages = report_messages(context, prompts=prompts, max_report_length=max_report_length, rendered=rendered)
    result = await caller.chat(
        ChatRequest(
            "reports",
            tuple((message.role, message.content) for message in messages),
            COMMUNITY_REPORT,
            f"community {context.community}",
            partial(read_report, numbers=rendered.numbers),
        )
    )
    value = result.value
    if not result.usable or not isinstance(value, ReadReport):
        return ReportWriting(None, result.lost)
    report = WrittenReport(
        context.community, value.title, value.summary, value.findings, value.rating, value.rating_explanation
    )
    return ReportWriting(report, result.lost)
