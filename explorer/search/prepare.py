"""Index → the batches that a question at a level would send: the part of a search that no model takes part in."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING

from explorer.base.fates import ReportFate
from explorer.base.token_cache import TokenCounter
from explorer.base.words import agree, counted
from explorer.search.batches import Batch, BatchRow, build_batches
from explorer.search.options import GlobalOptions
from explorer.search.reports import ReportAccount, Selection, at_or_below, open_account, ranked, report_key, roll_up
from explorer.search.weights import occurrence_weights
from explorer.tables.empty_cells import NAN, as_graphrag_reads
from explorer.tables.filled_in import filled_notes

if TYPE_CHECKING:
    from explorer.tables.index import Index

_WRITTEN = ("title", "summary", "full_content")  # the texts of a report that a batch may hold


@dataclass(frozen=True)
class Prepared:
    """The batches, and the account in which every report that is in none of them has its fate already."""

    selection: Selection
    batches: tuple[Batch, ...]
    account: ReportAccount
    notes: tuple[str, ...]


def prepare(index: Index, options: GlobalOptions, counter: TokenCounter) -> Prepared:
    """Select the reports of the level, weigh them, leave out those below the minimum rank, and build the batches.

    Raises InputError where the index cannot be rolled up.
    """
    account = open_account(index)
    if options.reports == "roll_up":
        selection = roll_up(index, options.level, account, nearest_ancestor=options.nearest_ancestor)
    else:
        selection = at_or_below(index, options.level, account)
    reports = index.reports
    if options.reports == "at_or_below":
        reports = as_graphrag_reads(index, "community_reports", reports, _WRITTEN)
    chosen = [reports[position] for position in selection.positions]
    weights = occurrence_weights(index, chosen, options.level)
    by_position = dict(zip(selection.positions, weights if weights is not None else repeat(None), strict=False))
    kept = ranked(index, selection.positions, options.min_community_rank, account)
    rows = [
        BatchRow(position, report, by_position[position], report_text(report.summary, report.full_content, options))
        for position in kept
        for report in [reports[position]]
    ]
    batches = build_batches(
        rows, max_context_tokens=options.max_context_tokens, seed=options.shuffle_seed, counter=counter,
        content_name="summary" if options.use_community_summary else "content",
    )  # fmt: skip
    sent = {row.position for batch in batches for row in batch.rows}
    for position in kept:
        if position not in sent:  # their communities are those of an earlier batch
            account.settle(report_key(position), ReportFate.DUPLICATE)
    notes = [*_table_notes(index), *_settings_notes(index, options), *_level_notes(index, options), *selection.notes]
    if chosen and weights is None:
        notes.append(f"{_why_no_weights(index)}: the batches have no weights.")
    if reports is not index.reports:
        notes.append(f'Empty cells of reports were sent as GraphRAG reads them, as the word "{NAN}".')
    oversize = sum(1 for batch in batches if len(batch.rows) == 1 and batch.context_tokens > options.max_context_tokens)
    if oversize:
        notes.append(f"{counted(oversize, 'report is', 'reports are')} longer than a batch may be: sent whole, alone.")
    return Prepared(selection, tuple(batches), account, tuple(notes))


def _table_notes(index: Index) -> list[str]:
    """What the tables that a search reads do not hold, so that no row of them is lost in silence.

    What rows do not say and no batch holds (numbers, sizes) is told where the tables are, not with every question.
    """
    notes = []
    for name in ("entities", "communities", "community_reports"):
        reason = index.state(name).reason
        for note in filled_notes(index.filled.get(name, ())):
            reason = reason.replace(note, "").replace("; ; ", "; ")
        if reason := reason.strip("; "):
            notes.append(f"Table {name}: {reason}.")
    return notes


def _why_no_weights(index: Index) -> str:
    unread = [name for name in ("entities", "communities") if index.state(name).state != "read"]
    if not unread:
        return "No entity belongs to a community at or below the level"
    return f"Without the {agree(len(unread), 'table', 'tables')} {' and '.join(unread)} nothing says who is where"


def _settings_notes(index: Index, options: GlobalOptions) -> list[str]:
    """Which knobs have the value of the project's settings.yaml in place of the usual one."""
    if index.settings is None:
        return []
    usual = GlobalOptions()
    same = [
        f"{name} {value:,}"
        for name, value in index.settings.values.items()
        if name in GlobalOptions.model_fields and getattr(options, name) == value != getattr(usual, name)
    ]
    return [f"As {index.settings.path.name} of the project has it: {', '.join(same)}."] if same else []


def _level_notes(index: Index, options: GlobalOptions) -> list[str]:
    """That a level lies below all communities. The usual level is no slip: it is asked of flatter indexes too."""
    level, levels = options.level, index.levels or sorted({report.level for report in index.reports})
    if level is None or level == GlobalOptions().level or not levels or level <= levels[-1]:
        return []
    return [f"The deepest level of this index is {levels[-1]}: level {level} means the same as it."]


def report_text(summary: str, full_content: str, options: GlobalOptions) -> str:
    """What stands for a report in a batch: its full content, or its summary where the options say so."""
    return summary if options.use_community_summary else full_content
