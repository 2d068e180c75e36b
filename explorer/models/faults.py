"""What an attempt that failed means: whether it may be made again, how long to wait, and whether the run must end.

Words for people come from `server_words`; here is what the client does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from explorer.base.errors import ExplorerError
from explorer.models.backoff import retry_after
from explorer.models.connection import Connection
from explorer.models.hide_key import hide_key
from explorer.models.server_words import fault_of, fault_words, quote_server

PATIENCE = 600.0  # seconds that a server may ask to wait; beyond that the run ends and says when to start again
_BAD_KEY = "The request could not be sent: the key holds characters that no key can have. Enter it again."
_NUMBERS = re.compile(
    r"(?:maximum context length is|context (?:window|length|size)(?: is| of)?|n_ctx\D{0,5})\D{0,12}(\d[\d,_]*)", re.I
)
_FLAGGED = re.compile(r"moderation|flagged|content.{0,12}(?:filter|policy|management)|safety", re.I)


class ModelStop(ExplorerError):
    """What ends a run of model calls: no server, a wrong key, no such model. What was paid for is kept."""


@dataclass(frozen=True)
class Failure:
    """An attempt that brought no reply.

    `again`: another attempt may help. `everyone`: all calls of the run wait, not only this one. `gone`: no connection
    could be made. `stops` ends the run; `stops_first` ends it where no call of the model has worked yet. `refused` is
    what the server said about a request that it did not understand, "" for everything else. `wait` is in seconds,
    where the server asks for it.
    """

    outcome: str
    error: str
    again: bool = False
    everyone: bool = False
    gone: bool = False
    stops: bool = False
    stops_first: bool = False
    refused: str = ""
    wait: float | None = None


class BadBody(Exception):
    """A reply with status 200 that holds none: empty, cut off, no JSON, or an error in place of a choice.

    `tokens` are (prompt, output) where the server says what it charged for. `status` is that of an error inside.
    """

    def __init__(
        self,
        outcome: str,
        said: str,
        text: str = "",
        tokens: tuple[int | None, int | None] = (None, None),
        status: int | None = None,
    ) -> None:
        super().__init__(said)
        self.outcome = outcome
        self.said = said
        self.text = text
        self.tokens = tokens
        self.status = status


def read_failure(
    error: BaseException, connection: Connection, key: str | None, *, model: str, prompt_tokens: int
) -> Failure:
    """What an exception of one attempt means. `key` only takes the key out of what the server said."""
    if isinstance(error, BadBody):
        return _bad_body(error, key)
    if isinstance(error, TimeoutError):
        return Failure("timeout", _timeout(connection), again=True)
    if isinstance(error, UnicodeError):  # its own words would repeat what could not be sent
        return Failure("failed", _BAD_KEY, stops=True, stops_first=True)
    kind = fault_of(error)
    words = hide_key(fault_words(error, connection, key, model=model), key)
    status = getattr(error, "status_code", None)
    outcome = f"http_{status}" if status else "dropped"
    said = hide_key(_body_text(error), key)
    wait = retry_after(_headers(error))
    if kind == "timeout" or kind == "no_server":
        return _connection(error, kind, words, connection)
    if kind == "key":
        if status == 403 and _FLAGGED.search(said):
            return Failure("refused", words)
        return Failure(outcome, words, stops=True, stops_first=True)
    if kind == "quota" or status == 402:
        return Failure(outcome, words, stops=True, stops_first=True)
    if kind == "window":
        return Failure(outcome, window_words(prompt_tokens, connection, said))
    if kind in ("no_model", "address"):
        return Failure(outcome, words, stops=True, stops_first=True)
    if kind == "limit" or (status in (429, 503, 529) and wait is not None):
        if wait is not None and wait > PATIENCE:
            return Failure(outcome, f"{words} It asks to wait {wait / 60:.0f} minutes: start again then.", stops=True)
        return Failure(outcome, words, again=True, everyone=True, wait=wait)
    if kind == "mode" or kind == "parameter" or status in (400, 415, 422):
        if _FLAGGED.search(said):
            return Failure("refused", words)
        return Failure(outcome, words, stops_first=True, refused=said or words)
    if status in (408, 409, 425) or kind == "server":
        return Failure(outcome, words, again=True, wait=wait, refused=said if status == 501 else "")
    return Failure(outcome, words, again=status is None)


def window_words(prompt_tokens: int, connection: Connection, said: str = "") -> str:
    """The sentence for a prompt that is longer than what the model reads."""
    found = _NUMBERS.search(said)
    window = int(re.sub(r"\D", "", found.group(1))) if found else connection.context_window
    known = f"the model's window is {window:,} tokens" if window else "the model's window is shorter"
    return (
        f"The prompt has {prompt_tokens:,} tokens, {known}. Start the server with a longer context, choose another "
        "model, or make text units and budgets smaller."
    )


def _connection(error: BaseException, kind: str, words: str, connection: Connection) -> Failure:
    import httpx2

    cause = error if isinstance(error, httpx2.TransportError) else error.__cause__
    if isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.ProxyError | httpx2.UnsupportedProtocol):
        return Failure("unreachable", words, again=True, everyone=True, gone=True, stops_first=True)
    if kind == "timeout":
        return Failure("timeout", _timeout(connection), again=True)
    if isinstance(cause, httpx2.LocalProtocolError):
        return Failure("failed", _BAD_KEY, stops=True, stops_first=True)
    return Failure("dropped", words, again=True)


def _timeout(connection: Connection) -> str:
    return (
        f"The server did not answer within {connection.timeout:g} seconds. Give the connection a longer time-out, or "
        "let fewer calls be out at one time."
    )


def _bad_body(error: BadBody, key: str | None) -> Failure:
    said = hide_key(error.said, key)
    if error.status is not None and error.status in (401, 402, 403, 404):
        return Failure(f"http_{error.status}", said, stops=error.status != 403, stops_first=True)
    if error.status == 429:
        return Failure("http_429", said, again=True, everyone=True)
    return Failure(error.outcome, said, again=True)


def error_in_body(value: object) -> BadBody | None:
    """Some proxies answer 200 with an error inside; that error, or None."""
    if not isinstance(value, Mapping) or not value.get("error") or value.get("choices") or value.get("data"):
        return None
    inner = value["error"]
    said = str(inner.get("message") or inner) if isinstance(inner, Mapping) else str(inner)
    code = inner.get("code") if isinstance(inner, Mapping) else None
    status = int(code) if isinstance(code, int | str) and str(code).isdigit() else None
    name = f"http_{status}" if status else "failed"
    return BadBody(name, f"The server answers with an error{quote_server(said, None)}", status=status)


def _headers(error: BaseException) -> Mapping[str, str]:
    response = getattr(error, "response", None)
    return response.headers if response is not None else {}


def _body_text(error: BaseException) -> str:
    import openai

    if not isinstance(error, openai.APIStatusError):
        return ""
    try:
        return str(error.response.text)[:20_000]
    except (RuntimeError, UnicodeDecodeError):  # a stream that was not read
        return str(error.body or "")[:20_000]
