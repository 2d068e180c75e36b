"""The fields of a connection as options of the command line."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from explorer.base.errors import InputError
from explorer.models.connection import STAGES

if TYPE_CHECKING:
    from explorer.models.connection import Connection


def add_field_options(parser: argparse.ArgumentParser) -> None:
    """Every field of a connection but its name and its key. What is not given keeps its value or its default."""
    add = parser.add_argument
    add("--kind", choices=("openai", "azure", "compatible"), help="openai without an address, else compatible")
    add("--base-url", metavar="URL", help="the address, like http://localhost:11434/v1; of Azure that of the resource")
    add("--api-version", metavar="VERSION", help="of Azure's API")
    add("--chat-model", metavar="MODEL", help="of Azure: the deployment")
    add("--embedding-model", metavar="MODEL")
    add("--stage-model", action="append", metavar="STAGE=MODEL", help="another model for a stage: " + ", ".join(STAGES))
    add("--parameter", action="append", metavar="NAME=VALUE", help="sent with every chat call, like temperature=0")
    add("--stage-parameter", action="append", metavar="STAGE.NAME=VALUE", help="sent with the calls of one stage")
    add("--concurrency", type=int, metavar="N", help="calls that are out at one time (8)")
    add("--requests-per-minute", type=int, metavar="N")
    add("--tokens-per-minute", type=int, metavar="N")
    add("--context-window", type=int, metavar="TOKENS")
    add("--tokenizer", choices=("o200k_base", "cl100k_base"))
    add("--price", action="append", metavar="MODEL=PROMPT[,OUTPUT]", help="US dollars for a million tokens")
    add("--timeout", type=float, metavar="SECONDS", help="for one attempt (300)")
    add("--retries", type=int, metavar="N", help="attempts after the first (5)")
    add("--reply-mode", choices=("json_schema", "json_object", "text"), help="how JSON is asked for; a test finds it")


def read_connection(arguments: argparse.Namespace, old: Connection | None) -> Connection:
    """The connection that the options describe, over the old one of that name. Raises InputError for a wrong value."""
    from pydantic import ValidationError

    from explorer.models.connection import Connection
    from explorer.models.connections import problem_words

    given: dict[str, Any] = {
        field: getattr(arguments, field)
        for field in (
            "kind", "base_url", "api_version", "chat_model", "embedding_model", "concurrency", "requests_per_minute",
            "tokens_per_minute", "context_window", "tokenizer", "timeout", "retries", "reply_mode",
        )
        if getattr(arguments, field) is not None
    }  # fmt: skip
    if arguments.stage_model:
        pairs = [_pair(text, "--stage-model", "STAGE=MODEL") for text in arguments.stage_model]
        given["stage_models"] = {_stage(stage): model for stage, model in pairs}
    if arguments.parameter:
        pairs = [_pair(text, "--parameter", "NAME=VALUE") for text in arguments.parameter]
        given["parameters"] = {name: _value(value) for name, value in pairs}
    if arguments.stage_parameter:
        given["stage_parameters"] = _stage_parameters(arguments.stage_parameter)
    if arguments.price:
        given["prices"] = dict(_price(text) for text in arguments.price)
    values: dict[str, Any] = {} if old is None else old.model_dump()
    if old is None and "kind" not in given:
        given["kind"] = "compatible" if given.get("base_url") else "openai"
    if old is not None and "reply_mode" not in given and {"base_url", "chat_model", "kind"} & set(given):
        given["reply_mode"] = None  # what worked with another server or model need not work with this one
    try:
        return Connection.model_validate({**values, **given, "name": arguments.name})
    except ValidationError as error:
        raise InputError(f"This is no connection, nothing was saved: {problem_words(error)}.") from None


def _pair(text: str, option: str, form: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or not name.strip() or not value.strip():
        raise InputError(f"{option} takes {form}; nothing was saved.")
    return name.strip(), value.strip()


def _stage(name: str) -> str:
    if name not in STAGES:
        raise InputError(f"There is no stage {name!r}; there are {', '.join(STAGES)}. Nothing was saved.")
    return name


def _value(text: str) -> object:
    """A parameter's value: JSON where it is JSON (0, true, [..]), else the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _stage_parameters(texts: Sequence[str]) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = {}
    for text in texts:
        where, value = _pair(text, "--stage-parameter", "STAGE.NAME=VALUE")
        stage, dot, name = where.partition(".")
        if not dot or not stage or not name:
            raise InputError("--stage-parameter takes STAGE.NAME=VALUE; nothing was saved.")
        found.setdefault(_stage(stage), {})[name] = _value(value)
    return found


def _price(text: str) -> tuple[str, dict[str, float]]:
    model, numbers = _pair(text, "--price", "MODEL=PROMPT[,OUTPUT]")
    try:
        prompt, *output = [float(number) for number in numbers.split(",")]
    except ValueError:
        raise InputError("--price takes MODEL=PROMPT[,OUTPUT] with dollars for a million tokens.") from None
    if len(output) > 1:
        raise InputError("--price takes MODEL=PROMPT[,OUTPUT] with dollars for a million tokens.")
    return model, {"prompt": prompt, "output": output[0] if output else 0.0}
