"""Several descriptions of one thing → one, by a model, in batches within a budget.

Source: GraphRAG's summarisation of descriptions: sorted, as many as the budget holds, and the summary so far is the
first of the next batch. Ours never goes over the budget for the sake of one more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from explorer.analysts.judgements import CallCount
from explorer.analysts.model.call_counts import count_call, sum_counts
from explorer.analysts.model.read_description import read_description
from explorer.analysts.prompts import Prompts, count_messages
from explorer.base.tokens import EncodingName, count_tokens
from explorer.models.calls import Caller, ChatRequest


@dataclass(frozen=True)
class Described:
    """One description of one thing, the calls that made it, what their replies lost by name, and whether it was made:
    `joined` says that a call failed and the descriptions stand one below the other instead.
    """

    text: str
    calls: CallCount
    lost: Counter[str]
    joined: bool = False


async def describe_thing(
    caller: Caller,
    title: str,
    descriptions: Sequence[str],
    *,
    prompts: Prompts,
    max_length: int,
    max_input_tokens: int,
    tokenizer: EncodingName,
) -> Described:
    """Join the descriptions (distinct, sorted, two or more) of one thing.

    Parameters
    ----------
    title: an entity's, or both of a relationship's.
    max_length: words that the prompt allows. max_input_tokens: of one call's prompt; two descriptions that are longer
        together are sent all the same, because fewer cannot be joined.

    Raises what the caller raises.
    """
    calls = CallCount()
    lost: Counter[str] = Counter()
    waiting = list(descriptions)
    budget = max_input_tokens - count_messages(prompts.describe_messages(title, "", max_length), tokenizer)
    while len(waiting) > 1:
        taken = _fitting(waiting, budget, tokenizer)
        messages = prompts.describe_messages(title, note_lines(waiting[:taken]), max_length)
        sent = tuple((message.role, message.content) for message in messages)
        result = await caller.chat(ChatRequest("describe", sent, subject=title, read=read_description))
        calls = sum_counts((calls, count_call(result)))
        lost.update(result.lost)
        if not result.usable or not isinstance(result.value, str):
            return Described("\n".join(descriptions), calls, lost, joined=True)
        waiting[:taken] = [result.value]
    return Described(waiting[0], calls, lost)


def note_lines(descriptions: Sequence[str]) -> str:
    """Descriptions as the lines of a prompt."""
    return "\n".join(f"- {text}" for text in descriptions)


def _fitting(descriptions: Sequence[str], budget: int, tokenizer: EncodingName) -> int:
    """How many of the first descriptions fit, at least two."""
    used = 0
    for number, text in enumerate(descriptions):
        used += count_tokens(f"- {text}\n", tokenizer)
        if used > budget and number >= 2:
            return number
    return len(descriptions)
