"""Which candidates become entities: the likeliest names and key phrases, so many as a text of that length has.

Language models name 4 to 13 things in 1,200 tokens (measured over eleven indexes of the reference engine); the choice
takes the best 20, and more only where the text has more plain names than that.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

from explorer.analysts.offline.cooccurrence import NAME, NOUN_WITH_MEANING, PLAIN
from explorer.analysts.offline.entity_types import noun_type
from explorer.analysts.offline.mentions import Kind
from explorer.analysts.offline.tally import Candidate
from explorer.analysts.offline.words import FUNCTION_WORDS, PALE_NOUNS

PER_1200_TOKENS = 20
NAMES_PER_1200_TOKENS = 30
PLAIN_NAME = 3.0  # a score from which a name is one beyond doubt
NEVER = -9.0


def score(candidate: Candidate) -> float:
    """How likely a reader would name it: the logarithm of its count, and a step for each sign of a name."""
    words = candidate.key.split()
    kinds = candidate.kinds
    base = log2(1 + candidate.count)
    if words[-1] in PALE_NOUNS and len(words) == 1:
        return NEVER
    named = is_name(candidate)
    if words[0] in FUNCTION_WORDS and not (named or kinds[Kind.TITLE]):
        return NEVER
    if named:
        return base + 2.0 + (1.0 if kinds[Kind.ENTITY] else 0.0)
    if kinds[Kind.DEFINED]:
        return base + 2.5
    if kinds[Kind.TERM]:
        return base + (0.5 if len(candidate.key) > 2 else 0.0)
    if kinds[Kind.OWNED]:
        return base + 2.0
    if kinds[Kind.ADDRESS]:
        return base + 1.0
    if kinds[Kind.TITLE]:
        return base + 0.5
    meaning = noun_type(words[0] if " of " in candidate.key else words[-1]) is not None
    if len(words) > 1:
        pale = words[-1] in PALE_NOUNS
        return base + 0.5 + (1.2 if meaning else 0.0) - (1.0 if pale else 0.0) + (0.5 if kinds[Kind.OPENING] else 0.0)
    if kinds[Kind.OPENING] and (candidate.lowered == 0 or not kinds[Kind.NOUN]):
        return base + 1.5
    if kinds[Kind.NOUN]:
        return base - 0.5 + (2.0 if meaning else 0.0)
    return base + 0.3 if kinds[Kind.QUOTED] else base - 1.5


def is_name(candidate: Candidate) -> bool:
    """Whether the corpus writes it as a name: often enough with a capital where only names have one."""
    if not (candidate.kinds[Kind.NAME] or (candidate.kinds[Kind.ENTITY] and candidate.spelled)):
        return False
    return candidate.spelled * 10 >= candidate.count * 3 or candidate.kinds[Kind.NAME] >= 3


def strength(candidate: Candidate) -> int:
    """What a candidate may link to: see `cooccurrence`."""
    if is_name(candidate) or candidate.kinds[Kind.TERM]:
        return NAME
    words = candidate.key.split()
    return NOUN_WITH_MEANING if len(words) > 1 or noun_type(words[-1]) is not None else PLAIN


def choose(candidates: Sequence[Candidate], tokens: int) -> tuple[list[int], dict[str, int]]:
    """The candidates that become entities, best first, and how many were left out by reason.

    Parameters
    ----------
    tokens: of all text units together.
    """
    room = max(10, tokens * PER_1200_TOKENS // 1200)
    room_for_names = max(10, tokens * NAMES_PER_1200_TOKENS // 1200)
    scores = [score(candidate) for candidate in candidates]
    ranked = sorted(range(len(candidates)), key=lambda n: (-scores[n], candidates[n].key))
    chosen: list[int] = []
    dropped = {"candidates_that_name_nothing": 0, "candidates_below_the_cut": 0}
    for number in ranked:
        if scores[number] <= NEVER:
            dropped["candidates_that_name_nothing"] += 1
        elif len(chosen) < room or (
            len(chosen) < room_for_names and scores[number] >= PLAIN_NAME and is_name(candidates[number])
        ):
            chosen.append(number)
        else:
            dropped["candidates_below_the_cut"] += 1
    return chosen, dropped
