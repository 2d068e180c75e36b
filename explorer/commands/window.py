"""graphrag-explorer [PATH]: opens the window, on a folder or an index if one is given."""

from __future__ import annotations

import argparse

from explorer.commands.paths import typed_path


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("window", help="open the window (this is what happens without a command)")
    parser.add_argument("path", nargs="?", type=typed_path, metavar="PATH", help="a folder of documents, or an index")
    parser.add_argument("--sample", action="store_true", help="open the bundled sample")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Open the window and return when it is closed. Raises ExplorerError where there is no screen."""
    from explorer.gui.app import run as run_window

    return run_window(arguments.path, sample=arguments.sample)
