"""Relationships from standing together: in a sentence, or (names only) in neighbouring sentences.

With N sentences, p_x is the share of sentences that name x, and p_xy the share that names both, a pair in neighbouring
sentences counting half. The weight is p_xy·log2(p_xy/(p_x·p_y)), as the fast method of GraphRAG weighs its edges; pairs
at or below 0 stand together no more often than chance would have them, and are left out and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log2

NEAREST = 6  # entities after it in a sentence that one links to: a long list would link everything with everything
MOST_PAIRS = 180_000
FEWEST_AN_ENTITY, MOST_AN_ENTITY = 5, 30
NAME, PHRASE, NOUN_WITH_MEANING, PLAIN = 4, 3, 2, 0
NEEDED_ONCE = 5
_LIMITS = {PHRASE: 20, NOUN_WITH_MEANING: 12, PLAIN: 6}  # pairs of what is no name: its strongest, so that names lead
_SIZE = 1 << 24


@dataclass(frozen=True, slots=True)
class Pair:
    """Two entities (a < b), their weight, the sentences that show them best as (unit, first, last), and their units."""

    a: int
    b: int
    weight: float
    shown: tuple[int, int, int]
    units: tuple[int, ...]


class PairCounter:
    """Counts pairs over sentences given in order, unit by unit."""

    def __init__(self, strength: Sequence[int]) -> None:
        """`strength` of each entity: NAME, PHRASE, NOUN_WITH_MEANING (a noun that means somebody) or PLAIN.

        Only names link across sentences. A pair that stood together once needs NEEDED_ONCE between them: a plain noun
        (air, work) links only to what it stands with again and again, and a common noun to few.
        """
        self._strength = strength
        self._units: list[tuple[int, list[tuple[int, ...]]]] = []
        self._single: Counter[int] = Counter()
        self._sentences = 0
        self._apart = 0

    def add_unit(self, unit: int, sentences: Sequence[Sequence[int]]) -> None:
        """Count one unit; each sentence holds the numbers of its entities, each once, in the order of the text."""
        kept: list[tuple[int, ...]] = []
        for entities in sentences:
            self._sentences += 1
            apart = max(0, len(entities) - NEAREST - 1)
            self._apart += apart * (apart + 1) // 2
            kept.append(tuple(entities))
            self._single.update(kept[-1])
        self._units.append((unit, kept))

    def pairs(self) -> tuple[list[Pair], dict[str, int]]:
        """The pairs that stand, by (a, b), and how many were left out by reason."""
        together: dict[int, int] = {}
        for _, key, halves, _, _ in self._seen():
            together[key] = together.get(key, 0) + halves
        weak = [key for key, halves in together.items() if halves <= 2 and self._between(key) < NEEDED_ONCE]
        for key in weak:
            del together[key]
        total = self._sentences or 1
        weighed: list[tuple[float, int]] = []
        for key, halves in together.items():
            a, b = divmod(key, _SIZE)
            both = halves / 2 / total
            weight = both * log2(both / (self._single[a] / total * (self._single[b] / total)))
            if weight > 0:
                weighed.append((-weight, key))
        below = len(together) - len(weighed)
        del together
        weighed.sort()
        limit = max(FEWEST_AN_ENTITY, min(MOST_AN_ENTITY, MOST_PAIRS // max(1, len(self._single))))
        used: Counter[int] = Counter()
        kept: dict[int, float] = {}
        for negative, key in weighed:
            a, b = divmod(key, _SIZE)
            if any(used[end] >= _LIMITS.get(self._strength[end], _SIZE) for end in (a, b)):
                continue
            if used[a] < limit or used[b] < limit:
                used[a] += 1
                used[b] += 1
                kept[key] = -negative
        dropped = {
            "pairs_of_common_nouns_seen_once": len(weak),
            "pairs_at_or_below_zero": below,
            "pairs_beyond_the_strongest_of_both": len(weighed) - len(kept),
            "pairs_far_apart_in_a_long_sentence": self._apart,
        }
        return self._shown(kept), dropped

    def _between(self, key: int) -> int:
        a, b = divmod(key, _SIZE)
        return self._strength[a] + self._strength[b]

    def _seen(self) -> Iterator[tuple[int, int, int, int, int]]:
        """Every standing together: (unit, pair, halves of a sentence, first sentence, last sentence)."""
        for unit, sentences in self._units:
            before: tuple[int, ...] = ()
            for number, here in enumerate(sentences):
                for index, one in enumerate(here):
                    for other in here[index + 1 : index + 1 + NEAREST]:
                        yield unit, _key(one, other), 2, number, number
                for one in before[-NEAREST:]:
                    if self._strength[one] == NAME and one not in here:
                        for other in here[:NEAREST]:
                            if self._strength[other] == NAME and other not in before:
                                yield unit, _key(one, other), 1, number - 1, number
                before = here

    def _shown(self, kept: dict[int, float]) -> list[Pair]:
        best: dict[int, tuple[int, int, int]] = {}
        units: dict[int, list[int]] = {}
        for unit, key, _, first, last in self._seen():
            if key not in kept:
                continue
            known = units.setdefault(key, [])
            if not known or known[-1] != unit:
                known.append(unit)
            shown = best.get(key)
            if shown is None or (shown[1] != shown[2] and first == last):
                best[key] = (unit, first, last)
        return [Pair(*divmod(key, _SIZE), kept[key], best[key], tuple(units[key])) for key in sorted(kept)]


def _key(one: int, other: int) -> int:
    return one * _SIZE + other if one < other else other * _SIZE + one
