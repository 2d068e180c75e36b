"""Which candidates become entities: the likeliest names and key phrases, so many as a text of that length has.

Language models name 4 to 13 things in 1,200 tokens (measured over eleven indexes of the reference engine); the choice
takes the best 20, and more only where the text has more plain names than that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2

from explorer.analysts.offline.cooccurrence import NAME, NOUN_WITH_MEANING, PLAIN
from explorer.analysts.offline.cooccurrence import PHRASE as LINKING_PHRASE
from explorer.analysts.offline.entity_types import noun_type, singular
from explorer.analysts.offline.mentions import Kind
from explorer.analysts.offline.tally import Candidate, Tally
from explorer.analysts.offline.words import CALENDAR, FUNCTION_WORDS, PALE_NOUNS

PER_1200_TOKENS = 20
NAMES_PER_1200_TOKENS = 32
PLAIN_NAME = 3.0  # a score from which a name is one beyond doubt
NEVER = -9.0

# Steps on the scale of log2(1 + times it stands for itself): one step is worth a doubling of the count.
NAMED, LABELLED = 2.0, 1.0
DEFINED, HEADLINE, TITLED, ADDRESS, OWNED, OPENING, QUOTED = 2.5, 2.0, 1.0, 1.0, 1.0, 1.0, 0.3
PHRASE, NOUN, TERM, CAPITAL_NOUN = 0.5, -0.5, 0.0, 0.5
MEANS_NOUN, MEANS_PHRASE, MEANS_OWNED = 2.5, 1.5, 1.5  # its last noun stands for a person, place, organisation, event
PALE_HEAD, PALE_OWNED = -1.0, -2.0
PRODUCTIVE, PRODUCTIVE_FROM = 2.0, 0.3  # words that make many phrases are what the corpus is about
BURSTING = 1.5  # characters that stand together in few units are names, in all units they are idioms


@dataclass(frozen=True)
class Corpus:
    """What the choice needs to know of the whole corpus besides its candidates."""

    tokens: int
    units: int
    capital_nouns: bool = False  # every noun has a capital, as in German
    function_words: frozenset[str] = frozenset()  # those of its language, where that is not English


class Scoring:
    """How likely a reader would name a candidate, by the signs that the whole corpus gives."""

    def __init__(self, tally: Tally, corpus: Corpus) -> None:
        self._corpus = corpus
        self._is_candidate = tally.has
        self._productivity = tally.productivity()
        self._most = log2(1 + max(self._productivity.values(), default=1))

    def score(self, candidate: Candidate) -> float:
        """The logarithm of its count, and a step for each sign of a name; NEVER for what names nothing."""
        words = candidate.key.split()
        kinds = candidate.kinds
        if len(words) == 1 and words[0] in PALE_NOUNS:
            return NEVER
        if all(word in CALENDAR or word.isdigit() for word in words):
            return NEVER  # a date
        named = is_name(candidate)
        if named and candidate.count >= 3 and candidate.inside_names == candidate.count:
            return NEVER  # a part of a longer name that never stands alone
        if words[0] in self._corpus.function_words or words[-1] in self._corpus.function_words:
            return NEVER
        if words[0] in FUNCTION_WORDS and not (named or kinds[Kind.TITLE] or kinds[Kind.HEADING]):
            return NEVER
        base = log2(1 + candidate.standing)
        if named and self._is_noun(candidate):
            return base + CAPITAL_NOUN + BURSTING * self.bursting(candidate)
        if named:
            base = log2(1 + candidate.count)  # a name stands for itself inside a phrase too
            return base + NAMED + (LABELLED if kinds[Kind.ENTITY] else 0.0)
        if kinds[Kind.DEFINED]:
            return base + DEFINED
        if kinds[Kind.TERM]:
            return base + TERM + BURSTING * self.bursting(candidate)
        if kinds[Kind.HEADING]:
            return base + HEADLINE
        meaning = noun_type(words[0] if " of " in candidate.key else words[-1]) is not None
        if kinds[Kind.OWNED]:
            return base + OWNED + (MEANS_OWNED if meaning else PALE_OWNED if words[-1] in PALE_NOUNS else 0.0)
        if kinds[Kind.ADDRESS]:
            return base + ADDRESS
        if kinds[Kind.TITLE]:
            if " and " in candidate.key and all(map(self._is_candidate, candidate.key.split(" and "))):
                return NEVER  # several names, each a candidate of its own
            return base + TITLED
        if len(words) > 1 or (kinds[Kind.PHRASE] and "-" in candidate.key):
            return base + PHRASE + self._phrase(words, meaning) + (0.5 if kinds[Kind.OPENING] else 0.0)
        if kinds[Kind.OPENING] and (candidate.lowered == 0 or not kinds[Kind.NOUN]):
            return base + OPENING
        if kinds[Kind.NOUN]:
            return base + NOUN + (MEANS_NOUN if meaning else 0.0)
        return base + QUOTED if kinds[Kind.QUOTED] else base - 1.5

    def _phrase(self, words: Sequence[str], meaning: bool) -> float:
        value = MEANS_PHRASE if meaning else 0.0
        if words[-1] in PALE_NOUNS:
            value += PALE_HEAD
        if len(words) <= 4:
            most = max((self._productivity[singular(word)] for word in words if word not in FUNCTION_WORDS), default=0)
            value += PRODUCTIVE * (log2(1 + most) / self._most - PRODUCTIVE_FROM)
        return value

    def bursting(self, candidate: Candidate) -> float:
        """log2 of the number of units it would stand in by chance over the number that it stands in."""
        units = max(1, self._corpus.units)
        return log2(units * (1 - (1 - 1 / units) ** candidate.count) / candidate.units)

    def strength(self, candidate: Candidate) -> int:
        """What a candidate may link to: see `cooccurrence`."""
        if candidate.kinds[Kind.TERM] or (is_name(candidate) and self._is_noun(candidate)):
            if candidate.count < 6:
                return NOUN_WITH_MEANING
            bursting = self.bursting(candidate)
            return NAME if bursting >= 0.5 else NOUN_WITH_MEANING if bursting >= 0.25 else PLAIN
        if is_name(candidate):
            return NAME
        words = candidate.key.split()
        if len(words) > 1:
            return PLAIN if words[-1] in PALE_NOUNS else LINKING_PHRASE
        return NOUN_WITH_MEANING if noun_type(words[-1]) is not None else PLAIN

    def _is_noun(self, candidate: Candidate) -> bool:
        """Whether its capital may be a noun's: one word of a language that writes all nouns so, with no other sign."""
        return self._corpus.capital_nouns and " " not in candidate.key and not candidate.kinds[Kind.ENTITY]


def is_name(candidate: Candidate) -> bool:
    """Whether the corpus writes it as a name: often enough with a capital where only names have one."""
    if not (candidate.kinds[Kind.NAME] or (candidate.kinds[Kind.ENTITY] and candidate.spelled)):
        return False
    # Of two words that open a sentence with capitals, the second has its capital for itself.
    opening = candidate.kinds[Kind.OPENING] if " " in candidate.key else 0
    return (candidate.spelled + opening) * 10 >= candidate.count * 3


def _is_certain(candidate: Candidate) -> bool:
    kinds = candidate.kinds
    return is_name(candidate) or bool(kinds[Kind.DEFINED]) or bool(kinds[Kind.HEADING])


def choose(tally: Tally, corpus: Corpus) -> tuple[list[int], dict[str, int]]:
    """The candidates that become entities, best first, and how many were left out by reason."""
    room = max(20, corpus.tokens * PER_1200_TOKENS // 1200)
    room_for_names = max(20, corpus.tokens * NAMES_PER_1200_TOKENS // 1200)
    candidates = tally.candidates
    scoring = Scoring(tally, corpus)
    scores = [scoring.score(candidate) for candidate in candidates]
    ranked = sorted(range(len(candidates)), key=lambda n: (-scores[n], candidates[n].key))
    chosen: list[int] = []
    dropped = {"candidates_that_name_nothing": 0, "candidates_below_the_cut": 0}
    for number in ranked:
        if scores[number] <= NEVER:
            dropped["candidates_that_name_nothing"] += 1
        elif len(chosen) < room or (
            len(chosen) < room_for_names and scores[number] >= PLAIN_NAME and _is_certain(candidates[number])
        ):
            chosen.append(number)
        else:
            dropped["candidates_below_the_cut"] += 1
    return chosen, dropped
