"""A run of a search in words, for a terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from explorer.base.fate_words import fate_words
from explorer.base.words import counted
from explorer.commands.output import write_line

if TYPE_CHECKING:
    from explorer.search.trace import AccountEntry, Trace

_SHOWN = 5  # calls that are named for what was repaired or lost; the trace names all


def print_trace(trace: Trace, path: Path | None) -> None:
    """Write a run for a person: the answer, the ledger, what it took, what it left out, and where its trace is."""
    if trace.answer.text:
        write_line(trace.answer.text)
        write_line()
    ledger = trace.ledger
    accounts = (
        ("report", "reports", ledger.reports), ("batch", "batches", ledger.batches), ("point", "points", ledger.points),
    )  # fmt: skip
    write_line("; ".join(_account(one, many, account) for one, many, account in accounts))
    prompt = sum(sums.prompt_tokens for sums in trace.totals.values())
    output = sum(sums.output_tokens for sums in trace.totals.values())
    write_line(
        f"{_calls(trace)}, {prompt:,} prompt and {output:,} output tokens, {_cost(trace)}; "
        f"{trace.waste.share:.0%} of the prompt tokens led to nothing; {trace.seconds:.1f} s"
    )
    _print_remarks(trace)
    for note in trace.notes:
        write_line(note)
    if trace.answer.status == "nothing_relevant" and trace.answer.reason:
        write_line(trace.answer.reason)
    if path is not None:
        write_line(f"trace: {path}")


def _calls(trace: Trace) -> str:
    """ "9 calls", and of a model's how many came from the store, were retried, repaired or lost."""
    fates = trace.ledger.calls.fates
    retries = sum(call.retries for call in trace.calls)
    told = [fate for fate in ("cached", "repaired", "malformed", "failed") if fates.get(fate)]
    words = [f"{fates[fate]:,} {fate_words(fate)}" for fate in told]
    words += [counted(retries, "retry", "retries")] if retries else []
    return counted(len(trace.calls), "call") + (f" ({', '.join(words)})" if words else "")


def _cost(trace: Trace) -> str:
    costs = [sums.cost for sums in trace.totals.values() if sums.cost is not None]
    return f"${sum(costs):.4f}" if len(costs) == len(trace.totals) else "cost unknown"


def _print_remarks(trace: Trace) -> None:
    """What was repaired in replies, and why calls brought nothing."""
    remarks = [(call, call.error or call.note) for call in trace.calls if call.note or call.error]
    remarks.sort(key=lambda remark: remark[0].error is None)  # what was lost before what was repaired
    for call, words in remarks[:_SHOWN]:
        write_line(f"{call.id} {fate_words(str(call.fate))}: {' '.join(words.split())}")
    if len(remarks) > _SHOWN:
        write_line(f"… and {counted(len(remarks) - _SHOWN, 'more call')} repaired or lost (the trace names them all)")


def _account(one: str, many: str, account: AccountEntry) -> str:
    fates = " + ".join(f"{count:,} {fate_words(fate)}" for fate, count in account.fates.items()) or "0"
    return f"{counted(account.candidates, one, many)} = {fates}{'' if account.balanced else ' (DOES NOT BALANCE)'}"
