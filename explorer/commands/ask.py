"""ask INDEX QUESTION: the answer, and what became of every report, batch, point and call on the way."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.base.errors import ExplorerError, InputError, StorageError
from explorer.commands.caps import add_cap_options, check_caps, keep_caps
from explorer.commands.method_options import add_method_options, read_connection, read_method_options
from explorer.commands.output import write_json, write_message
from explorer.commands.paths import typed_path
from explorer.commands.progress import progress
from explorer.commands.run_words import print_trace

if TYPE_CHECKING:
    from explorer.analysts.offline.analyst import OfflineAnalyst
    from explorer.base.cancel import CancelScope
    from explorer.base.events import EventSink
    from explorer.models.connection import Connection
    from explorer.search.options import GlobalOptions
    from explorer.search.trace import Trace
    from explorer.tables.index import Index

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
    add_method_options(parser)
    add_cap_options(parser)
    parser.add_argument("--trace", type=typed_path, metavar="FILE", help="write the trace to this file too")
    parser.add_argument("--json", action="store_true", help="print the trace")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the answer or the trace: 0 answered or honestly nothing, 2 failed (the trace says why).

    1 means cancelled (a cap that was not raised, too), that there was not one report to read, or that the answer is
    there and a file with its trace could not be written. Raises ExplorerError where the question has no word, the index
    cannot be opened, or the connection cannot be used.
    """
    from explorer.base.files import write_text_atomic
    from explorer.search.question import question_fault
    from explorer.search.runs import save_run
    from explorer.tables.index import open_index

    connection = read_connection(arguments)
    check_caps(arguments)
    if fault := question_fault(arguments.question):
        raise InputError(fault)
    index = open_index(arguments.index, index_dir=arguments.index_dir)
    options = read_method_options(arguments, connection, index.settings)
    if not index.reports:
        write_message(_no_report(index))
        return 1
    trace = _ask(index, arguments, options, connection)
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
    return _EXIT[trace.answer.status] or (1 if unwritten or not trace.batches else 0)


def _no_report(index: Index) -> str:
    state = index.state("community_reports")
    why = f" ({state.reason})" if state.state != "read" and state.reason else ""
    return (
        f"{index.name} holds no report{why}, so there is nothing to read; nothing was asked. "
        "graphrag-explorer doctor says what else is missing."
    )


def _ask(index: Index, arguments: argparse.Namespace, options: GlobalOptions, connection: Connection | None) -> Trace:
    """The trace of the question, asked of the offline analyst or through the connection."""
    from explorer.commands.interrupt import interruptible

    if connection is None:
        with progress() as sink, interruptible() as scope:
            return _ask_offline(index, arguments.question, options, sink, scope)
    from explorer.commands.heard import Heard
    from explorer.models.keys import Keys
    from explorer.search.ask_model import ask_model

    key = Keys().get(connection)
    with progress() as sink:
        heard = Heard(sink)
        with interruptible(heard.in_flight) as scope:
            return asyncio.run(
                ask_model(
                    index,
                    arguments.question,
                    options,
                    connection,
                    key,
                    sink=keep_caps(heard, scope),
                    scope=scope,
                    max_cost=arguments.max_cost,
                    max_calls=arguments.max_calls,
                )
            )


def _ask_offline(index: Index, question: str, options: GlobalOptions, sink: EventSink, scope: CancelScope) -> Trace:
    from explorer.analysts.offline.analyst import OfflineAnalyst
    from explorer.search.global_search import global_search

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
        return asyncio.run(global_search(index, question, analyst, options, sink=sink, scope=scope))
    finally:
        analyst.close()


def _get_ready(analyst: OfflineAnalyst) -> None:
    with contextlib.suppress(ExplorerError):  # the map calls meet the same failure and say it
        analyst.get_ready()
