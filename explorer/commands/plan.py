"""plan INDEX: what a question would read, send and cost at a level, with no call made."""

from __future__ import annotations

import argparse
import gc
from typing import TYPE_CHECKING

from explorer.base.fate_words import fate_words
from explorer.base.words import agree, share
from explorer.commands.method_options import add_method_options, read_connection, read_method_options
from explorer.commands.output import write_json, write_line
from explorer.commands.paths import typed_path

if TYPE_CHECKING:
    from explorer.planning.plan import Plan


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "plan",
        help="reports, tokens, batches, calls and money of a question, unasked",
        description="Say what a question would send and cost, with no call made. Under sha256 stands the fingerprint "
        "of the batches: two plans with the same one send the same reports in the same order.",
    )
    parser.add_argument(
        "index", type=typed_path, metavar="INDEX", help="a folder that was indexed, or GraphRAG's output"
    )
    parser.add_argument("--question", default="", metavar="TEXT", help="its tokens are counted too")
    parser.add_argument(
        "--index", dest="index_dir", type=typed_path, metavar="DIR", help="where the index is, if elsewhere"
    )
    add_method_options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the plan; 0 when done.

    Raises ExplorerError where the index cannot be opened or rolled up, or the connection is not known.
    """
    gc.disable()  # rows hold no cycles: the collector would look through all of them again and again
    from explorer.planning.plan import plan
    from explorer.tables.index import open_index
    from explorer.tables.lean import lean

    try:
        connection = read_connection(arguments)
        index = open_index(arguments.index, index_dir=arguments.index_dir)
        options = read_method_options(arguments, connection, index.settings)
        index = lean(index, summaries=options.use_community_summary)
        made = plan(index, options, arguments.question, connection=connection)
    finally:
        gc.freeze()  # nor does the last pass at the end have to
        gc.enable()
    if arguments.json:
        write_json(made)
    else:
        _print(made)
    return 0


def _print(made: Plan) -> None:
    for stage, model in made.models.items():
        write_line(f"{stage:<8} {model}")
    level = "all levels" if made.level is None else f"level {made.level}"
    unread = ", ".join(f"{count:,} {fate_words(fate)}" for fate, count in made.fates.items())
    write_line(f"reports  {made.reports:,} at {level} ({made.reports_mode}), {made.report_tokens:,} tokens")
    if unread:
        write_line(f"unread   {unread}")
    sizes = [batch.prompt_tokens for batch in made.batches]
    spread = f", {min(sizes):,} to {max(sizes):,} prompt tokens each" if sizes else ""
    write_line(f"batches  {len(sizes):,}{spread}")
    reduce = made.calls["reduce"]
    most = reduce[1] if isinstance(reduce, tuple) else reduce
    write_line(f"calls    {made.calls['map']:,} map, {'0 or 1' if most else '0'} reduce")
    low, high = made.output_tokens
    write_line(f"tokens   {made.prompt_tokens:,} prompt of map, {low:,} to {high:,} output")
    unknown = "unknown" if made.models else "unknown (--as-model NAME takes the prices of a model)"
    write_line(f"cost     {unknown if made.cost is None else f'${made.cost[0]:.4f} to ${made.cost[1]:.4f}'}")
    if made.stored:
        stored = f"{share(made.stored, len(sizes), 'map call')} {agree(made.stored, 'is', 'are')}"
        write_line(f"stored   {stored} paid for already and would cost nothing")
    write_line(f"sha256   {made.sha256}")
    for note in made.notes:
        write_line(f"note     {note}")
