"""The figures of a level's plan, and of the difference between two, as the table and the sentence say them."""

from __future__ import annotations

from collections.abc import Sequence

from explorer.gui.places.ask.figures import money, money_range, tokens
from explorer.gui.places.fanout.levels import DIFFERENCE, MODE_WORDS, LevelPlan, difference
from explorer.gui.widgets.rows_model import Column
from explorer.gui.words import count


def _number(row: LevelPlan, value: int) -> str:
    return f"{value:+,}" if row.mode == DIFFERENCE and value else f"{value:,}"


def _span(row: LevelPlan, pair: tuple[int, int]) -> str:
    low, high = (_number(row, value) for value in pair)
    return low if low == high else f"{low} to {high}" if row.mode == DIFFERENCE else f"{low}–{high}"


def _money(row: LevelPlan) -> str:
    if row.mode != DIFFERENCE or row.cost is None:
        return money_range(row.cost)
    low, high = (f"{'−' if value < 0 else '+'}{money(abs(value))}" if value else "$0" for value in row.cost)
    return low if low == high else f"{low} to {high}"


COLUMNS = (
    Column("Level", lambda row: str(row.level), lambda row: row.level, number=True),
    Column("Reports that are sent", lambda row: MODE_WORDS[row.mode]),
    Column("Reports", lambda row: _number(row, row.reports), lambda row: row.reports, number=True),
    Column("Report tokens", lambda row: _number(row, row.report_tokens), lambda row: row.report_tokens, number=True),
    Column("Batches", lambda row: _number(row, row.batches), lambda row: row.batches, number=True),
    Column("Calls", lambda row: _span(row, row.calls), lambda row: row.calls, number=True),
    Column("Prompt tokens", lambda row: _number(row, row.prompt_tokens), lambda row: row.prompt_tokens, number=True),
    Column("Output tokens", lambda row: _span(row, row.output), lambda row: row.output, number=True),
    Column("Cost", _money, lambda row: row.cost or (0.0, 0.0), number=True),
)


def difference_words(plans: Sequence[LevelPlan]) -> str:
    """What the two meanings of the deepest level differ in, in one sentence."""
    uncalled = "No call is made for this page: it counts."
    if len(plans) < 2:
        return uncalled
    more = difference(plans[-2], plans[-1])
    if not more.reports:
        return f"At level {more.level} both send the same reports. {uncalled}"
    return (
        f"At level {more.level}, sending every report in place of the deepest ones reads "
        f"{count(more.reports, 'more report', 'more reports')} and "
        f"{tokens(more.prompt_tokens)} more prompt tokens, in {count(more.calls[1], 'more call', 'more calls')}; "
        f"cost: {_money(more)}. {uncalled}"
    )
