"""estimate FOLDER: what indexing would read, call and cost, with no call made."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from explorer.base.words import counted
from explorer.commands.index import add_index_options, read_index_options
from explorer.commands.interrupt import interruptible
from explorer.commands.method_options import read_connection
from explorer.commands.output import write_json, write_line
from explorer.commands.paths import typed_path
from explorer.commands.progress import progress

if TYPE_CHECKING:
    from explorer.planning.estimated import Estimate, Whole

_SHOWN = 10  # files that are named in words; --json names all


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "estimate",
        help="documents, text units, calls, tokens and money of indexing a folder, with no call made",
        description="Say what indexing a folder would take. Nothing is written and no call is made; what the call "
        "store knows already costs nothing. Exact where it can be, else low to high.",
    )
    parser.add_argument("folder", type=typed_path, metavar="FOLDER")
    parser.add_argument("--index", type=typed_path, metavar="DIR", help="where its index is or will be, if elsewhere")
    add_index_options(parser)
    parser.add_argument("--no-vectors", action="store_true", help="leave the embeddings out")
    parser.add_argument(
        "--as-model", metavar="NAME", help="without a connection: say what the calls would cost with this model"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the estimate; 0 when done. Raises ExplorerError or Cancelled."""
    connection, options = read_connection(arguments), read_index_options(arguments)
    from explorer.planning.estimate import estimate

    with interruptible() as scope, progress() as sink:
        made = estimate(
            arguments.folder,
            connection=connection,
            home=arguments.index,
            options=options,
            vectors=not arguments.no_vectors,
            as_model=arguments.as_model,
            sink=sink,
            scope=scope,
        )
    if arguments.json:
        write_json(made)
    else:
        _print(made)
    return 0


def _print(made: Estimate) -> None:
    from explorer.planning.bill import dollar_range, dollars

    files = ", ".join(f"{count:,} {fate}" for fate, count in made.files.items())
    write_line(f"files      {files}: {counted(made.documents, 'document')}, {counted(made.text_units, 'text unit')}")
    for path, reason in made.skipped[:_SHOWN]:
        write_line(f"           left out: {path} — {reason}")
    if len(made.skipped) > _SHOWN:
        write_line(f"           … and {len(made.skipped) - _SHOWN} more (--json names them all)")
    for name, stage in made.stages.items():
        known = f" ({stage.cached:,} more are known)" if stage.cached else ""
        money = f", {dollar_range(stage.cost)}" if stage.cost is not None else ""
        write_line(
            f"{name:<10} {_range(stage.calls)} calls{known}, {_range(stage.prompt_tokens)} prompt and "
            f"{_range(stage.output_tokens)} output tokens{money}"
        )
    write_line(
        f"together   {_range(made.calls)} calls, {_range(made.prompt_tokens)} prompt and "
        f"{_range(made.output_tokens)} output tokens"
    )
    likely = f", about {dollars(made.middle.cost)}" if made.middle.cost else ""
    write_line(f"cost       {dollar_range(made.cost)}{likely}")
    write_line(f"time       {_time(made.seconds[0])} to {_time(made.seconds[1])}")
    for note in made.notes:
        write_line(f"note       {note}")


def _range(value: Whole) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value[0]:,} to {value[1]:,}"


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
