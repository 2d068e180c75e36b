"""How far a text answers to a question: the share of the question's weight that its words cover.

The weight of a term is its rarity in the collection's text units, ln((n + 1) / (f + 0.5)) with n passages of which f
hold it (the inverse document frequency of BM25 without its offset). A term that the collection does not know keeps
its full weight: a question about something else then finds nothing, however common its other words are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from explorer.analysts.offline.terms import question_terms, terms

HEADING = 0.6  # worth of a term that stands in a heading or title only
BESIDE = 0.3  # worth of a term that stands elsewhere in a text unit which the text cites
LEAST = 0.5  # share of the question's weight below which a text says nothing on it


@dataclass(frozen=True)
class WeightedQuestion:
    """The terms of a question with their weights; `unknown` are those that the collection does not have."""

    weights: Mapping[str, float]
    unknown: tuple[str, ...]

    @property
    def total(self) -> float:
        return math.fsum(self.weights.values())

    def coverage(self, text: str, heading: str = "") -> float:
        """Share (0 to 1) of the question's weight that a text and its heading hold."""
        if not self.weights:
            return 0.0
        own = set(terms(text))
        above = set(terms(heading)) - own
        held = math.fsum(weight for term, weight in self.weights.items() if term in own)
        return (held + HEADING * math.fsum(w for term, w in self.weights.items() if term in above)) / self.total


def weigh(question: str, frequencies: Mapping[str, int], passages: int) -> WeightedQuestion:
    """Weights for the terms of a question from the number of passages that hold each."""
    wanted = question_terms(question)
    weights = {term: math.log((passages + 1) / (frequencies.get(term, 0) + 0.5)) for term in wanted}
    return WeightedQuestion(
        {term: max(0.05, weight) for term, weight in weights.items()},
        tuple(term for term in wanted if not frequencies.get(term, 0)),
    )


def weigh_within(question: str, texts: Sequence[str]) -> WeightedQuestion:
    """The same from some texts alone, where no index is at hand."""
    wanted = set(question_terms(question))
    counts: dict[str, int] = dict.fromkeys(wanted, 0)
    for text in texts:
        for term in wanted.intersection(terms(text)):
            counts[term] += 1
    return weigh(question, counts, max(len(texts), 50))


def best_first(scored: Iterable[tuple[float, int]]) -> list[int]:
    """Positions by score, highest first, the earlier of two equals first."""
    return [at for _, at in sorted(scored, key=lambda pair: (-pair[0], pair[1]))]
