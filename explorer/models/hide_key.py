"""Take a key out of text that came from elsewhere: servers repeat what they were sent, also in their error bodies."""

from __future__ import annotations

import base64
import html
import json
from urllib.parse import quote

HIDDEN = "[the key]"
# A shorter "key" is a word that local servers accept (ollama, EMPTY): it is no secret and is part of ordinary text.
_SHORTEST = 8


def hide_key(text: str, key: str | None) -> str:
    """The text with the key replaced, also where it is URL-encoded, escaped for JSON or HTML, or in base64.

    To be used before a text is cut to a length: half a key is found no more. A key of fewer than 8 characters is left.
    """
    if key is None or len(key) < _SHORTEST:
        return text
    for spelling in spellings(key):
        if spelling in text:
            text = text.replace(spelling, HIDDEN)
    return text


def clean_error(error: BaseException, key: str | None) -> None:
    """Take a key out of what an exception says, and out of what it came from, in place.

    Libraries say in their faults what they were given (an illegal header with its value); a crash report would show it.
    """
    if key is None or len(key) < _SHORTEST:
        return
    waiting: list[BaseException] = [error]
    seen: set[int] = set()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if any(hide_key(f"{argument} {argument!r}", key) != f"{argument} {argument!r}" for argument in one.args):
            one.args = tuple(_clean(argument, key) for argument in one.args)
        waiting += [near for near in (one.__cause__, one.__context__) if near is not None]
        if isinstance(one, BaseExceptionGroup):
            waiting += one.exceptions


def _clean(argument: object, key: str) -> object:
    text = argument if isinstance(argument, str) else repr(argument)
    hidden = hide_key(text, key)
    return hidden if hidden != text or isinstance(argument, str) else argument


def spellings(key: str) -> tuple[str, ...]:
    """The ways in which a key may stand in a text, the longest first; in base64 at each of the three offsets."""
    raw = key.encode("utf-8", "surrogatepass")
    found = {key, quote(key, safe=""), quote(key), json.dumps(key)[1:-1], html.escape(key)}
    for before in range(3):
        coded = base64.b64encode(b"\0" * before + raw)
        # The first letters also carry what stands before the key, the last ones what follows it: only the middle is
        # the same in every surrounding.
        first = (before * 8 + 5) // 6
        last = (before + len(raw)) * 8 // 6
        middle = coded[first:last].decode("ascii")
        found |= {middle, middle.replace("+", "-").replace("/", "_")}
    return tuple(sorted(found, key=lambda spelling: (-len(spelling), spelling)))
