"""A reply that should be one description in plain text."""

from __future__ import annotations

import re

from explorer.analysts.model.load_reply import load_reply
from explorer.analysts.model.texts import LONGEST_TEXT, clean_line
from explorer.base.fates import CallFate
from explorer.models.calls import Reading

_THOUGHT = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"\A\s*```[a-z]*\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL | re.IGNORECASE)
_NAMES = ("description", "summary", "text")


def read_description(text: str) -> Reading:
    """Read a reply in plain text; `value` is one clean line. Never raises.

    Thoughts before it, a fence around it and JSON with a description in it are taken off, which is said.
    """
    notes: list[str] = []
    bare = _THOUGHT.sub("", text, count=1)
    if bare != text:
        notes.append("the model's thoughts before it were taken off")
    fenced = _FENCE.match(bare)
    if fenced:
        bare = fenced.group(1)
        notes.append("the fence around it was taken off")
    if bare.lstrip().startswith("{"):
        value = load_reply(bare, _NAMES).value
        inner = value.get(next((name for name in _NAMES if name in value), "")) if isinstance(value, dict) else None
        if isinstance(inner, str):
            bare = inner
            notes.append("it was taken out of JSON")
    lost = {}
    line = clean_line(bare)
    if len(line) > LONGEST_TEXT:
        line = line[:LONGEST_TEXT].rstrip()
        lost["texts_cut_to_length"] = 1
        notes.append(f"it was cut to {LONGEST_TEXT:,} characters")
    if not line:
        return Reading(
            CallFate.MALFORMED,
            None,
            "The reply holds no description: retry it; if it happens often, check that the model's limit of output "
            "tokens is large enough.",
        )
    if not notes:
        return Reading(CallFate.OK, line)
    return Reading(CallFate.REPAIRED, line, f"Repaired: {', '.join(notes)}.", lost)
