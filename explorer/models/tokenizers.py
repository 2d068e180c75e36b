"""Which tokenizer counts for a model, and the tokens of a prompt."""

from __future__ import annotations

import re
from collections.abc import Sequence

from explorer.base.tokens import EncodingName, count_tokens
from explorer.base.valid_text import valid_text
from explorer.models.connection import Connection

_OLDER = re.compile(r"(^|/)(gpt-4(-\d|-turbo|-32k|$)|gpt-3\.5|gpt-35|text-embedding-)")
_REMEMBERED = 64  # texts that stand in many prompts: system prompts


def tokenizer_of(connection: Connection, model: str) -> EncodingName:
    """The connection's tokenizer, else that of the model where it is known, else o200k_base."""
    if connection.tokenizer is not None:
        return connection.tokenizer
    return "cl100k_base" if _OLDER.search(model) else "o200k_base"


class PromptCounter:
    """Counts the tokens of prompts: those of the contents of their messages, frames not counted."""

    def __init__(self, name: EncodingName) -> None:
        self.name: EncodingName = name
        self._known: dict[str, int] = {}

    def count(self, text: str) -> int:
        """The tokens of a text."""
        return count_tokens(valid_text(text), self.name)

    def count_messages(self, messages: Sequence[tuple[str, str]]) -> int:
        """The tokens of the contents of (role, content); system prompts are counted once."""
        total = 0
        for role, text in messages:
            if role != "system":
                total += self.count(text)
                continue
            if text not in self._known:
                if len(self._known) >= _REMEMBERED:
                    self._known.clear()
                self._known[text] = self.count(text)
            total += self._known[text]
        return total
