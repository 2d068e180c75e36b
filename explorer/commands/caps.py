"""Caps of a run on the command line: --max-cost and --max-calls, and what happens when one is reached."""

from __future__ import annotations

import argparse
import sys
import threading

from explorer.base.cancel import CancelScope
from explorer.base.errors import InputError
from explorer.base.events import CapReached, Event, EventSink
from explorer.commands.output import write_message

_ASKED = {
    "max_cost": "Raise it to how many US dollars? Enter alone ends the run here: ",
    "max_calls": "Raise it to how many calls? Enter alone ends the run here: ",
}


def add_cap_options(parser: argparse.ArgumentParser) -> None:
    """Add --max-cost and --max-calls."""
    parser.add_argument(
        "--max-cost",
        type=float,
        metavar="USD",
        help="pause before the calls cost more than this many US dollars: on a terminal you are asked what to do, "
        "elsewhere the run ends there with everything kept",
    )
    parser.add_argument("--max-calls", type=int, metavar="N", help="the same for the number of calls")


def check_caps(arguments: argparse.Namespace) -> None:
    """Raises InputError, in one sentence, for a cap that is no positive number."""
    cost, calls = arguments.max_cost, arguments.max_calls
    if cost is not None and not 0 < cost < float("inf"):
        raise InputError(f"--max-cost {cost} is not allowed: give US dollars above 0; nothing was done.")
    if calls is not None and calls < 1:
        raise InputError(f"--max-calls {calls} is not allowed: give a number from 1; nothing was done.")


def keep_caps(sink: EventSink, scope: CancelScope) -> EventSink:
    """A sink before `sink` that answers to a cap: it asks the person on a terminal, elsewhere it ends the run.

    The run ends by a cancel: calls that are out are finished and kept.
    """

    def listen(event: Event, /) -> None:
        sink(event)
        if isinstance(event, CapReached):
            if _on_terminal():
                threading.Thread(target=_ask, args=(event, scope), daemon=True).start()  # a sink returns at once
            else:
                scope.cancel()

    return listen


def _on_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def _ask(event: CapReached, scope: CancelScope) -> None:
    write_message(event.sentence)
    while not scope.cancelled:
        sys.stderr.write(_ASKED.get(event.name, _ASKED["max_cost"]))
        sys.stderr.flush()
        answer = sys.stdin.readline().strip().lstrip("$")
        if not answer:
            scope.cancel()
            return
        try:
            value = float(answer)
        except ValueError:
            write_message(f"{answer} is no number.")
            continue
        if value > event.spent:
            scope.set_cap(event.name, value)
            return
        write_message(f"That much is used already ({event.spent:g}): give more, or Enter alone to end the run here.")
