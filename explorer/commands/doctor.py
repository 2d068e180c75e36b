"""doctor [INDEX]: what is missing on this machine or wrong in an index, each with its remedy."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from explorer.base.words import agree, counted
from explorer.commands.output import write_json, write_line, write_table
from explorer.commands.paths import typed_path

if TYPE_CHECKING:
    from pathlib import Path

    from explorer.health.report import CheckUp
    from explorer.planning.level_costs import LevelCost, Sent


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
    parser.add_argument(
        "--as-model", metavar="NAME", help="say what the calls of each level would cost with this model"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Check and print; 0 sound, 1 defects. Raises OpenError where the index cannot be opened."""
    from explorer.health.doctor import check_index, check_machine

    asked = arguments.path or arguments.index
    if asked is None:
        found = check_machine()
        levels: list[LevelCost] = []
    else:
        found = check_index(asked, index_dir=arguments.index)
        levels = _levels(asked, arguments)
    if arguments.json:
        write_json({**found.model_dump(mode="json"), "levels": [level.model_dump(mode="json") for level in levels]})
    else:
        _write_words(found, levels)
    return 0 if found.sound else 1


def _levels(asked: Path, arguments: argparse.Namespace) -> list[LevelCost]:
    from explorer.planning.level_costs import level_costs
    from explorer.tables.index import open_index
    from explorer.tables.lean import lean

    return level_costs(lean(open_index(asked, index_dir=arguments.index)), as_model=arguments.as_model)


def _write_words(found: CheckUp, levels: Sequence[LevelCost]) -> None:
    from explorer.health.machine import MACHINE_CHECKS
    from explorer.health.words import counted_kind

    if found.tables:
        write_line(f"{found.path}: tables of {found.made_by}")
        write_table(
            ("table", "state", "rows", ""), [(line.name, line.state, line.rows, line.reason) for line in found.tables]
        )
    else:
        write_line(f"GraphRAG Explorer {found.version}; checked on this machine:")
        wrong = {defect.kind for defect in found.defects}
        for kind, words in MACHINE_CHECKS.items():
            write_line(f"  {'wrong' if kind in wrong else 'good'}  {words}")
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
    if levels:
        write_line()
        write_line("What a question sends at each level, as roll_up and as at_or_below (GraphRAG since 2.0):")
    for level in levels:
        write_line(f"  {_level_words(level)}")
    for note in found.notes:
        write_line(note)
    if found.other_runs:
        write_line()
        write_line("Other runs that could be opened:")
    for run in found.other_runs:
        write_line(f"  {run}")


def _level_words(line: LevelCost) -> str:
    if line.roll_up is None or line.at_or_below is None or line.difference is None:
        return f"level {line.level}: {_sent_words(line.roll_up or line.at_or_below)}; {line.reason}"
    more = line.difference
    words = [f"{number:+,} {agree(abs(number), word)}" for number, word in (
        (more.reports, "report"), (more.calls[1], "call"), (more.prompt_tokens, "token")
    )]  # fmt: skip
    if more.cost is not None:
        words.append(f"+${more.cost[0]:.4f} to ${more.cost[1]:.4f}")
    return f"level {line.level}: {_sent_words(line.roll_up)}; {_sent_words(line.at_or_below)} ({', '.join(words)})"


def _sent_words(sent: Sent | None) -> str:
    """12 reports in 3 to 4 calls, 20,100 tokens, $0.0412 to $0.0933"""
    if sent is None:
        return "nothing can be asked"
    low, high = sent.calls
    calls = counted(high, "call") if low == high else f"{low:,} to {counted(high, 'call')}"
    money = "" if sent.cost is None else f", ${sent.cost[0]:.4f} to ${sent.cost[1]:.4f}"
    return f"{counted(sent.reports, 'report')} in {calls}, {counted(sent.prompt_tokens, 'token')}{money}"
