"""tour [FOLDER]: the whole path in a terminal, for a machine without a screen.

It indexes the folder (the bundled sample without one), prints the communities, asks one question, and writes the
trace and the reports.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.base.paths import resource, user_home_for
from explorer.base.words import counted
from explorer.commands.output import write_line
from explorer.commands.progress import progress
from explorer.commands.run_words import print_trace

if TYPE_CHECKING:
    from explorer.tables.index import Index
from explorer.commands.paths import typed_path

_SHOWN = 12


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("tour", help="index a folder, show its communities, ask one question (no window)")
    parser.add_argument(
        "folder", nargs="?", type=typed_path, help="a folder of documents; the bundled sample without it"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Do the tour; 0 when done. Raises ExplorerError with its sentence where a step cannot be done."""
    from explorer.analysts.offline.analyst import OfflineAnalyst
    from explorer.commands.index_words import write_files
    from explorer.export.reports_markdown import export_reports_markdown
    from explorer.indexing.run import index_folder
    from explorer.search.global_search import global_search
    from explorer.search.options import GlobalOptions
    from explorer.search.runs import save_run
    from explorer.search.suggest import suggest_questions
    from explorer.tables.index import open_index

    folder: Path = arguments.folder or resource("sample")
    home = None if arguments.folder else user_home_for(folder)
    with progress() as sink:
        summary = index_folder(folder, home=home, sink=sink)
    index = open_index(folder, index_dir=home)
    write_files(summary)
    write_line(
        f"{counted(summary.documents, 'document')}, {counted(summary.text_units, 'text unit')}, "
        f"{counted(summary.entities, 'entity', 'entities')}, {counted(summary.relationships, 'relationship')}, "
        f"{counted(len(index.communities), 'community', 'communities')}"
    )
    _print_communities(index)
    questions = suggest_questions(index, 1)
    if not questions:
        write_line("There is no community to ask about: the documents name too little that is connected.")
        return 0
    analyst = OfflineAnalyst.for_index(index)
    try:
        with progress() as sink:
            trace = asyncio.run(global_search(index, questions[0], analyst, GlobalOptions(), sink=sink))
    finally:
        analyst.close()
    write_line(f"\nQuestion: {trace.question}\n")
    print_trace(trace, save_run(index, trace))
    written = export_reports_markdown(index, index.home / "reports.md")
    write_line(f"reports: {written}")
    return 0


def _print_communities(index: Index) -> None:
    roots = [row for row in index.communities if row.level == 0]
    roots.sort(key=lambda row: (-len(row.entity_ids), row.community))
    for row in roots[:_SHOWN]:
        report = index.report_by_community.get(row.community)
        title = report.title if report else f"{row.title} (no report)"
        write_line(f"  {len(row.entity_ids):>5}  {title}")
    if len(roots) > _SHOWN:
        write_line(f"         and {counted(len(roots) - _SHOWN, 'more community', 'more communities')} at level 0")
