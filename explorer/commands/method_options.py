"""The flags of the search methods: each knob by GraphRAG's name with dashes, read into the method's options."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from explorer.base.errors import InputError
from explorer.commands.output import write_message
from explorer.search.options import GlobalOptions
from explorer.search.project_settings import BUDGETS

if TYPE_CHECKING:
    from explorer.models.connection import Connection
    from explorer.tables.settings import GraphragSettings

METHODS = ("global",)
OFFLINE = "offline"
_CONNECTED = ("concurrency", "tokenizer")  # knobs whose default is the connection's own


def add_method_options(parser: argparse.ArgumentParser) -> None:
    """Add the connection and every knob of global search, with its default in the help."""
    default = GlobalOptions()
    parser.add_argument("--connection", default=OFFLINE, metavar="NAME", help="who answers (default: %(default)s)")
    parser.add_argument("--method", choices=METHODS, default="global", help="the search method (default: global)")
    parser.add_argument(
        "--level",
        "--community-level",
        default=str(default.level),
        metavar="N",
        help=f"the level of the communities, or 'all' (default: {default.level})",
    )
    parser.add_argument(
        "--reports",
        choices=("roll_up", "at_or_below"),
        default=default.reports,
        help="roll_up: each entity's deepest report at or below the level; at_or_below: every report at or below it, "
        "as GraphRAG since 2.0 sends them (default: %(default)s)",
    )
    for name, unit in (
        ("max_context_tokens", "tokens of a map batch"),
        ("data_max_tokens", "tokens of the points in the reduce prompt"),
        ("map_max_length", "words asked of a map reply"),
        ("reduce_max_length", "words asked of the answer"),
        ("concurrency", "map calls at one time"),
    ):
        flags = [_flag(name), *(["--concurrent-requests"] if name == "concurrency" else [])]
        parser.add_argument(
            *flags,
            dest=name,
            type=int,
            default=None,
            metavar="N",
            help=f"{unit} (default: {_default(name, default)})",
        )
    parser.add_argument(
        "--min-community-rank",
        type=float,
        default=default.min_community_rank,
        metavar="RANK",
        help="leave out reports rated below it (default: %(default)s)",
    )
    parser.add_argument(
        "--response-type", default=default.response_type, help="form of the answer (default: %(default)s)"
    )
    parser.add_argument(
        "--random-state",
        dest="shuffle_seed",
        type=int,
        default=default.shuffle_seed,
        metavar="SEED",
        help="seed of the shuffle that fixes the batches (default: %(default)s)",
    )
    parser.add_argument(
        "--tokenizer",
        choices=("cl100k_base", "o200k_base"),
        default=None,
        help=f"what counts the tokens (default: {_default('tokenizer', default)})",
    )
    for name, text in (
        ("use_community_summary", "batches of the reports' summaries in place of their full contents"),
        ("nearest_ancestor", "where a deepest community has no report, read the nearest ancestor's"),
        ("keep_filling", "go on filling the reduce prompt after the first point that does not fit"),
    ):
        parser.add_argument(_flag(name), action="store_true", help=text)
    parser.add_argument("--as-model", metavar="NAME", help="say what the calls would cost with this model")


def read_connection(arguments: argparse.Namespace) -> Connection | None:
    """The connection that --connection names, None for the offline analyst.

    Raises InputError that names the known ones.
    """
    if arguments.connection.strip().casefold() == OFFLINE:
        return None
    from explorer.models.connections import find_connection

    return find_connection(arguments.connection)


def read_method_options(
    arguments: argparse.Namespace, connection: Connection | None = None, settings: GraphragSettings | None = None
) -> GlobalOptions:
    """The options that the flags give, by default those of the connection, then of the project's settings.yaml.

    What of the settings cannot be used is said on stderr (the plan and the trace say what was). Raises InputError in
    one sentence for a value out of its range.
    """
    from pydantic import ValidationError

    given = {name: getattr(arguments, name) for name in GlobalOptions.model_fields if hasattr(arguments, name)}
    given = {name: value for name, value in given.items() if value is not None or name not in _CONNECTED + BUDGETS}
    defaults: dict[str, object] = {}
    if settings is not None:
        from explorer.search.project_settings import search_settings

        taken = search_settings(settings, given)
        defaults |= taken.values
        for sentence in taken.left_out:
            write_message(sentence)
    if connection is not None:
        from explorer.search.ask_model import model_defaults  # brings all of a search: only who asks a model

        defaults |= {name: value for name, value in model_defaults(connection).items() if name in _CONNECTED}
    values = {**defaults, **given}
    level = str(arguments.level).strip().lower()
    values["level"] = None if level in ("all", "none") else level
    try:
        return GlobalOptions.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        if name == "level":
            raise InputError(
                f"--level {first['input']!r} is not allowed: give a whole number from 0, or 'all'; nothing was asked."
            ) from error
        raise InputError(
            f"{_flag(name)} {first['input']!r} is not allowed: {first['msg']}; nothing was asked."
        ) from error


def _default(name: str, default: GlobalOptions) -> str:
    value = getattr(default, name)
    if name in BUDGETS:
        return f"that of the project's settings.yaml, else {value}"
    return f"the connection's, {value} for {OFFLINE}" if name in _CONNECTED else str(value)


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")
