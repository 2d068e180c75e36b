"""What is wrong with a server or with a call to it, in one sentence that says what to do. For the test of a connection
and for whoever stops a run.

What the server itself says is repeated shortly where it helps; the key is taken out of it first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

from explorer.models.connection import Connection
from explorer.models.hide_key import hide_key
from explorer.models.open_client import OPENAI

Fault = Literal[
    "no_server", "timeout", "key", "no_model", "address", "window", "mode", "parameter", "limit", "quota", "server",
    "other",
]  # fmt: skip

_LONGEST = 240  # characters of what a server says
_LISTED = 12


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE | re.DOTALL)


_MODEL = _any(
    r"(model|deployment).{0,80}(not.{0,3}found|does not exist|not exist|unknown|invalid|not.{0,3}loaded)",
    r"model_not_found|DeploymentNotFound|unknown model|invalid model|no such model",
)
_WINDOW = _any(
    r"context.{0,20}(length|size|window)|maximum.{0,30}tokens|too many tokens|prompt.{0,20}too long|n_ctx",
    r"exceeds? .{0,40}(context|tokens)",
)
_MODE = _any(r"response_format|json_schema|json_object|structured output|grammar|guided|json mode")
_QUOTA = _any(r"insufficient_quota|exceeded your current quota|billing|credit")
_PARAMETER = _any(r"unsupported|unrecognized|unknown.{0,20}(argument|parameter|field)|extra inputs|not permitted")


def fault_of(error: BaseException) -> Fault:
    """What kind of fault an exception of the `openai` library stands for."""
    import openai

    if isinstance(error, openai.APITimeoutError):
        return "timeout"
    if isinstance(error, openai.APIConnectionError):
        return "no_server"
    if isinstance(error, openai.APIResponseValidationError):
        return "address"
    if not isinstance(error, openai.APIStatusError):
        return "other"
    status, said = error.status_code, _said(error)
    if status in (401, 403):
        return "key"
    if _WINDOW.search(said) and status in (400, 413, 422, 500):
        return "window"
    if status in (400, 404, 422, 500) and _MODEL.search(said):
        return "no_model"
    if status in (404, 405) or 300 <= status < 400:
        return "address"
    if status == 429:
        return "quota" if _QUOTA.search(said) else "limit"
    if status in (400, 415, 422, 500, 501) and _MODE.search(said):
        return "mode"
    if status in (400, 422):
        return "parameter" if _PARAMETER.search(said) else "other"
    return "server" if status >= 500 else "other"


def fault_words(
    error: BaseException, connection: Connection, key: str | None, *, model: str, models: Sequence[str] | None = None
) -> str:
    """One sentence about an exception of the `openai` library.

    `model` is the one that was asked; `models` those that the server lists, None where it lists none.
    """
    address = connection.base_url or OPENAI
    quoted = quote_server(_said(error), key)
    fault = fault_of(error)
    status = getattr(error, "status_code", None)
    if fault == "no_server":
        return _no_server(error, address)
    if fault == "timeout":
        plain = " If it does not speak https, give its address with http://." if address.startswith("https") else ""
        return (
            f"The server at {address} did not answer within the time-out. A local server may still be loading the "
            f"model: try again, or give the connection a longer time-out.{plain}"
        )
    if fault == "key":
        if key is None:
            return f"The server at {address} asks for a key ({status}) and this connection has none. Enter one."
        return (
            f"The server at {address} refuses the key ({status}){quoted} Enter the key again, or one that may use the "
            f"model {model}."
        )
    if fault == "no_model":
        return no_model(address, model, models)
    if fault == "address":
        return _wrong_path(connection, address, status, error, key)
    if fault == "window":
        return (
            f"The prompt is longer than the context window of {model} at {address}{quoted} Start the server with a "
            "longer context, choose another model, or make text units and budgets smaller."
        )
    if fault == "mode":
        return f"The server at {address} does not know this way to ask for JSON ({status}){quoted}"
    if fault == "parameter":
        return (
            f"The server at {address} refuses a parameter ({status}){quoted} Take it out of the parameters of the "
            "connection."
        )
    if fault == "quota":
        return (
            f"The account at {address} has nothing left to spend ({status}){quoted} Add credit, or use another "
            "connection."
        )
    if fault == "limit":
        return (
            f"The server at {address} takes no more calls for the moment ({status}){quoted} Wait, and set the limits "
            "of the connection (requests and tokens per minute) to those of the account."
        )
    if fault == "server":
        return f"The server at {address} failed ({status}){quoted} Its own log says more; try again later."
    if isinstance(error, ValueError):
        return f"What the server at {address} answered is empty, cut off or no JSON. Its own log says more; try again."
    what = f"({status})" if status is not None else f"({type(error).__name__})"
    return f"The call to {address} failed {what}{quoted}"


def no_model(address: str, model: str, models: Sequence[str] | None) -> str:
    """The sentence for a model that a server does not have, with those that it lists (None: it was not asked)."""
    head = f"The server at {address} has no model named {model!r}."
    if models is None:
        return head
    if not models:
        return f"{head} It has none at all: load or download one first."
    shown = ", ".join(models[:_LISTED])
    more = len(models) - _LISTED
    return f"{head} It has: {shown}{f' and {more} more' if more > 0 else ''}."


def quote_server(text: str, key: str | None) -> str:
    """What a server said, short, on one line and without the key, as the end of a sentence (": … .")."""
    plain = " ".join(hide_key(text, key).split())
    plain = "".join(letter if letter.isprintable() else "·" for letter in plain)
    if not plain:
        return "."
    if plain.lstrip().startswith("<"):
        return ": it answers with a web page."
    if len(plain) > _LONGEST:
        plain = plain[:_LONGEST].rstrip() + " …"
    return f": “{plain.rstrip('.')}”."


def _said(error: BaseException) -> str:
    """What the server said in the body of a failed call."""
    body = getattr(error, "body", None)
    text = _message(body)
    if text:
        return text
    response = getattr(error, "response", None)
    try:
        return str(response.text) if response is not None else ""
    except Exception:  # noqa: BLE001 - a stream that was not read has no text
        return ""


def _message(body: Any) -> str:
    if isinstance(body, str):
        return body
    if not isinstance(body, dict):
        return ""
    inner = body.get("error", body)
    if isinstance(inner, str):
        return inner
    if isinstance(inner, dict):
        parts = [str(inner[name]) for name in ("message", "code", "detail") if inner.get(name)]
        return " · ".join(dict.fromkeys(parts))
    return ""


def _no_server(error: BaseException, address: str) -> str:
    said = " ".join(_chain(error)).casefold()
    if "wrong_version_number" in said or "wrong version number" in said or "record layer failure" in said:
        return f"The server at {address} does not speak https. Try the address with http://."
    if "certificate" in said:
        return f"The certificate of {address} is not trusted on this machine; no call was made."
    if any(mark in said for mark in ("name or service not known", "nodename", "getaddrinfo", "name resolution")):
        return f"The host of {address} is not known. Look for a slip in the address, or for the network."
    if any(mark in said for mark in ("refused", "all connection attempts failed", "connection attempts")):
        return f"No server answers at {address}. Start it, or correct the address (host and port)."
    if "disconnected" in said or "reset" in said or "closed" in said:
        return f"The server at {address} broke the connection off without an answer. Its own log says more; try again."
    return f"The server at {address} cannot be reached. Look for the network, a proxy, or a slip in the address."


def _chain(error: BaseException | None) -> list[str]:
    found: list[str] = []
    while error is not None and len(found) < 8:
        found.append(f"{type(error).__name__} {error}")
        error = error.__cause__ or error.__context__
    return found


def _wrong_path(connection: Connection, address: str, status: int | None, error: BaseException, key: str | None) -> str:
    response = getattr(error, "response", None)
    if status is not None and 300 <= status < 400 and response is not None:
        target = hide_key(str(response.headers.get("location", "")), key)[:200]
        return (
            f"The server at {address} sends on to another address ({target}). Give that one as the address: the key is "
            "not sent on."
        )
    what = f"({status})" if status is not None else "(its answer is no JSON)"
    if connection.kind == "azure":
        return (
            f"There is no such address at {address} {what}. For Azure it is that of the resource, like "
            "https://NAME.openai.azure.com, and the model is the name of the deployment."
        )
    hint = "" if address.endswith("/v1") else f" The address of most servers ends with /v1: try {address}/v1."
    return f"There is a web server at {address}, but no such API {what}.{hint}"
