"""ask INDEX QUESTION: the answer, and what became of every report, batch, point and call on the way."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.base.errors import ExplorerError, InputError, StorageError
from explorer.commands.method_options import add_method_options, read_method_options
from explorer.commands.output import progress, write_json, write_line, write_message
from explorer.commands.paths import typed_path

if TYPE_CHECKING:
    from explorer.analysts.offline.analyst import OfflineAnalyst
    from explorer.search.trace import AccountEntry, Trace

_EXIT = {"answered": 0, "nothing_relevant": 0, "cancelled": 1, "failed": 2}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("ask", help="answer a question over an index, with the trace of the run")
    parser.add_argument(
        "index", type=typed_path, metavar="INDEX", help="a folder that was indexed, or GraphRAG's output"
    )
    parser.add_argument("question", metavar="QUESTION")
    parser.add_argument(
        "--index", dest="index_dir", type=typed_path, metavar="DIR", help="where the index is, if elsewhere"
    )
    parser.add_argument("--connection", default="offline", metavar="NAME", help="who answers (default: offline)")
    add_method_options(parser)
    parser.add_argument("--trace", type=typed_path, metavar="FILE", help="write the trace to this file too")
    parser.add_argument("--json", action="store_true", help="print the trace")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the answer or the trace: 0 answered or honestly nothing, 2 failed (the trace says why).

    1 means cancelled, or that the answer is there and a file with its trace could not be written. Raises
    ExplorerError where the index cannot be opened.
    """
    from explorer.analysts.offline.analyst import OfflineAnalyst
    from explorer.base.files import write_text_atomic
    from explorer.commands.interrupt import interruptible
    from explorer.search.global_search import global_search
    from explorer.search.runs import save_run
    from explorer.tables.index import open_index

    options = read_method_options(arguments)
    if arguments.connection != "offline":
        raise InputError(f"There is no connection {arguments.connection!r}; nothing was asked. Known is: offline.")
    if not arguments.question.strip():
        raise InputError("The question is empty; nothing was asked.")
    index = open_index(arguments.index, index_dir=arguments.index_dir)
    analyst = OfflineAnalyst.for_index(
        index,
        tokenizer=options.tokenizer,
        max_length=options.map_max_length,
        reduce_max_length=options.reduce_max_length,
        response_type=options.response_type,
    )
    # On the first question the words of the index are read in a process of their own while this one counts tokens.
    threading.Thread(target=_get_ready, args=(analyst,), daemon=True).start()
    try:
        with progress() as sink, interruptible() as scope:
            trace = asyncio.run(global_search(index, arguments.question, analyst, options, sink=sink, scope=scope))
    finally:
        analyst.close()
    written: Path | None = None
    unwritten: list[str] = []
    try:
        written = save_run(index, trace)
    except StorageError as error:
        unwritten.append(error.sentence)
    if arguments.trace is not None:
        try:
            write_text_atomic(arguments.trace, trace.model_dump_json(indent=2) + "\n")
            written = arguments.trace
        except StorageError as error:
            unwritten.append(error.sentence)
    if arguments.json:
        write_json(trace)
    else:
        print_trace(trace, written)
    for sentence in unwritten:  # the answer is paid for: it is printed even where its trace cannot be kept
        write_message(sentence)
    if trace.answer.status in ("cancelled", "failed"):
        write_message(trace.answer.reason)
    return _EXIT[trace.answer.status] or (1 if unwritten else 0)


def _get_ready(analyst: OfflineAnalyst) -> None:
    with contextlib.suppress(ExplorerError):  # the map calls meet the same failure and say it
        analyst.get_ready()


def print_trace(trace: Trace, path: Path | None) -> None:
    """Write a run for a person: the answer, the ledger, what it took, what it left out, and where its trace is."""
    if trace.answer.text:
        write_line(trace.answer.text)
        write_line()
    ledger = trace.ledger
    accounts = (("reports", ledger.reports), ("batches", ledger.batches), ("points", ledger.points))
    write_line("; ".join(_account(name, account) for name, account in accounts))
    prompt = sum(sums.prompt_tokens for sums in trace.totals.values())
    output = sum(sums.output_tokens for sums in trace.totals.values())
    costs = [sums.cost for sums in trace.totals.values() if sums.cost is not None]
    cost = f"${sum(costs):.4f}" if len(costs) == len(trace.totals) else "no price known"
    write_line(
        f"{len(trace.calls):,} calls, {prompt:,} prompt and {output:,} output tokens, {cost}; "
        f"{trace.waste.share:.0%} of the prompt tokens led to nothing; {trace.seconds:.1f} s"
    )
    for note in trace.notes:
        write_line(note)
    if trace.answer.status == "nothing_relevant" and trace.answer.reason:
        write_line(trace.answer.reason)
    if path is not None:
        write_line(f"trace: {path}")


def _account(name: str, account: AccountEntry) -> str:
    fates = " + ".join(f"{count:,} {fate}" for fate, count in account.fates.items()) or "0"
    return f"{account.candidates:,} {name} = {fates}{'' if account.balanced else ' (DOES NOT BALANCE)'}"
