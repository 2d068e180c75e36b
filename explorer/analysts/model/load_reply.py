"""The text of a reply → the JSON value in it: strict, then taken out of fences and words, then mended."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

How = Literal["strict", "among_words", "mended"]
Ending = Literal["closed", "open", "cut"]  # the JSON ends; it does not, but its last item does; neither does

LONGEST = 2_000_000  # characters of a reply that is read; no model writes more, a broken server may
MENDABLE = 200_000  # characters that are mended where they are broken: on hostile ones the time grows with the square
_TRIES = 200  # brackets at which a reply's JSON may begin
_BRACKET = re.compile(r"[{\[]")
_NO_JSON = (
    "The reply holds no JSON: retry it; if it happens often, choose a model that follows a JSON schema, or check that "
    "its context window is larger than the prompt."
)
_EMPTY = (
    "The reply is empty: retry it; if it happens often, check that the model's context window and its limit of output "
    "tokens are large enough."
)


@dataclass(frozen=True)
class Loaded:
    """A reply's JSON. `value` is an object or a list; None where there is none, and then `reason` says why."""

    value: Any = None
    how: How = "strict"
    ending: Ending = "closed"
    reason: str = ""


def load_reply(text: str, names: Collection[str]) -> Loaded:
    """Find the JSON value of a reply. Never raises.

    Parameters
    ----------
    names: lower-case names of fields by whose list the wanted object is known among drafts and other objects; of
        several that have one, the last sound one is taken: drafts come before it.

    `json_repair` mends what is broken; a reply that was cut off says so in `ending`, because its last item may lack
    its end.
    """
    if not text.strip():
        return Loaded(reason=_EMPTY)
    if len(text) > LONGEST:
        return Loaded(
            reason=f"The reply has {len(text):,} characters, more than a model writes: check the server, then retry it."
        )
    value = _strict(text)
    if value is not None:
        return Loaded(value)
    value = _among_words(text, names)
    if value is not None:
        return Loaded(value, "among_words")
    first = _BRACKET.search(text)
    if first is None:
        return Loaded(reason=_NO_JSON)
    return _mend(text[first.start() :], names)


def has_name(value: object, names: Collection[str]) -> bool:
    """Whether a value is an object that holds a list or an object under one of these names, in any case.

    A text or a number under such a name does not count: the items of a broken list have fields named like it.
    """
    return isinstance(value, dict) and any(
        isinstance(item, dict | list) and str(key).strip().lower() in names for key, item in value.items()
    )


def _strict(text: str) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def _among_words(text: str, names: Collection[str]) -> Any:
    decoder = json.JSONDecoder()
    found: Any = None
    end = 0
    braced = text.find("{")
    for start in [match.start() for match in _BRACKET.finditer(text)][:_TRIES]:
        if start < end:
            continue  # inside a value that was read already
        try:
            value, after = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        # A list counts only where it is not a field of a broken object: that object has more to give.
        if has_name(value, names) or (_objects(value) and start < braced and found is None):
            found, end = value, after
    return found


def _mend(text: str, names: Collection[str]) -> Loaded:
    import json_repair

    if len(text) > MENDABLE:
        return Loaded(
            reason=f"The JSON of the reply is broken, and with {len(text):,} characters too long to be mended: make "
            "the text units smaller or choose a model that follows a JSON schema, then retry it."
        )
    ending = _ending(text)
    try:
        value = json_repair.loads(text)
    except (ValueError, RecursionError, IndexError, TypeError, AttributeError) as error:
        # Its own errors on hostile texts are not documented; none of them may end a run.
        return Loaded(
            reason=f"The JSON of the reply is broken and could not be mended ({type(error).__name__}): retry it."
        )
    if isinstance(value, list):
        holders = [item for item in value if has_name(item, names)]
        value = holders[-1] if holders else value
    if not isinstance(value, dict | list) or not value:
        return Loaded(reason=_NO_JSON)
    return Loaded(value, "mended", ending)


def _objects(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _ending(text: str) -> Ending:
    """Whether the brackets of a JSON text close, looking past what stands in quotation marks."""
    depth = 0
    quoted = escaped = False
    for letter in text:
        if quoted:
            if escaped:
                escaped = False
            elif letter == "\\":
                escaped = True
            elif letter == '"':
                quoted = False
        elif letter == '"':
            quoted = True
        elif letter in "{[":
            depth += 1
        elif letter in "}]":
            depth -= 1
            if not depth:
                return "closed"
    return "open" if text.rstrip().rstrip("`").rstrip().endswith(("}", "]")) else "cut"
