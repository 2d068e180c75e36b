"""A reply under the schema community_rating → the rating in it, or None where it holds none that can be read."""

from __future__ import annotations

import json
import math
from typing import Any


def parse_rating(text: str) -> float | None:
    """The number under "rating" in a reply: JSON, JSON within other text, or JSON that can be repaired.

    A number written as text counts ("4"), or alone in a list, and true and false count as 1 and 0; null, text that is
    no number and a missing field do not. As GraphRAG reads them, where it does not end the query.
    """
    value = _object(text).get("rating")
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _object(text: str) -> dict[str, Any]:
    for candidate in (text, text[text.find("{") : text.rfind("}") + 1]):
        try:
            found = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            return found
    from json_repair import repair_json

    try:
        repaired = repair_json(text, return_objects=True)
    except (ValueError, RecursionError):
        return {}
    return repaired if isinstance(repaired, dict) else {}
