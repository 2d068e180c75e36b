"""A reply under the schema community_rating, read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from explorer.base.fates import CallFate
from explorer.models.calls import Reading

HIGHEST = 5


@dataclass(frozen=True)
class Rating:
    """How far a report helps, from 0 to 5, and why."""

    rating: int
    reason: str


def read_rating(text: str) -> Reading:
    """{"rating": 0..5, "reason": str} in a reply: as it stands, or mended by json_repair (then it is repaired).

    A rating that is no number makes the reply malformed; it is never taken for relevant. One outside the range is
    held within it, and the note says so.
    """
    fate, value = CallFate.OK, _strict(text)
    if value is None:
        fate, value = CallFate.REPAIRED, _mended(text)
    if not isinstance(value, dict) or "rating" not in value:
        return Reading(CallFate.MALFORMED, note="The reply holds no rating.")
    number = _number(value["rating"])
    if number is None:
        return Reading(CallFate.MALFORMED, note="The rating is no number.")
    rating = max(0, min(HIGHEST, number))
    reason = value.get("reason")
    if rating != number:
        note = f"The rating was {number}, outside 0 to {HIGHEST}; {rating} was taken."
        fate = CallFate.REPAIRED
    else:
        note = "The reply was no sound JSON and was mended." if fate is CallFate.REPAIRED else ""
    return Reading(fate, Rating(rating, reason if isinstance(reason, str) else ""), note)


def _strict(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _mended(text: str) -> Any:
    if "{" not in text:
        return None
    import json_repair

    try:
        value = json_repair.loads(text[text.index("{") :])
    except (ValueError, RecursionError):
        return None
    if isinstance(value, list):
        return next((item for item in reversed(value) if isinstance(item, dict) and "rating" in item), None)
    return value


def _number(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        try:
            value = float(value.strip())
        except ValueError:
            return None
    try:
        return int(value) if isinstance(value, int | float) else None
    except (ValueError, OverflowError):  # nan and inf
        return None
