"""doctor [INDEX]: what is missing on this machine or wrong in an index, each with its remedy."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from explorer.commands.output import write_json, write_line, write_table
from explorer.commands.paths import typed_path

if TYPE_CHECKING:
    from explorer.health.report import CheckUp


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "doctor",
        help="check this machine, or an index",
        description="Check this machine, or an index. Exit code 0: sound, 1: defects, 2: it cannot be opened.",
    )
    parser.add_argument(
        "path", nargs="?", type=typed_path, metavar="INDEX", help="a folder, an output/ or a project root"
    )
    parser.add_argument("--index", type=typed_path, metavar="DIR", help="where the index is kept, if not in its folder")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Check and print; 0 sound, 1 defects. Raises OpenError where the index cannot be opened."""
    from explorer.health.doctor import check_index, check_machine

    asked = arguments.path or arguments.index
    found = check_index(asked, index_dir=arguments.index) if asked is not None else check_machine()
    if arguments.json:
        write_json(found)
    else:
        _write_words(found)
    return 0 if found.sound else 1


def _write_words(found: CheckUp) -> None:
    from explorer.health.words import counted_kind

    if found.tables:
        write_line(f"{found.path}: tables of {found.made_by}")
        write_table(
            ("table", "state", "rows", ""), [(line.name, line.state, line.rows, line.reason) for line in found.tables]
        )
    else:
        write_line(f"GraphRAG Explorer {found.version}")
    write_line()
    if found.sound:
        write_line("Sound: nothing is missing or wrong.")
    for defect in found.defects:
        write_line(f"{counted_kind(defect.kind, defect.count)}, for example {defect.example}")
        write_line(f"    {defect.remedy}")
    if found.losses:
        write_line()
        write_line("What GraphRAG left out on the way (no defect of the files):")
    for loss in found.losses:
        write_line(f"  {loss.sentence}")
    for note in found.notes:
        write_line(note)
    if found.other_runs:
        write_line()
        write_line("Other runs that could be opened:")
    for run in found.other_runs:
        write_line(f"  {run}")
