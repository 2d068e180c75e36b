"""Reports → map batches, to the byte as GraphRAG 3 makes them."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from explorer.base.token_cache import TokenCounter
from explorer.tables.rows import ReportRow

DELIMITER = "|"
CONTEXT_NAME = "Reports"
WEIGHT_COLUMN = "occurrence weight"
_SPECIAL = re.compile(r'[|"\n\r]')


@dataclass(frozen=True)
class BatchRow:
    """A report as a row of a batch. `position` is its row in the table of reports; `weight` is None without weights."""

    position: int
    report: ReportRow
    weight: float | None
    content: str


@dataclass(frozen=True)
class Batch:
    """A batch. `rows` stand in the order of `text`; `context_tokens` is what the budget counted (unquoted); `parts`
    are `text` in parts, the contents of the reports apart."""

    index: int
    rows: tuple[BatchRow, ...]
    text: str
    context_tokens: int
    parts: tuple[str, ...] = ()


def build_batches(
    rows: Sequence[BatchRow],
    *,
    max_context_tokens: int,
    seed: int,
    counter: TokenCounter,
    content_name: str = "content",
) -> list[Batch]:
    """Shuffle the rows, cut them by the budget, sort each batch by weight and rank, write it as CSV.

    `rows` are given in file order. A row longer than the budget makes a batch of its own. The budget counts unquoted
    rows, so that a text with quotes may exceed it, as GraphRAG's does. A last batch of the same communities as an
    earlier one is left out, which needs a community with several reports. `content_name` heads the column of texts.
    Reports alike in weight and rank keep their order; without weights GraphRAG's own order of them is that of an
    unstable sort.

    Source: build_community_context of graphrag 3.1.2 as called by global search (shuffle with Python's generator).
    """
    if not rows:
        return []
    shuffled = list(rows)
    random.Random(seed).shuffle(shuffled)
    weighted = shuffled[0].weight is not None
    header = ["id", "title", *([WEIGHT_COLUMN] if weighted else []), content_name, "rank"]
    opening = counter.count(f"-----{CONTEXT_NAME}-----\n{DELIMITER.join(header)}\n")
    lines = [_line(row) for row in shuffled]
    counts = counter.count_parts(lines)
    line_of = {row.position: line for row, line in zip(shuffled, lines, strict=True)}
    batches: list[Batch] = []
    held: list[BatchRow] = []
    tokens = opening
    for row, count in zip(shuffled, counts, strict=True):
        if tokens + count > max_context_tokens and held:
            batches.append(_batch(len(batches), held, header, tokens, line_of))
            held = []
            tokens = opening
        held.append(row)
        tokens += count
    if _communities(held) not in [_communities(batch.rows) for batch in batches]:
        batches.append(_batch(len(batches), held, header, tokens, line_of))
    return batches


def _communities(rows: Sequence[BatchRow]) -> set[int]:
    return {row.report.community for row in rows}


def _batch(
    index: int,
    held: Sequence[BatchRow],
    header: Sequence[str],
    tokens: int,
    line_of: Mapping[int, tuple[str, str, str]],
) -> Batch:
    ordered = sorted(held, key=lambda row: (-(row.weight or 0.0), -_rank(row.report)))
    parts = [DELIMITER.join(map(quoted, header)) + "\n"]
    for row in ordered:
        parts += _quoted_line(row, line_of[row.position])
    return Batch(index, tuple(ordered), "".join(parts), tokens, tuple(parts))


def quoted(cell: str) -> str:
    """Minimal quoting, written out: Python's csv treats a carriage return differently from version to version."""
    return '"' + cell.replace('"', '""') + '"' if _SPECIAL.search(cell) else cell


def _line(row: BatchRow) -> tuple[str, str, str]:
    """A row as the budget counts it, around its content."""
    report = row.report
    weight = "" if row.weight is None else f"{float(row.weight)!r}{DELIMITER}"
    before = f"{report.community}{DELIMITER}{report.title}{DELIMITER}{weight}"
    return before, row.content, f"{DELIMITER}{_rank(report)!r}\n"


def _rank(report: ReportRow) -> float:
    return 0.0 if report.rank is None else float(report.rank)


def _quoted_line(row: BatchRow, line: tuple[str, str, str]) -> tuple[str, str, str]:
    """A row as it is written, around its content; `line` is the row as the budget counts it."""
    before, content, after = line
    title = row.report.title
    if _SPECIAL.search(title) is not None:
        before = before.replace(f"{DELIMITER}{title}{DELIMITER}", f"{DELIMITER}{quoted(title)}{DELIMITER}", 1)
    if _SPECIAL.search(content) is None:
        return line if before is line[0] else (before, content, after)
    return f'{before}"', content.replace('"', '""') if '"' in content else content, f'"{after}'
