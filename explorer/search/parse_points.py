"""A map reply → points. What cannot be read is said, never taken for an answer that found nothing."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, replace
from typing import Any, Literal

from explorer.base.fates import CallFate
from explorer.base.valid_text import valid_text
from explorer.base.words import share
from explorer.models.calls import Reading

Outcome = Literal["strict", "repaired", "malformed"]
Ending = Literal["closed", "open", "cut"]  # the list of points ends; it does not, but its last point does; neither does

HIGHEST = 100
_BRACE = re.compile(r"\{")
_TRIES = 200  # braces at which a reply's object may begin
_CLOSED = re.compile(r"\]\s*\}")


@dataclass(frozen=True)
class ParsedPoint:
    """A point of a reply. `score` is a whole number from 0 to 100, or None where the point is malformed (`reason`).

    `given` is the score as the reply had it where that is something else than `score`.
    """

    text: str
    score: int | None
    given: Any = None
    reason: str = ""


@dataclass(frozen=True)
class ParsedReply:
    """All points of a reply in its order, how they were read, and one sentence where none could be.

    `note` says what was repaired in the reply, and how many of its points could not be read.
    A "malformed" reply may hold malformed points; it never holds one with a score above 0.
    """

    outcome: Outcome
    points: tuple[ParsedPoint, ...] = ()
    reason: str = ""
    note: str = ""

    @property
    def relevant(self) -> bool:
        return any(point.score for point in self.points)


def parse_points(reply: str) -> ParsedReply:
    """Read a reply under the schema map_points: {"points": [{"description": str, "score": 0..100}]}.

    Strict JSON comes first; then an object in a fence or among words is looked for, then json_repair mends it: both
    are "repaired". In a reply that was cut off, the last point is malformed (its score may lack digits) and zeros are
    no honest zero. A score may be a number or the text of one; it is cut to a whole number, as GraphRAG does, and
    held between 0 and 100. An empty description is allowed at score 0 only: that is how models say "nothing here".
    """
    found = _strict(reply)
    if found is not None:
        return _noted(_read(found, "strict", "closed"), "")
    found = _inside(reply)
    if found is not None:
        return _noted(_read(found, "repaired", "closed"), "The points were taken out of the words around them.")
    if not reply.strip():
        return ParsedReply("malformed", reason="The reply is empty.")
    if "{" not in reply and "[" not in reply:
        return ParsedReply("malformed", reason="The reply holds no JSON.")
    import json_repair

    try:
        mended = json_repair.loads(reply)
    except (ValueError, RecursionError) as error:
        return ParsedReply("malformed", reason=f"The reply could not be repaired ({type(error).__name__}).")
    ending = _ending(reply)
    note = "The reply was no sound JSON and was mended." if ending == "closed" else "The reply was cut off and mended."
    return _noted(_read(_object_of_points(mended), "repaired", ending), note)


def read_map_reply(reply: str) -> Reading:
    """The same for a model client: whether the reply is well formed (then it is kept and served again), and why not."""
    parsed = parse_points(reply)
    unread = sum(point.score is None for point in parsed.points)
    lost = {"points": unread} if unread else {}
    if parsed.outcome == "malformed":
        return Reading(CallFate.MALFORMED, None, parsed.reason, lost)
    fate = CallFate.REPAIRED if parsed.outcome == "repaired" else CallFate.OK
    return Reading(fate, parsed, parsed.note, lost)


def _noted(parsed: ParsedReply, repair: str) -> ParsedReply:
    """The same with its note: what was repaired, and how many points could not be read."""
    if parsed.outcome == "malformed":
        return parsed
    unread = sum(point.score is None for point in parsed.points)
    lost = f"{share(unread, len(parsed.points), 'point')} could not be read." if unread else ""
    return replace(parsed, note=f"{repair} {lost}".strip())


def _strict(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _inside(text: str) -> dict[str, Any] | None:
    """The last sound object with points that stands in a fence or among words: drafts come before it."""
    decoder = json.JSONDecoder()
    found = None
    end = 0
    for start in list(_BRACE.finditer(text))[:_TRIES]:
        if start.start() < end:
            continue  # inside an object that was read already
        try:
            value, after = decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and "points" in value:
            found, end = value, after
    return found


def _ending(text: str) -> Ending:
    closed = list(_CLOSED.finditer(text))
    if closed and "{" not in text[closed[-1].end() :]:
        return "closed"
    return "open" if text.rstrip().rstrip("`").rstrip().endswith(("}", "]")) else "cut"


def _object_of_points(value: Any) -> Any:
    """Of several objects that a reply held one after the other, the last that has points."""
    if isinstance(value, list):
        holders = [item for item in value if isinstance(item, dict) and "points" in item]
        return holders[-1] if holders else value
    return value


def _read(value: Any, outcome: Outcome, ending: Ending) -> ParsedReply:
    items = value.get("points") if isinstance(value, dict) else value
    if not isinstance(items, list):
        return ParsedReply("malformed", reason="The reply has no list of points.")
    if not items:
        if isinstance(value, dict) and ending == "closed":
            return ParsedReply(outcome)
        return ParsedReply("malformed", reason="The reply ends before its first point.")
    points = [_point(item) for item in items]
    if ending == "cut":
        last = points[-1]
        points[-1] = ParsedPoint(last.text, None, _given(items[-1]), "The reply was cut off in this point.")
    readable = [point for point in points if point.score is not None]
    if not readable:
        return ParsedReply("malformed", tuple(points), "No point of the reply could be read.")
    if ending != "closed" and not any(point.score for point in readable):
        lost = tuple(
            point if point.score is None else ParsedPoint(point.text, None, point.score, "The reply was cut off.")
            for point in points
        )
        return ParsedReply("malformed", lost, "The reply was cut off before a point above 0.")
    return ParsedReply(outcome, tuple(points))


def _point(item: Any) -> ParsedPoint:
    if not isinstance(item, dict):
        return ParsedPoint(_shown(item), None, None, "The point is not an object.")
    description = item.get("description")
    text = valid_text(description) if isinstance(description, str) else ""
    given = _given(item)
    if "score" not in item:
        return ParsedPoint(text, None, None, "The point has no score.")
    number = _number(item["score"])
    if number is None:
        return ParsedPoint(text, None, given, "The score is no number.")
    score = max(0, min(HIGHEST, int(number)))
    if not isinstance(description, str):
        return ParsedPoint(text, None, given, "The point has no description.")
    if score and not text.strip():
        return ParsedPoint(text, None, given, "The description is empty.")
    exact = isinstance(item["score"], int) and item["score"] == score
    return ParsedPoint(text, score, None if exact else given)


def _number(score: Any) -> float | None:
    if isinstance(score, bool):
        return None
    if isinstance(score, str):
        try:
            score = float(score.strip().removesuffix("%").replace("_", "?"))  # Python would read 1_0 as 10
        except ValueError:
            return None
    if isinstance(score, int):
        return float(max(-1, min(HIGHEST + 1, score)))  # an int may be too large for a float
    return score if isinstance(score, float) and math.isfinite(score) else None


def _given(item: Any) -> Any:
    """The score as it came, in a form that JSON can hold."""
    score = item.get("score") if isinstance(item, dict) else None
    if isinstance(score, float) and not math.isfinite(score):
        return str(score)
    if isinstance(score, int) and abs(score) > 2**53:
        return _shown(score)
    return score if score is None or isinstance(score, int | float) else _shown(score)


def _shown(value: Any) -> str:
    """A value as text, short."""
    try:
        return valid_text(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))[:500]
    except (ValueError, RecursionError):
        return f"({type(value).__name__})"
