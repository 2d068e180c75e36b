"""screenshots INDEX --out DIR: every place of the window as a picture, without a screen."""

from __future__ import annotations

import argparse
import os
import re

from explorer.commands.output import write_json, write_line
from explorer.commands.paths import typed_path
from explorer.commands.progress import progress

_SIZE = re.compile(r"(\d{3,5})x(\d{3,5})")


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("screenshots", help="every place of the window as <place>-<scheme>.png")
    parser.add_argument("index", type=typed_path, metavar="INDEX", help="an index, or a folder that has one")
    parser.add_argument("--out", type=typed_path, required=True, metavar="DIR", help="where the pictures are written")
    parser.add_argument("--scheme", choices=("light", "dark"), default="light")
    parser.add_argument("--size", type=_size, default=(1280, 800), metavar="WIDTHxHEIGHT", help="default 1280x800")
    parser.add_argument("--scale", type=_scale, default=1.0, help="what a screen of high resolution would use (1.5)")
    parser.add_argument("--json", action="store_true", help="print what was written as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the pictures; 0 when all are there. Raises ExplorerError where the index cannot be opened."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    if arguments.scale != 1.0:
        os.environ["QT_SCALE_FACTOR"] = str(arguments.scale)
    from explorer.gui.screenshots import take_screenshots

    with progress() as sink:
        written = take_screenshots(
            arguments.index, arguments.out, scheme=arguments.scheme, size=arguments.size, sink=sink
        )
    if arguments.json:
        write_json({"written": [str(path) for path in written]})
    else:
        for path in written:
            write_line(str(path))
    return 0


def _size(text: str) -> tuple[int, int]:
    match = _SIZE.fullmatch(text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size like 1280x800")
    return int(match[1]), int(match[2])


def _scale(text: str) -> float:
    try:
        scale = float(text)
    except ValueError:
        scale = 0.0
    if not 0.5 <= scale <= 4.0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a scale between 0.5 and 4")
    return scale
