"""index FOLDER: make or renew the index of a folder."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.base.errors import Cancelled, InputError
from explorer.commands.caps import add_cap_options, check_caps, keep_caps
from explorer.commands.interrupt import interruptible
from explorer.commands.method_options import read_connection
from explorer.commands.output import write_json, write_line, write_message
from explorer.commands.paths import typed_path
from explorer.commands.progress import progress
from explorer.tables.settings_words import settings_words

if TYPE_CHECKING:
    from explorer.base.cancel import CancelScope
    from explorer.commands.heard import Heard
    from explorer.indexing.options import IndexOptions
    from explorer.indexing.summary import IndexSummary
    from explorer.models.connection import Connection


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "index",
        help="turn a folder of documents into an index",
        description="Turn a folder of documents into an index, or renew the one that is there: what was read before is "
        "not read again, and a run that was stopped goes on where it was.",
    )
    parser.add_argument("folder", type=typed_path, metavar="FOLDER")
    parser.add_argument("--index", type=typed_path, metavar="DIR", help="keep the index here instead of in the folder")
    add_index_options(parser)
    add_cap_options(parser)
    parser.add_argument(
        "--pilot", type=int, metavar="N", help="try N text units first and say what the whole will cost, then ask"
    )
    parser.add_argument("--yes", action="store_true", help="go on after a pilot without asking")
    parser.add_argument("--no-vectors", action="store_true", help="make no vectors at the end")
    parser.add_argument(
        "--renew-vectors", action="store_true", help="make all vectors again where those there are another model's"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def add_index_options(parser: argparse.ArgumentParser) -> None:
    """The connection and the knobs that decide an index."""
    parser.add_argument("--connection", default="offline", metavar="NAME", help="who reads and writes (offline)")
    parser.add_argument("--grade", choices=("auto", "patterns", "spacy"), default="auto", help="of the offline analyst")
    parser.add_argument("--chunk-size", type=int, metavar="N", help="tokens of a text unit (1200)")
    parser.add_argument("--chunk-overlap", type=int, metavar="N", help="tokens that two units share (100)")
    parser.add_argument("--max-cluster-size", type=int, metavar="N", help="communities of N or more are split (10)")
    parser.add_argument(
        "--use-lcc", action="store_true", default=None, help="cluster the largest connected component only"
    )
    parser.add_argument("--seed", type=_seed, default=0xDEADBEEF, metavar="N", help="of the clustering (0xDEADBEEF)")
    parser.add_argument("--max-input-tokens", type=int, metavar="N", help="budget of one report's context (8000)")
    models = parser.add_argument_group("with a language model")
    models.add_argument("--entity-types", type=_types, metavar="A,B", help="the types it may name (any that it finds)")
    models.add_argument("--max-gleanings", type=int, metavar="N", help="how often it is asked for what it missed (1)")
    models.add_argument("--claims", action="store_true", default=None, help="look for claims as well")
    models.add_argument("--max-report-length", type=int, metavar="N", help="words that a report may have (2000)")


def run(arguments: argparse.Namespace) -> int:
    """Index and print what came of it; 0 when done, 1 where a cap or the person ended it, or nothing could be read.

    Raises ExplorerError or Cancelled.
    """
    connection = read_connection(arguments)
    options = read_index_options(arguments)
    check_caps(arguments)
    if arguments.pilot is not None and arguments.pilot < 1:
        raise InputError(f"--pilot {arguments.pilot} is not allowed: give a number from 1. Nothing was indexed.")
    if connection is None and (arguments.pilot or arguments.max_cost or arguments.max_calls):
        raise InputError(
            "--pilot, --max-cost and --max-calls are for a connection to a language model: the offline analyst makes "
            "no calls. Name one with --connection. Nothing was indexed."
        )
    key = None
    if connection is not None:
        from explorer.models.keys import Keys

        key = Keys().get(connection)
    estimate: dict[str, object] | None = None
    if arguments.pilot is not None:
        code, estimate = _pilot(arguments, options, connection, key)
        if code is not None:
            return code
    return _whole(arguments, options, connection, key, estimate)


def _whole(
    arguments: argparse.Namespace,
    options: IndexOptions,
    connection: Connection | None,
    key: str | None,
    estimate: dict[str, object] | None,
) -> int:
    from explorer.commands.index_words import write_calls, write_failures, write_where, write_words
    from explorer.commands.pilot_words import settle_bill, write_bill

    more: dict[str, Any] = {
        "vectors": not arguments.no_vectors, "renew_vectors": arguments.renew_vectors, "estimate": estimate
    }  # fmt: skip
    summary = _index(arguments, options, connection, key, **more)
    if summary.stopped is not None and summary.vectors is None:
        return 1
    question = summary.vectors is not None and summary.vectors.state == "other_model"
    if question and summary.vectors is not None and _on_terminal():
        write_message(summary.vectors.sentence)
        if _agrees("Make all vectors again? [y/N] "):
            summary = _index(arguments, options, connection, key, **{**more, "renew_vectors": True})
    code = 0 if _whole_index(summary, connection) else 1
    bill = settle_bill(summary, estimate)
    if arguments.json:
        write_json(summary)
        return code
    write_words(summary)
    write_where(arguments.folder, summary)
    if connection is not None:
        write_line(f"Calls to {connection.name}:")
        write_calls(summary.calls)
        write_failures(summary)
    if bill is not None:
        write_bill(bill)
    return code


def _whole_index(summary: IndexSummary, connection: Connection | None) -> bool:
    """False for what was asked to be whole and is not: vectors that were stopped, failed, or are another model's, and
    an index of which a model read no text unit at all. Single calls that failed are in the summary, and made again;
    vectors that no offline model is installed for are said, and nobody asked for them by name."""
    state = "made" if summary.vectors is None else summary.vectors.state
    vectors = state == "made" or (state == "failed" and connection is None)
    extract = summary.calls.get("extract")
    lost = 0 if extract is None else extract.failed + extract.malformed
    return vectors and not (lost and extract is not None and lost == extract.count)


def _pilot(
    arguments: argparse.Namespace, options: IndexOptions, connection: Connection | None, key: str | None
) -> tuple[int | None, dict[str, object] | None]:
    """The exit code where the command ends with the pilot, else None; and the estimate of the whole run."""
    from explorer.commands.index_words import write_calls, write_pilot
    from explorer.commands.pilot_words import whole_run, write_estimate

    summary = _index(arguments, options, connection, key, pilot=arguments.pilot)
    if summary.stopped is not None:
        return 1, None
    if summary.pilot is None:
        return 0, None
    with progress() as sink:
        estimate = whole_run(arguments, options, connection, summary, sink)
    summary.estimate = estimate.model_dump(mode="json")
    # With --yes the object of the whole run is the result, and it holds the estimate.
    going_on = arguments.yes
    if not (arguments.json and going_on):
        if arguments.json:
            write_json(summary)
        else:
            write_pilot(summary.pilot)
            write_calls(summary.calls)
            write_estimate(estimate)
    if not going_on and _on_terminal():
        going_on = _agrees("Index the whole folder now? [y/N] ")
    if not going_on:
        return 0, None
    return (None if _caps_left(arguments, summary) else 1), summary.estimate


def _caps_left(arguments: argparse.Namespace, pilot: IndexSummary) -> bool:
    """Take what the pilot was charged from the caps, which hold for the command; False where nothing is left."""
    from explorer.commands.index_words import together

    spent = together(pilot.calls)
    for name, used in (("max_cost", spent.cost or 0.0), ("max_calls", spent.count - spent.cached + spent.retries)):
        cap = getattr(arguments, name)
        if cap is not None and cap <= used:
            flag = "--" + name.replace("_", "-")
            write_message(f"The pilot used up {flag} {cap:g}. Its replies are kept; a higher {flag} goes on from here.")
            return False
        if cap is not None:
            setattr(arguments, name, cap - used)
    return True


def _index(
    arguments: argparse.Namespace, options: IndexOptions, connection: Connection | None, key: str | None, **more: Any
) -> IndexSummary:
    """One run; where a cap ended it, the summary says so and it is printed."""
    from explorer.commands.heard import Heard
    from explorer.commands.index_words import stopped_sentence
    from explorer.indexing.run import index_folder

    home: Path | None = arguments.index
    with progress() as sink:
        heard = Heard(sink)
        with interruptible(heard.in_flight if connection is not None else None) as scope:
            try:
                summary = index_folder(
                    arguments.folder,
                    home=home,
                    options=options,
                    sink=keep_caps(heard, scope),
                    scope=scope,
                    connection=connection,
                    key=key,
                    max_cost=arguments.max_cost,
                    max_calls=arguments.max_calls,
                    **more,
                )
                ended = summary.vectors is not None and summary.vectors.state == "stopped"
                if ended and _ended_by_cap(heard, scope):
                    summary.stopped = heard.stopped(Path(summary.index)).stopped
                return summary
            except Cancelled:
                if not _ended_by_cap(heard, scope):
                    raise
    summary = heard.stopped(home or _home(arguments.folder))
    if arguments.json:
        write_json(summary)
    assert heard.cap is not None
    write_message(stopped_sentence(heard.cap, heard.tally.stages))
    return summary


def _ended_by_cap(heard: Heard, scope: CancelScope) -> bool:
    """Whether a run ended at a cap that was not raised; a person may also stop one that went on."""
    cap = heard.cap
    if cap is None or not scope.cancelled or scope.abandoned:
        return False
    return scope.caps.get(cap.name, cap.cap) == cap.cap


def _home(folder: Path) -> Path:
    from explorer.indexing.home import choose_home

    return choose_home(folder.expanduser().absolute())[0]


def read_index_options(arguments: argparse.Namespace) -> IndexOptions:
    """The options that the flags give; for those not given, what the settings.yaml of a GraphRAG project says.

    What is taken from there, and what is not, is said on stderr. Raises InputError in one sentence for a flag out of
    its range.
    """
    from pydantic import ValidationError

    from explorer.indexing.options import IndexOptions
    from explorer.indexing.project_settings import index_settings, options_with
    from explorer.tables.settings import settings_for_documents

    given = {name: value for name in IndexOptions.model_fields if (value := getattr(arguments, name)) is not None}
    folder = arguments.folder.expanduser().absolute()
    settings = settings_for_documents(folder)
    taken = index_settings(settings, given) if settings is not None else None
    try:
        options = options_with(taken, given)
    except ValidationError as error:
        first = error.errors()[0]
        flag = "--" + str(first["loc"][0]).replace("_", "-")
        raise InputError(f"{flag} {first['input']}: {first['msg'].lower()}. Nothing was indexed.") from error
    if settings is not None and taken is not None:
        for sentence in settings_words(settings, taken):
            write_message(sentence)
    return options


def _on_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def _agrees(question: str) -> bool:
    sys.stderr.write(question)
    sys.stderr.flush()
    return sys.stdin.readline().strip().casefold() in ("y", "yes")


def _types(text: str) -> tuple[str, ...]:
    """Types parted by commas, each once."""
    types = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not types:
        raise argparse.ArgumentTypeError("name at least one type, like person,place")
    return types


def _seed(text: str) -> int:
    """A seed in decimal or with 0x in hexadecimal."""
    try:
        return int(text, 0)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number") from error
