"""Which statements of an index answer a question: the best passages among the reports that a run reads.

The map judgement sees one batch at a time. The word index sees all reports at once, so that every batch is held
against the same mark and a run brings a handful of points, however many batches it has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from explorer.analysts.offline.relevance import (
    BESIDE,
    HEADING,
    LEAST,
    OWN,
    WeightedQuestion,
    asks_for_all,
    weigh,
)
from explorer.analysts.offline.terms import question_terms
from explorer.analysts.offline.word_index import WordIndex

MOST = 10  # passages of one run
MOST_OF_UNIT = 1  # passages that cite the same text unit: the next place says more than the next sentence
AROUND = 0.4  # most that a passage's place gains from the text unit that it cites
NEAR = 0.6  # of the best passage's place: what is further from it is left out


class Chosen:
    """One question held against the statements of one index."""

    def __init__(self, question: str, words: WordIndex) -> None:
        import numpy as np

        self._words = words
        self.question: WeightedQuestion = weigh(question, words.frequencies(question_terms(question)), words.passages)
        self._whole = asks_for_all(question)
        citing, cited = words.cited
        held, repeated, own, around = (np.zeros(words.statements) for _ in range(4))
        # A number that a report cites may be any of 64 bits: places in the list of them are small.
        numbers, cited_at = np.unique(cited, return_inverse=True)
        unit_weight = np.zeros(len(numbers))
        for term, weight in self.question.weights.items():
            posting = words.posting(term)
            share = np.zeros(words.statements)
            share[citing[np.isin(cited, posting.units)]] = BESIDE
            share[posting.statements] = np.where(posting.counts > 0, 1.0, HEADING)
            held += weight * share
            _, at, of = np.intersect1d(numbers, posting.units, return_indices=True)
            saturated = posting.unit_counts / (posting.unit_counts + 1.2)
            unit_weight[at] += weight * saturated[of]
            own[posting.statements] += weight * (posting.counts > 0)
            repeated[posting.statements] += weight * np.log2(1 + posting.counts.astype(np.float64))
        total = self.question.total or 1.0
        # Of two statements that cover the same words the one that dwells on them, and the shorter one, comes first.
        dwelling = repeated / (1.0 + words.lengths / max(1.0, words.mean_length))
        self._coverage = np.where(own >= OWN * total, held + 0.02 * dwelling, 0.0) / total
        # What stands in a text unit that is about the question comes before what stands anywhere.
        np.maximum.at(around, citing, unit_weight[cited_at])
        self._order = -(self._coverage + AROUND * around / (around.max(initial=0.0) or 1.0))
        self._levels: dict[int, dict[int, float]] = {}

    def statements(self, communities: Sequence[int]) -> dict[int, float]:
        """The statements (by number, ascending) that are points of a run which reads these reports, with their worth
        from 0 to 1.

        Where some passage covers two fifths of the question's weight: that one and those near it in coverage and in
        what their text units hold, ten at most, each from another text unit. A passage counts once, in however many
        reports it stands. A question for the whole gets the overviews of the ten reports of highest rank.
        """
        level = self._words.level_of(communities)
        if level not in self._levels:
            self._levels[level] = self._overviews(level) if self._whole else self._passages(level)
        return self._levels[level]

    def _overviews(self, level: int) -> dict[int, float]:
        found = self._words.overviews(level, MOST)
        return {number: min(1.0, max(0.01, rank / 10)) for number, rank in sorted(found)}

    def _passages(self, level: int) -> dict[int, float]:
        import numpy as np

        citing, cited = self._words.cited
        read = np.flatnonzero(self._words.read_at(level) & (self._coverage >= 0.5 * LEAST))
        chosen: dict[int, float] = {}
        top = float(self._coverage[read].max(initial=0.0))
        near = -float(self._order[read].min(initial=0.0))
        if top < LEAST:
            return chosen
        passages: set[int] = set()
        units: Counter[int] = Counter()
        for statement in map(int, read[np.argsort(self._order[read], kind="stable")]):
            coverage, passage = float(self._coverage[statement]), int(self._words.passage[statement])
            sources = cited[np.searchsorted(citing, statement) : np.searchsorted(citing, statement, "right")]
            if passage in passages:
                chosen[statement] = coverage
            elif len(passages) == MOST:
                break
            elif -float(self._order[statement]) < NEAR * near:
                continue
            elif not len(sources) or any(units[int(unit)] < MOST_OF_UNIT for unit in sources):
                chosen[statement] = coverage
                passages.add(passage)
                units.update(map(int, sources))
        return dict(sorted(chosen.items()))
