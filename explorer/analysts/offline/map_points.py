"""The map judgement without a language model: the statements of a batch's reports that answer to the question."""

from __future__ import annotations

import json
from dataclasses import dataclass

from explorer.analysts.judgements import ReportBatch
from explorer.analysts.offline.passages import fragments
from explorer.analysts.offline.references import join_references, write_references
from explorer.analysts.offline.relevance import HEADING, LEAST, WeightedQuestion, weigh, weigh_within
from explorer.analysts.offline.statements import Statement, split_report
from explorer.analysts.offline.terms import question_terms
from explorer.analysts.offline.word_index import WordIndex

MOST = 4  # points of one batch
NEAR = 0.75  # of the best statement's coverage: what is further from it is left out


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
        for term, weight in self.question.weights.items():
            posting = words.posting(term)
            held[posting.statements] += np.where(posting.counts > 0, weight, HEADING * weight)
            repeated[posting.statements] += weight * np.log2(1 + posting.counts.astype(np.float64))
        total = self.question.total or 1.0
        # Of two statements that cover the same words the one that dwells on them, and the shorter one, comes first.
        dwelling = repeated / (1.0 + words.lengths() / max(1.0, words.mean_length))
        self._coverage = held / total + 0.02 * dwelling / total
        self.best = float(self._coverage.max(initial=0.0))

    def coverages(self, community: int, content: str) -> list[float] | None:
        """Coverage of each statement of a report, in order; None for a text that the index does not hold."""
        bounds = self._words.bounds(community, content)
        if bounds is None:
            return None
        return [float(value) for value in self._coverage[bounds[0] : bounds[1]]]


def find_points(question: str, batch: ReportBatch, relevance: Relevance | None) -> list[Point]:
    """The points of one batch, best first; empty where nothing in it answers to the question.

    `relevance` is None where no index is at hand: words are then weighed within the batch.
    """
    found = _by_index(batch, relevance) if relevance is not None else None
    if found is None:
        found = _by_reading(question, batch)
    best = max((one.coverage for one in found), default=0.0)
    if relevance is not None:
        best = max(best, relevance.best)
    least = max(LEAST, NEAR * best)
    found = sorted((one for one in found if one.coverage >= least), key=lambda one: (-one.coverage, one.order))
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


def _by_index(batch: ReportBatch, relevance: Relevance) -> list[_Found] | None:
    found: list[_Found] = []
    for at, (community, content) in enumerate(zip(batch.communities, batch.contents, strict=True)):
        coverages = relevance.coverages(community, content)
        if coverages is None:
            return None
        if max(coverages, default=0.0) < LEAST:
            continue  # most reports end here, without being taken apart
        statements = split_report(content)[1]
        found += [
            _Found(coverage, (at, number), community, statement)
            for number, (coverage, statement) in enumerate(zip(coverages, statements, strict=True))
            if coverage >= LEAST and statement.references
        ]
    return found


def _by_reading(question: str, batch: ReportBatch) -> list[_Found]:
    weighted = weigh_within(question, batch.contents)
    found: list[_Found] = []
    for at, (community, content) in enumerate(zip(batch.communities, batch.contents, strict=True)):
        title, statements = split_report(content)
        for number, statement in enumerate(statements):
            coverage = weighted.coverage(statement.text, f"{title} {statement.heading}")
            found.append(_Found(coverage, (at, number), community, statement))
    return found
