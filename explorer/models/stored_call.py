"""One call as it is kept: its key, its parts, and how they stand in the rows of the call store."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from explorer.base.fates import CallFate
from explorer.models.calls import Attempt

HAND = 1000  # the ordinal of a call that was repeated by hand n times is that of the request + n * HAND


@dataclass(frozen=True, slots=True)
class StoredCall:
    """One call as it was made. `fate` is ok, repaired, malformed, failed or cancelled; `seconds` is its wall time.

    `reply` is the text as the model gave it; `prompt_tokens` and `output_tokens` are those of the attempt that stands,
    the billed ones those of all attempts; `cost` is in US dollars, None where no price is known. `base` is the key that
    the call has without repeats by hand ("" where it is `key` itself). `parts` are the keys of the vectors that a call
    of the stage embed asked for. `made` is when it was kept, in seconds since 1970; 0 before it is.
    """

    key: str
    stage: str
    reply: str
    model: str = ""
    fate: CallFate = CallFate.OK
    prompt_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    retries: int = 0
    error: str | None = None
    subject: str = ""
    messages: tuple[tuple[str, str], ...] = ()  # (role, content); of older files empty
    attempts: tuple[Attempt, ...] = ()
    note: str = ""
    cost: float | None = None
    billed_prompt_tokens: int = 0
    billed_output_tokens: int = 0
    base: str = ""
    parts: tuple[str, ...] = ()
    made: float = 0.0


def call_key(
    *,
    base_url: str,
    model: str,
    messages: Sequence[tuple[str, str]],
    parameters: Mapping[str, object] | None = None,
    schema: Mapping[str, object] | None = None,
    ordinal: int = 0,
) -> str:
    """The SHA-256 in hex under which a call is kept.

    Parameters
    ----------
    messages: (role, content) in their order.
    parameters: what else was sent (temperature, max_tokens …); the order of the names does not matter.
    schema: the JSON schema that was asked for, or None.
    ordinal: 0 for the first asking, 1, 2 … for deliberate repeats and retries by hand.
    """
    value = [base_url, model, dict(parameters or {}), [list(message) for message in messages], schema, ordinal]
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def digest(text: str) -> bytes:
    """Under which a message's text is kept: system prompts and gleanings repeat themselves from call to call."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def pack_attempts(attempts: Sequence[Attempt], reply: str) -> str:
    """Attempts as JSON; a text that is the reply itself is not written twice."""
    rows = []
    for attempt in attempts:
        row = {name: value for name, value in asdict(attempt).items() if value}
        if attempt.text and attempt.text == reply:
            row["text"] = 1
        rows.append(row)
    return json.dumps(rows, ensure_ascii=True, separators=(",", ":"))


def unpack_attempts(text: str | None, reply: str) -> tuple[Attempt, ...]:
    """The attempts that `pack_attempts` packed."""
    attempts = []
    for row in json.loads(text or "[]"):
        if row.get("text") == 1:
            row["text"] = reply
        attempts.append(Attempt(**{"outcome": "", **row}))
    return tuple(attempts)


def unpack_messages(connection: sqlite3.Connection, packed: str | None) -> tuple[tuple[str, str], ...]:
    """(role, content) of a call's messages, whose texts stand in a table of their own."""
    messages = []
    for role, name in json.loads(packed or "[]"):
        row = connection.execute("SELECT text FROM texts WHERE digest = ?", (bytes.fromhex(name),)).fetchone()
        messages.append((role, "" if row is None else row[0]))
    return tuple(messages)
