"""The prompts of the program, filled in: what a language model is sent, and what a rehearsal counts.

Each prompt ends with its data on lines of their own. A tokenizer of the GPT family never joins a line feed with the
letter that follows it, so that the tokens of a prompt are those of its head and those of its data.
"""

from __future__ import annotations

from functools import cache
from string import Template

from explorer.analysts.judgements import Message
from explorer.base.paths import resource
from explorer.base.tokens import EncodingName, count_tokens


def render(name: str, **fields: object) -> str:
    """The prompt `name` with its fields filled in.

    Values are put in once: a `$` inside them is ordinary text. Raises KeyError for a field that is missing and
    FileNotFoundError for a name that is no prompt.
    """
    return Template(_template(name)).substitute({field: str(value) for field, value in fields.items()})


def map_messages(question: str, batch_text: str, max_length: int = 1000) -> tuple[Message, ...]:
    """What a model is sent for one map batch: the prompt with the batch's text, then the question."""
    system = render("map_points", context_data=batch_text, max_length=max_length)
    return Message("system", system), Message("user", question)


def reduce_messages(
    question: str, data: str, response_type: str = "Multiple Paragraphs", max_length: int = 2000
) -> tuple[Message, ...]:
    """What a model is sent to write the answer: the prompt with the packed points, then the question."""
    system = render("reduce", report_data=data, response_type=response_type, max_length=max_length)
    return Message("system", system), Message("user", question)


def rating_messages(question: str, report: str) -> tuple[Message, ...]:
    """What a model is sent to rate one report for a question."""
    system = render("community_rating", description=report, question=question)
    return Message("system", system), Message("user", question)


def answer_messages(question: str, context: str, response_type: str = "Multiple Paragraphs") -> tuple[Message, ...]:
    """What a model is sent to answer from rows of an index."""
    return (
        Message("system", render("answer", context_data=context, response_type=response_type)),
        Message("user", question),
    )


def report_messages(input_text: str, max_report_length: int = 2000) -> tuple[Message, ...]:
    """What a model is sent to write the report of one community."""
    return (Message("user", render("community_report", input_text=input_text, max_report_length=max_report_length)),)


def describe_messages(title: str, descriptions: str, max_length: int = 500) -> tuple[Message, ...]:
    """What a model is sent to join several descriptions of one thing."""
    return (Message("user", render("describe", title=title, descriptions=descriptions, max_length=max_length)),)


def count_messages(messages: tuple[Message, ...], tokenizer: EncodingName = "cl100k_base") -> int:
    """Tokens of the contents of some messages; what a server adds for each message's frame is not counted."""
    return sum(count_tokens(message.content, tokenizer) for message in messages)


@cache
def _template(name: str) -> str:
    # A file ends with a line feed, the prompt with its data: they must end the message for the counts to add up.
    return resource("prompts", f"{name}.txt").read_text("utf-8").rstrip("\n")
