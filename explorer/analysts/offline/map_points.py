"""The map judgement without a language model: the statements of a batch's reports that answer to the question."""

from __future__ import annotations

import json
from bisect import bisect_left
from dataclasses import dataclass

from explorer.analysts.judgements import ReportBatch
from explorer.analysts.offline.chosen import MOST, NEAR, Chosen
from explorer.analysts.offline.passages import fragments
from explorer.analysts.offline.references import join_references, write_references
from explorer.analysts.offline.relevance import LEAST, weigh_within
from explorer.analysts.offline.statements import Statement, split_report
from explorer.analysts.offline.word_index import WordIndex


@dataclass(frozen=True)
class Point:
    description: str
    score: int


@dataclass(frozen=True)
class _Found:
    worth: float
    order: tuple[int, int]  # report, statement
    community: int
    statement: Statement


def find_points(question: str, batch: ReportBatch, words: WordIndex | None, chosen: Chosen | None) -> list[Point]:
    """The points of one batch, best first; empty where nothing in it answers to the question.

    `words` and `chosen` are the word index and the question held against it, or None where no index is at hand:
    words are then weighed within the batch.
    """
    found = _by_index(batch, words, chosen) if words is not None and chosen is not None else None
    if found is None:
        found = _by_reading(question, batch)
    points: list[Point] = []
    said: set[str] = set()
    for one in sorted(found, key=lambda one: (-one.worth, one.order))[: 4 * MOST]:
        parts = fragments(one.statement.text)
        if said.isdisjoint(parts) and len(points) < MOST:
            said.update(parts)
            points.append(Point(describe(one.community, one.statement), score(one.worth)))
    return points


def score(worth: float) -> int:
    """A share as a score from 1 to 100."""
    return max(1, min(100, round(100 * worth)))


def describe(community: int, statement: Statement) -> str:
    """A statement as a point: its words, then the report and what the report cites for them."""
    references = join_references({"Reports": [community]}, statement.references)
    return f"{statement.text.rstrip()} {write_references(references)}"


def reply_text(points: list[Point]) -> str:
    """JSON under the schema map_points."""
    rows = [{"description": point.description, "score": point.score} for point in points]
    return json.dumps({"points": rows}, ensure_ascii=False)


def _by_index(batch: ReportBatch, words: WordIndex, chosen: Chosen) -> list[_Found] | None:
    """The chosen statements of a batch; None where the index holds another text for one of its reports."""
    worths = chosen.statements(batch.communities)
    numbers = list(worths)
    found: list[_Found] = []
    for at, (community, content) in enumerate(zip(batch.communities, batch.contents, strict=True)):
        bounds = words.bounds(community, content)
        if bounds is None:
            return None
        inside = numbers[bisect_left(numbers, bounds[0]) : bisect_left(numbers, bounds[1])]
        statements = split_report(content)[1] if inside else []  # most reports have none and are never taken apart
        found += [_Found(worths[n], (at, n), community, statements[n - bounds[0]]) for n in inside]
    return found


def _by_reading(question: str, batch: ReportBatch) -> list[_Found]:
    weighted = weigh_within(question, batch.contents)
    found: list[_Found] = []
    for at, (community, content) in enumerate(zip(batch.communities, batch.contents, strict=True)):
        title, statements = split_report(content)
        for number, statement in enumerate(statements):
            coverage = weighted.coverage(statement.text, f"{title} {statement.heading}")
            found.append(_Found(coverage, (at, number), community, statement))
    least = max(LEAST, NEAR * max((one.worth for one in found), default=0.0))
    return [one for one in found if one.worth >= least]
