"""The sentence that says best what a thing is, taken from the text as it stands."""

from __future__ import annotations

import re

LONGEST = 400
_IS = re.compile(r"[\"'’”)]*\s+(?:is|was|are|were|refers to|means|became|ist|war|sind|waren|est|était|es|era)\s")
_APPOSITION = re.compile(r",?\s+(?:an?|the|who|which|whose|known as|called|one of|der|die|das|ein|eine|un|une|le|la)\s")
_MARKS = re.compile(r"^[\s#>*|=_-]+(?=\S)")  # of a heading or a list item
_SPACE = re.compile(r"\s+")


def worth(sentence: str, start: int, end: int) -> float:
    """How well a sentence defines what stands at `start` to `end` of it: as the subject of is, with an apposition."""
    value = 0.0
    rest = sentence[end : end + 40]
    if _IS.match(rest):
        value += 3.0 if start < 25 else 1.0
    elif rest.startswith(",") and _APPOSITION.match(rest):
        value += 2.0
    elif rest.startswith(" (") or rest.startswith("，") or sentence[max(0, start - 2) : start] == ", ":
        value += 0.5
    if start < 25:
        value += 1.0
    length = len(sentence)
    if 40 <= length <= 300:
        value += 1.0
    elif length < 20 or length > 600:
        value -= 1.0
    if sentence[:1] in "\"'“‘#*|":
        value -= 0.5
    return value


def shorten(sentence: str, around: int = 0) -> str:
    """A sentence on one line, cut at a word where it is too long, so that the character `around` stays in it."""
    if len(sentence) > LONGEST:
        begin = 0 if around < LONGEST * 3 // 4 else around - LONGEST // 2
        part = sentence[begin : begin + LONGEST]
        if begin + LONGEST < len(sentence):
            part = part[: part.rfind(" ")] + " …" if " " in part[LONGEST // 2 :] else part + "…"
        if begin:
            part = "… " + part[part.find(" ") + 1 :] if " " in part[: LONGEST // 4] else "…" + part
        sentence = part
    return _SPACE.sub(" ", _MARKS.sub("", sentence)).strip()
