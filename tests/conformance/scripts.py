"""What both sides are given: entities found, ratings and map replies, each a function of names and a seed alone.

Only the standard library, so that the interpreter of the reference engine can read it too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

QUESTION = "What binds these people together?"
LOCAL_SEEDS = (1, 2, 3)
LEVELS = (0, 1, 2)
INDEXES = {
    "verbs-v3.1.2": "microsoft/verbs-v3.1.2",
    "dulce-v3.0.0": "microsoft/dulce-v3.0.0",
    "verbs-v2.0.0": "microsoft/verbs-v2.0.0",
    "joelandres": "mit/joelandres-christmas",
    "fast-dulce6": "generated-3.3/fast-dulce6",
}


def number(*parts: object) -> int:
    """A number that the parts decide, the same everywhere."""
    return int(hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()[:12], 16)


def found(ids: Iterable[str], seed: int, count: int) -> list[str]:
    """Ids as if vectors had found them, nearest first."""
    return sorted(ids, key=lambda key: (number(seed, key), key))[:count]


def rating_reply(text: str, seed: int, repeat: int = 0) -> str:
    """A reply to the rating of a report: mostly sound, some fenced or with fractions, some that cannot be read."""
    draw = number("rating", text, seed, repeat)
    value: object = draw % 6
    kind = (draw // 6) % 10
    if seed == 3:
        value = 0 if number(text) % 7 else 5  # little is relevant: the fallback is walked
        kind = 9
    if kind == 0:
        return "I cannot say."
    if kind == 1:
        return json.dumps({"reason": "none given"})
    if kind == 2:
        return "```json\n" + json.dumps({"reason": "fenced", "rating": value}) + "\n```"
    if kind == 3 and isinstance(value, int):
        return json.dumps({"reason": "a fraction", "rating": value + 0.7})
    return json.dumps({"reason": "so it is", "rating": value})


def map_reply(batch_text: str, seed: int) -> str:
    """A map reply: some points, of various scores and lengths, some batches without any."""
    draw = number("map", batch_text[:2000], seed)
    points = [
        {
            "description": " ".join(
                f"word{number(draw, place, at) % 997}" for at in range(20 + number(draw, place) % 300)
            ),
            "score": number(draw, place, "score") % 101,
        }
        for place in range(draw % 9)
    ]
    return json.dumps({"points": points})
