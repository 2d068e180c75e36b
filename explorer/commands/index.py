"""index FOLDER: make or renew the index of a folder."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.base.errors import InputError
from explorer.commands.interrupt import interruptible
from explorer.commands.output import progress, write_json, write_line
from explorer.commands.paths import typed_path

if TYPE_CHECKING:
    from explorer.indexing.options import IndexOptions
    from explorer.indexing.summary import IndexSummary

_SHOWN = 10  # files that are named in words; --json names all


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "index",
        help="turn a folder of documents into an index",
        description="Turn a folder of documents into an index, or renew the one that is there: what was read before is "
        "not read again, and a run that was stopped goes on where it was.",
    )
    parser.add_argument("folder", type=typed_path, metavar="FOLDER")
    parser.add_argument("--index", type=typed_path, metavar="DIR", help="keep the index here instead of in the folder")
    parser.add_argument("--connection", default="offline", metavar="NAME", help="who reads and writes (offline)")
    parser.add_argument("--grade", choices=("auto", "patterns", "spacy"), default="auto", help="of the offline analyst")
    parser.add_argument("--chunk-size", type=int, default=1200, metavar="N", help="tokens of a text unit (1200)")
    parser.add_argument("--chunk-overlap", type=int, default=100, metavar="N", help="tokens that two units share (100)")
    parser.add_argument(
        "--max-cluster-size", type=int, default=10, metavar="N", help="communities of N or more are split (10)"
    )
    parser.add_argument("--use-lcc", action="store_true", help="cluster the largest connected component only")
    parser.add_argument("--seed", type=_seed, default=0xDEADBEEF, metavar="N", help="of the clustering (0xDEADBEEF)")
    parser.add_argument(
        "--max-input-tokens", type=int, default=8000, metavar="N", help="budget of one report's context (8000)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Index and print what came of it; 0 when done. Raises ExplorerError or Cancelled."""
    if arguments.connection != "offline":
        raise InputError(
            f"There is no connection named {arguments.connection!r}; the connections are: offline. Nothing was indexed."
        )
    options = _options(arguments)
    from explorer.indexing.run import index_folder

    with interruptible() as scope, progress() as sink:
        summary = index_folder(arguments.folder, home=arguments.index, options=options, sink=sink, scope=scope)
    if arguments.json:
        write_json(summary)
    else:
        _write_words(summary)
    return 0


def _options(arguments: argparse.Namespace) -> IndexOptions:
    from pydantic import ValidationError

    from explorer.indexing.options import IndexOptions

    try:
        return IndexOptions(
            chunk_size=arguments.chunk_size,
            chunk_overlap=arguments.chunk_overlap,
            seed=arguments.seed,
            max_cluster_size=arguments.max_cluster_size,
            use_lcc=arguments.use_lcc,
            max_input_tokens=arguments.max_input_tokens,
            grade=arguments.grade,
        )
    except ValidationError as error:
        first = error.errors()[0]
        knob = "--" + str(first["loc"][0]).replace("_", "-")
        raise InputError(f"{knob} {first['input']}: {first['msg'].lower()}. Nothing was indexed.") from error


def _write_words(summary: IndexSummary) -> None:
    files = summary.files
    write_line(
        f"Files: {files.indexed} indexed, {files.unchanged} unchanged, {len(files.skipped)} skipped, "
        f"{len(files.failed)} failed"
    )
    for word, items in (("skipped", files.skipped), ("failed", files.failed)):
        for item in items[:_SHOWN]:
            write_line(f"  {word}: {item.path} — {item.reason}")
        if len(items) > _SHOWN:
            write_line(f"  … and {len(items) - _SHOWN} more {word} (--json names them all)")
    _write_remarks(summary)
    write_line(
        f"{summary.documents} documents, {summary.text_units} text units, {summary.entities} entities, "
        f"{summary.relationships} relationships"
    )
    levels = ", ".join(f"{number} at level {level}" for level, number in summary.communities.items()) or "none"
    write_line(f"Communities: {levels}; {summary.reports} reports")
    seconds = sum(summary.seconds.values())
    write_line(f"Index: {summary.index} ({seconds:.1f} s)")


def _write_remarks(summary: IndexSummary) -> None:
    """What files that were read still lost or had changed: rows without text, a guessed encoding."""
    from explorer.tables.index_file import FILE_NAME, load_info

    info = load_info(Path(summary.index))
    fated = {item.path for item in (*summary.files.skipped, *summary.files.failed)}
    remarks = [(path, file.reason) for path, file in (info.inputs if info else {}).items() if file.reason]
    remarks = [(path, reason) for path, reason in remarks if path not in fated]
    remarks.sort(key=lambda remark: " skipped: " not in remark[1])  # what was lost before what was only changed
    for path, reason in remarks[:_SHOWN]:
        write_line(f"  of {path}: {reason}")
    if len(remarks) > _SHOWN:
        write_line(f"  … and remarks on {len(remarks) - _SHOWN} more files ({FILE_NAME} holds them all)")


def _seed(text: str) -> int:
    """A seed in decimal or with 0x in hexadecimal."""
    try:
        return int(text, 0)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number") from error
