"""What is sent for each batch, and how many tokens it has."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.base.token_cache import TokenCounter
from explorer.search.batches import Batch
from explorer.search.options import GlobalOptions

if TYPE_CHECKING:
    from explorer.analysts.message import Message
    from explorer.analysts.prompts import Prompts

_MARK = "\ufdd0batch\ufdd0"  # stands for a batch in a prompt; no text has such characters


@dataclass(frozen=True)
class MapMessages:
    """The messages of one map call, and the tokens of their contents."""

    messages: tuple[Message, ...]
    prompt_tokens: int


def map_prompts(
    question: str,
    batches: Sequence[Batch],
    options: GlobalOptions,
    counter: TokenCounter,
    prompts: Prompts | None = None,
) -> list[MapMessages]:
    """What would be sent for each batch, and its tokens: those of the contents of the messages, frames not counted.

    `prompts` are those of the project; by default those that ship.
    """
    from explorer.analysts.prompts import shipped

    prompts = prompts or shipped()
    messages = [prompts.map_messages(question, batch.text, options.map_max_length) for batch in batches]
    contents: list[tuple[str, ...]] = []
    at = 0  # where the batch begins: in all prompts at the same place
    for texts, batch in zip(messages, batches, strict=True):
        for message in texts:
            parts, at = _parts(message.content, batch, at)
            contents.append(parts)
    counts = iter(counter.count_parts(contents))
    return [MapMessages(texts, sum(next(counts) for _ in texts)) for texts in messages]


def map_tokens(
    question: str,
    batches: Sequence[Batch],
    digest: bytes,
    options: GlobalOptions,
    counter: TokenCounter,
    prompts: Prompts,
) -> list[int]:
    """The tokens of what `map_prompts` makes for each batch, without making it. `digest` is a hash of the batches."""
    frame = [message.content for message in prompts.map_messages(question, _MARK, options.map_max_length)]
    if sum(content.count(_MARK) for content in frame) != 1 or any(not batch.parts for batch in batches):
        return [messages.prompt_tokens for messages in map_prompts(question, batches, options, counter, prompts)]

    def contents() -> list[tuple[str, ...]]:
        parts = [content.partition(_MARK) for content in frame]
        return [
            (before, *batch.parts, after) if mark else (before,) for batch in batches for before, mark, after in parts
        ]

    key = hashlib.sha256("\0".join(["messages", *frame]).encode("utf-8", "surrogatepass") + digest).digest()
    counts = iter(counter.count_once(key, len(batches) * len(frame), contents))
    return [sum(next(counts) for _ in frame) for _ in batches]


def _parts(content: str, batch: Batch, at: int) -> tuple[tuple[str, ...], int]:
    """What a message says around the batch, and the batch in its parts, so that each report is encoded once.

    `at` is where the batch stood in the message before, and comes back for the next.
    """
    if not batch.parts or len(content) < len(batch.text):
        return (content,), at
    if not content.startswith(batch.text, at):
        found = content.find(batch.text)
        if found < 0:
            return (content,), at
        at = found
    return (content[:at], *batch.parts, content[at + len(batch.text) :]), at


def count_sent(messages: Sequence[tuple[Message, ...]], counter: TokenCounter) -> list[int]:
    """The tokens of the contents of each call's messages."""
    contents = [message.content for texts in messages for message in texts]
    counts = iter(counter.count_all(contents))
    return [sum(next(counts) for _ in texts) for texts in messages]
