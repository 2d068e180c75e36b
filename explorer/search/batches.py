"""Reports → map batches, to the byte as GraphRAG 3 makes them."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
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
    rows: Sequence[BatchRow], *, max_context_tokens: int, seed: int, counter: TokenCounter
) -> list[Batch]:
    """Shuffle the rows, cut them by the budget, sort each batch by weight and rank, write it as CSV.

    `rows` are given in file order. A row longer than the budget makes a batch of its own. The budget counts unquoted
    rows, so that a text with quotes may exceed it, as GraphRAG's does. GraphRAG leaves out a last batch whose ids
    equal those of an earlier one; here every community stands in `rows` once, so that no batch repeats another.

    Source: build_community_context of graphrag 3.1.2 as called by global search (shuffle with Python's generator).
    """
    if not rows:
        return []
    shuffled = list(rows)
    random.Random(seed).shuffle(shuffled)
    weighted = shuffled[0].weight is not None
    header = ["id", "title", *([WEIGHT_COLUMN] if weighted else []), "content", "rank"]
    opening = counter.count(f"-----{CONTEXT_NAME}-----\n{DELIMITER.join(header)}\n")
    counts = counter.count_parts([_line(row) for row in shuffled])
    batches: list[Batch] = []
    held: list[BatchRow] = []
    tokens = opening
    for row, count in zip(shuffled, counts, strict=True):
        if tokens + count > max_context_tokens and held:
            batches.append(_batch(len(batches), held, header, tokens))
            held = []
            tokens = opening
        held.append(row)
        tokens += count
    batches.append(_batch(len(batches), held, header, tokens))
    return batches


def _batch(index: int, held: Sequence[BatchRow], header: Sequence[str], tokens: int) -> Batch:
    ordered = sorted(held, key=lambda row: (-(row.weight or 0.0), -(row.report.rank or 0.0)))
    parts = [DELIMITER.join(map(quoted, header)) + "\n"]
    for row in ordered:
        parts += _quoted_line(row)
    return Batch(index, tuple(ordered), "".join(parts), tokens, tuple(parts))


def quoted(cell: str) -> str:
    """Minimal quoting, written out: Python's csv treats a carriage return differently from version to version."""
    return '"' + cell.replace('"', '""') + '"' if _SPECIAL.search(cell) else cell


def _line(row: BatchRow) -> tuple[str, str, str]:
    """A row as the budget counts it, around its content."""
    before, after = _cells(row)
    return DELIMITER.join((*before, "")), row.content, f"{DELIMITER}{after}\n"


def _quoted_line(row: BatchRow) -> tuple[str, str, str]:
    """A row as it is written, around its content."""
    before, after = _cells(row)
    opening = DELIMITER.join((*map(quoted, before), ""))
    if _SPECIAL.search(row.content) is None:
        return opening, row.content, f"{DELIMITER}{after}\n"
    content = row.content.replace('"', '""') if '"' in row.content else row.content
    return f'{opening}"', content, f'"{DELIMITER}{after}\n'


def _cells(row: BatchRow) -> tuple[list[str], str]:
    """The cells before the content, and the one after it."""
    report = row.report
    weight = [] if row.weight is None else [str(float(row.weight))]
    return [str(report.community), report.title, *weight], str(float(report.rank or 0.0))
