"""The command line: finds the command, runs it, and turns failures into one sentence and an exit code.

Exit codes: 0 done or sound, 1 defects or a stop by the person, 2 nothing could be done.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import sys
from collections.abc import Sequence
from typing import Any

from explorer import __version__
from explorer.base.errors import Cancelled, ExplorerError
from explorer.commands.output import flush_results, give_up_stdout, write_message

COMMANDS = ("index", "estimate", "ask", "plan", "export", "doctor", "connections", "prompts", "screenshots", "tour")
_WINDOW = "window"
_STOPPED = "Stopped; what was finished is kept. Start it again: it goes on where it stopped."


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line (without the program's name) and return its exit code.

    Without a command the window opens, on the path that is given or on none. argparse ends the process itself
    (SystemExit) for --help, --version and wrong usage.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    _let_any_letter_through()
    name = arguments[0] if arguments else _WINDOW
    if name not in (*COMMANDS, _WINDOW, "-h", "--help", "--version"):  # a path, or a flag of the window
        name = _WINDOW
        arguments.insert(0, _WINDOW)
    elif not arguments:
        arguments = [_WINDOW]
    try:
        parsed = _parser(name).parse_args(arguments)
        run = getattr(parsed, "run", None)
        if run is None:
            _parser("--help").print_help()
            return 2
        code = int(run(parsed) or 0)
        flush_results()
    except ExplorerError as error:
        write_message(error.sentence)
        return 2
    except (Cancelled, KeyboardInterrupt):
        write_message(_STOPPED)
        return 1
    except BrokenPipeError:
        # The reader of our output went away (for example `| head`): nothing more to say to anybody.
        give_up_stdout()
        return 0
    return code


def _parser(name: str) -> argparse.ArgumentParser:
    """The parser of one command, or of all of them for --help; only what is needed is imported."""
    parser = argparse.ArgumentParser(
        prog="graphrag-explorer",
        description="A folder of documents becomes a graph of communities; ask, and see what every call read and lost. "
        "With a path or nothing at all the window opens.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND")
    for command in (*COMMANDS, _WINDOW) if name.startswith("-") else (name,):
        module = _module(command)
        if module is not None:
            module.add_parser(subparsers)
        elif command == name:
            raise SystemExit(_missing(command))
    return parser


def _module(command: str) -> Any:
    full = f"explorer.commands.{command}"
    return importlib.import_module(full) if importlib.util.find_spec(full) is not None else None


def _missing(command: str) -> int:
    write_message(f"This installation has no command {command}; see graphrag-explorer --help.")
    return 2


def _let_any_letter_through() -> None:
    """Output never fails for a letter that the terminal's encoding lacks: it is written as an escape."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
