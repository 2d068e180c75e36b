"""What a model is sent for each call of indexing, known before any call is made: pure functions of what is read.

The tokens of a call's prompt are those of its messages' contents, `explorer.analysts.prompts.count_messages`.
"""

from __future__ import annotations

from collections.abc import Sequence

from explorer.analysts.judgements import ReportContext
from explorer.analysts.message import Message
from explorer.analysts.model.describe import note_lines
from explorer.analysts.model.report_context import RenderedContext, render_context
from explorer.analysts.prompts import CLAIMS, Prompts, shipped


def extract_messages(
    unit_text: str, *, entity_types: Sequence[str] | None = None, prompts: Prompts | None = None
) -> tuple[Message, ...]:
    """What is sent to find the entities and relationships of a text unit; `entity_types` None is: of any type."""
    return (prompts or shipped()).extract_messages(unit_text, entity_types)


def glean_messages(before: Sequence[Message], reply: str, *, prompts: Prompts | None = None) -> tuple[Message, ...]:
    """What is sent to find what the last reply missed: the conversation before it, the reply, the request."""
    return (prompts or shipped()).glean_messages(before, reply)


def claim_messages(
    unit_text: str, *, claim_description: str = CLAIMS, prompts: Prompts | None = None
) -> tuple[Message, ...]:
    """What is sent to find the claims of a text unit."""
    return (prompts or shipped()).claim_messages(unit_text, claim_description)


def describe_messages(
    title: str, descriptions: Sequence[str], *, max_length: int = 500, prompts: Prompts | None = None
) -> tuple[Message, ...]:
    """What is sent to join some descriptions of one thing, where they fit into one call."""
    return (prompts or shipped()).describe_messages(title, note_lines(descriptions), max_length)


def report_messages(
    context: ReportContext,
    *,
    max_report_length: int = 2000,
    prompts: Prompts | None = None,
    rendered: RenderedContext | None = None,
) -> tuple[Message, ...]:
    """What is sent to write the report of a community; `rendered` where the context is rendered already."""
    text = (rendered or render_context(context)).text
    return (prompts or shipped()).report_messages(text, max_report_length)
