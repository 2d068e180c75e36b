"""The map judgement without a language model: the statements of a batch's reports that answer to the question."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from explorer.analysts.judgements import ReportBatch
from explorer.analysts.offline.passages import fragments
from explorer.analysts.offline.references import join_references, write_references
from explorer.analysts.offline.relevance import BESIDE, HEADING, LEAST, WeightedQuestion, weigh, weigh_within
from explorer.analysts.offline.statements import Statement, split_report
from explorer.analysts.offline.terms import question_terms
from explorer.analysts.offline.word_index import WordIndex

MOST = 12  # passages of one run, and points of one batch
MOST_OF_UNIT = 2  # passages that cite the same text unit
NEAR = 0.65  # of the best statement's coverage: what is further from it is left out


@dataclass(frozen=True)
class Point:
    description: str
    score: int


@dataclass(frozen=True)
class _Found:
    coverage: float
    order: tuple[int, int]  # report, statement
    community: int
    statement: Statement


class Relevance:
    """A question held against the statements of an index, all at once, by the word index on disk."""

    def __init__(self, question: str, words: WordIndex) -> None:
        import numpy as np

        self._words = words
        self.question: WeightedQuestion = weigh(question, words.frequencies(question_terms(question)), words.passages)
        held = np.zeros(words.statements)
        repeated = np.zeros(words.statements)
        citing, cited = words.cited
        for term, weight in self.question.weights.items():
            posting = words.posting(term)
            share = np.zeros(words.statements)
            share[citing[np.isin(cited, posting.units)]] = BESIDE
            share[posting.statements] = np.where(posting.counts > 0, 1.0, HEADING)
            held += weight * share
            repeated[posting.statements] += weight * np.log2(1 + posting.counts.astype(np.float64))
        total = self.question.total or 1.0
        # Of two statements that cover the same words the one that dwells on them, and the shorter one, comes first.
        dwelling = repeated / (1.0 + words.lengths / max(1.0, words.mean_length))
        self._coverage = (held + 0.02 * dwelling) / total
        self._chosen: dict[int, frozenset[int]] = {}

    def chosen(self, communities: Sequence[int]) -> frozenset[int]:
        """The statements that are points of a run which reads these reports: the best passages at their level.

        Passages that cover half of the question's weight and 65 % of what the best one covers; at most
        twelve, and two from the same text unit. A passage counts once, in however many reports it stands.
        """
        level = self._words.level_of(communities)
        if level not in self._chosen:
            self._chosen[level] = self._choose(level)
        return self._chosen[level]

    def _choose(self, level: int) -> frozenset[int]:
        import numpy as np

        citing, cited = self._words.cited
        read = np.flatnonzero(self._words.read_at(level) & (self._coverage >= NEAR * LEAST))
        chosen: set[int] = set()
        best = 0.0
        passages: set[int] = set()
        units: Counter[int] = Counter()
        for statement in map(int, read[np.argsort(-self._coverage[read], kind="stable")]):
            coverage, passage = float(self._coverage[statement]), int(self._words.passage[statement])
            sources = cited[np.searchsorted(citing, statement) : np.searchsorted(citing, statement, "right")]
            if passage in passages:
                chosen.add(statement)
            elif len(passages) == MOST or coverage < max(LEAST if not passages else 0.0, NEAR * best):
                break
            elif not len(sources) or any(units[int(unit)] < MOST_OF_UNIT for unit in sources):
                best = max(best, coverage)
                chosen.add(statement)
                passages.add(passage)
                units.update(map(int, sources))
        return frozenset(chosen)

    def points(self, batch: ReportBatch) -> list[_Found] | None:
        """The chosen statements of a batch; None where the index holds another text for one of its reports."""
        bounds = [self._words.bounds(c, text) for c, text in zip(batch.communities, batch.contents, strict=True)]
        found: list[_Found] = []
        chosen = sorted(self.chosen(batch.communities))
        for at, bound in enumerate(bounds):
            if bound is None:
                return None
            inside = chosen[bisect_left(chosen, bound[0]) : bisect_left(chosen, bound[1])]
            if inside:  # most reports have none and are never taken apart
                statements = split_report(batch.contents[at])[1]
                community = batch.communities[at]
                for number in inside:
                    statement = statements[number - bound[0]]
                    found.append(_Found(float(self._coverage[number]), (at, number), community, statement))
        return found


def find_points(question: str, batch: ReportBatch, relevance: Relevance | None) -> list[Point]:
    """The points of one batch, best first; empty where nothing in it answers to the question.

    `relevance` is None where no index is at hand: words are then weighed within the batch.
    """
    found = relevance.points(batch) if relevance is not None else None
    if found is None:
        found = _by_reading(question, batch)
    found.sort(key=lambda one: (-one.coverage, one.order))
    points: list[Point] = []
    said: set[str] = set()
    for one in found:
        parts = fragments(one.statement.text)
        if said.isdisjoint(parts) and len(points) < MOST:
            said.update(parts)
            points.append(Point(describe(one.community, one.statement), score(one.coverage)))
    return points


def score(coverage: float) -> int:
    """A share as a score from 1 to 100."""
    return max(1, min(100, round(100 * coverage)))


def describe(community: int, statement: Statement) -> str:
    """A statement as a point: its words, then the report and what the report cites for them."""
    references = join_references({"Reports": [community]}, statement.references)
    return f"{statement.text.rstrip()} {write_references(references)}"


def reply_text(points: list[Point]) -> str:
    """JSON under the schema map_points."""
    rows = [{"description": point.description, "score": point.score} for point in points]
    return json.dumps({"points": rows}, ensure_ascii=False)


def _by_reading(question: str, batch: ReportBatch) -> list[_Found]:
    weighted = weigh_within(question, batch.contents)
    found: list[_Found] = []
    for at, (community, content) in enumerate(zip(batch.communities, batch.contents, strict=True)):
        title, statements = split_report(content)
        for number, statement in enumerate(statements):
            coverage = weighted.coverage(statement.text, f"{title} {statement.heading}")
            found.append(_Found(coverage, (at, number), community, statement))
    least = max(LEAST, NEAR * max((one.coverage for one in found), default=0.0))
    return [one for one in found if one.coverage >= least]
