"""export INDEX: reports, graph, tables or the trace of a run as files."""

from __future__ import annotations

import argparse
from pathlib import Path

from explorer.base.errors import InputError
from explorer.base.events import EventSink
from explorer.commands.output import write_json, write_line
from explorer.commands.paths import typed_path
from explorer.commands.progress import progress

_FORMATS = {"reports": ("md", "html", "pdf"), "graph": ("graphml",), "tables": ("csv",), "trace": ("json",)}
_SUFFIXES = {"markdown": "md", "htm": "html"}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "export",
        help="write reports, graph, tables or a run's trace to files",
        description="Write the reports of an index (md, html, pdf), its graph (graphml), its tables (csv) or the trace "
        "of a run (json). A file is written whole or not at all.",
    )
    parser.add_argument("index", type=typed_path, metavar="INDEX")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--reports", action="store_true", help="the communities' reports, in the order of the hierarchy")
    what.add_argument("--graph", action="store_true", help="entities and relationships")
    what.add_argument("--tables", action="store_true", help="every table, one file each, into the folder of --out")
    what.add_argument("--trace", metavar="RUN", help="a run: its file, the name it is kept under, or last")
    parser.add_argument(
        "--community", type=int, metavar="N", help="reports and graph: only this community and what is under it"
    )
    parser.add_argument("--format", metavar="F", help="md, html, pdf, graphml, csv or json; else the ending of --out")
    parser.add_argument(
        "--out", type=typed_path, required=True, metavar="PATH", help="the file (or a folder that exists)"
    )
    parser.add_argument(
        "--index", dest="index_dir", type=typed_path, metavar="DIR", help="where the index is, if elsewhere"
    )
    parser.add_argument("--json", action="store_true", help='print {"written": [path]}')
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the files and name them; 0 when done. Raises ExplorerError where nothing could be written."""
    kind = next(name for name in _FORMATS if getattr(arguments, name) not in (None, False))
    chosen = _format(kind, arguments.format, arguments.out)
    if arguments.community is not None and kind not in ("reports", "graph"):
        raise InputError(f"--community goes with --reports and --graph, not with --{kind}; nothing was written.")
    with progress() as sink:
        written = _write(kind, chosen, arguments, sink)
    if arguments.json:
        write_json({"written": [str(path) for path in written]})
    else:
        for path in written:
            write_line(str(path))
    return 0


def _write(kind: str, chosen: str, arguments: argparse.Namespace, sink: EventSink) -> list[Path]:
    from explorer.tables.index import open_index

    index = open_index(arguments.index, index_dir=arguments.index_dir)
    out: Path = arguments.out
    if kind == "reports":
        from explorer.export.reports import export_reports

        return export_reports(index, out, chosen, arguments.community, sink=sink)
    if kind == "graph":
        from explorer.export.graph_graphml import export_graph

        return [export_graph(index, out, arguments.community, sink=sink)]
    if kind == "tables":
        from explorer.export.tables_csv import export_tables

        return export_tables(index, out, sink=sink)
    from explorer.export.trace_json import export_trace

    return [export_trace(index, arguments.trace, out)]


def _format(kind: str, asked: str | None, out: Path) -> str:
    """The format that is asked for, or that the ending of the file names; the first of its kind for a folder or a name
    without an ending. An ending of another format is refused: a .docx that holds Markdown opens nowhere.
    """
    formats = _FORMATS[kind]
    if asked is None:
        suffix = out.suffix.lower().lstrip(".")
        suffix = _SUFFIXES.get(suffix, suffix)
        if suffix in formats or not suffix or kind == "tables" or out.is_dir():
            return suffix if suffix in formats else formats[0]
        raise InputError(
            f"--{kind} is written as {', '.join(formats)}, and {out.name} ends otherwise; nothing was written. "
            "Give another ending, or --format."
        )
    name = _SUFFIXES.get(asked.lower(), asked.lower())
    if name not in formats:
        raise InputError(f"--{kind} is written as {', '.join(formats)}, not as {asked!r}; nothing was written.")
    return name
