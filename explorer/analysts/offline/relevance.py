"""How far a text answers to a question: the share of the question's weight that its words cover.

The weight of a term is its rarity in the collection's text units, ln((n + 1) / (f + 0.5)) with n passages of which f
hold it (the inverse document frequency of BM25, which is never negative here). A term that the collection does not
know weighs more than any other: a question about something else finds nothing, however common its other words are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from explorer.analysts.offline.terms import question_terms, stem, terms

HEADING = 0.6  # worth of a term that stands in a heading or title only
BESIDE = 0.3  # worth of a term that stands elsewhere in a text unit which the text cites
UNKNOWN = 1.5  # times the weight of a term that stands nowhere
RELATION = 0.25  # the same for the verb of "What threatens …?": texts say it in other words, the things they name
LEAST = 0.4  # share of the question's weight below which a text says nothing on it
OWN = 0.2  # share that a text must hold itself, whatever stands above it or beside it

_SUBJECT_QUESTION = re.compile(r"\s*(?:what|who)\s+(\w+)\s+\w", re.IGNORECASE)

# What people call a collection and its gist: a question of nothing but these asks for the whole.
_WHOLE = frozenset(
    stem(word)
    for word in (
        "main", "major", "key", "central", "important", "top", "overall", "general", "whole", "entire", "broad",
        "theme", "themes", "topic", "topics", "subject", "subjects", "content", "contents", "gist", "overview",
        "summary", "summarise", "summarize", "outline", "collection", "corpus", "document", "documents", "text",
        "texts", "file", "files", "folder", "data", "dataset", "material", "report", "reports", "community",
        "communities", "discuss", "discussed", "cover", "covered", "deal", "contain",
        "thema", "themen", "wichtigste", "wichtigsten", "überblick", "inhalt", "sammlung", "dokumente", "ordner",
        "texte", "dateien", "zusammenfassung",
    )
)  # fmt: skip


@dataclass(frozen=True)
class WeightedQuestion:
    """The terms of a question with their weights; `unknown` are those that the collection does not have."""

    weights: Mapping[str, float]
    unknown: tuple[str, ...] = ()

    @property
    def total(self) -> float:
        return math.fsum(self.weights.values())

    def coverage(self, text: str, heading: str = "") -> float:
        """Share (0 to 1) of the question's weight that a text and its heading hold; 0 where the text holds too little
        of its own."""
        if not self.weights:
            return 0.0
        words = set(terms(text))
        above = set(terms(heading)) - words
        own = math.fsum(weight for term, weight in self.weights.items() if term in words) / self.total
        lent = math.fsum(weight for term, weight in self.weights.items() if term in above) / self.total
        return own + HEADING * lent if own >= OWN else 0.0


def asks_for_all(question: str) -> bool:
    """Whether a question names nothing but the collection and its gist (or nothing at all): it asks for an overview."""
    return _WHOLE.issuperset(question_terms(question))


def weigh(question: str, frequencies: Mapping[str, int], passages: int) -> WeightedQuestion:
    """Weights for the terms of a question from the number of passages that hold each."""
    wanted = question_terms(question)
    unknown = tuple(term for term in wanted if not frequencies.get(term, 0))
    weights = {term: math.log((passages + 1) / (frequencies.get(term, 0) + 0.5)) for term in wanted}
    verb = _asking_verb(question)
    weights |= {term: (RELATION if term == verb else UNKNOWN) * weights[term] for term in unknown}
    return WeightedQuestion({term: max(0.05, weight) for term, weight in weights.items()}, unknown)


def _asking_verb(question: str) -> str | None:
    """The term of the verb that stands right behind the What or Who of an English question, or None."""
    found = _SUBJECT_QUESTION.match(question)
    return stem(found.group(1).casefold()) if found and found.group(1).islower() else None


def weigh_within(question: str, texts: Sequence[str]) -> WeightedQuestion:
    """The same from some texts alone, where no index is at hand."""
    wanted = set(question_terms(question))
    counts: dict[str, int] = dict.fromkeys(wanted, 0)
    for text in texts:
        for term in wanted.intersection(terms(text)):
            counts[term] += 1
    return weigh(question, counts, max(len(texts), 50))
