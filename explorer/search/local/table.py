"""A section of a context: rows taken in their order until one does not fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from explorer.base.token_cache import TokenCounter

DELIMITER = "|"


@dataclass(frozen=True)
class Section:
    """The text of a section, how many of its rows it holds, and the tokens of every row that was offered."""

    text: str
    kept: int
    row_tokens: tuple[int, ...]


def build_section(
    name: str, header: Sequence[str], rows: Sequence[Sequence[str]], budget: int, counter: TokenCounter
) -> Section:
    """A named table of raw joined rows, nothing quoted. It stops at the first row that does not fit.

    Source: the context builders of graphrag 3.3.0's local search.
    """
    text = f"-----{name}-----\n{DELIMITER.join(header)}\n"
    lines = [DELIMITER.join(row) + "\n" for row in rows]
    counts = counter.count_all(lines)
    used, kept = counter.count(text), 0
    for count in counts:
        if used + count > budget:
            break
        used += count
        kept += 1
    return Section(text + "".join(lines[:kept]), kept, tuple(counts))
