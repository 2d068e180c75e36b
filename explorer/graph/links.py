"""Relationships summed up: between entities by id, between communities shown at a level, between siblings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from explorer.base.pieces import sorted_in_pieces
from explorer.graph.forest import Forest, shown_at_level
from explorer.tables.rows import CommunityRow, EntityRow, RelationshipRow

EntityLink = tuple[str, str, float]

_SUMMABLE = 1e290  # a larger weight is drawn as this one: sums of millions of them stay finite


def entity_links(entities: Iterable[EntityRow], relationships: Iterable[RelationshipRow]) -> list[EntityLink]:
    """(entity id, entity id, summed weight) of every pair that relationships join, sorted, each pair once.

    A missing weight counts as 1, an infinite one as the largest finite; rows at or below zero, loops and ends that are
    no entity make no link. Of entities with the same title the first one is meant.
    """
    by_title: dict[str, str] = {}
    for entity in entities:
        by_title.setdefault(entity.title, entity.id)
    parts: dict[tuple[str, str], list[float]] = {}
    for row, weight in _weighed(relationships):
        source, target = by_title.get(row.source), by_title.get(row.target)
        if source is not None and target is not None and source != target:
            parts.setdefault((min(source, target), max(source, target)), []).append(weight)
    # Popped one by one: to let go of all at once would hold the interpreter, as one long sort would.
    return [(*pair, math.fsum(parts.pop(pair))) for pair in sorted_in_pieces(parts)]


def community_links(
    entities: Iterable[EntityRow],
    relationships: Iterable[RelationshipRow],
    communities: Sequence[CommunityRow],
    level: int,
) -> dict[tuple[int, int], float]:
    """The summed weight of all relationships between two communities shown at a level, by (smaller, larger) number.

    Shown are those of `shown_at_level`. An entity that two shown communities hold counts for the smaller number.
    """
    shown: dict[str, int] = {}
    for row, _ in shown_at_level(communities, level):
        for entity in row.entity_ids:
            shown.setdefault(entity, row.community)
    parts: dict[tuple[int, int], list[float]] = {}
    for source, target, weight in entity_links(entities, relationships):
        a, b = shown.get(source), shown.get(target)
        if a is not None and b is not None and a != b:
            parts.setdefault((min(a, b), max(a, b)), []).append(weight)
    return {pair: math.fsum(weights) for pair, weights in sorted(parts.items())}


def sibling_links(
    forest: Forest, links: Iterable[EntityLink]
) -> tuple[dict[int, dict[tuple[int, int], float]], dict[int, list[EntityLink]]]:
    """Links by the place where their ends part.

    First: for each parent (ROOT for the roots) the summed weight between two of its children; the entities that no
    child took stand under −2 − parent. Second: for each community the links between two entities at home in it.
    """
    paths: dict[int, list[int]] = {}
    parts: dict[int, dict[tuple[int, int], list[float]]] = {}
    inner: dict[int, list[EntityLink]] = {}
    for source, target, weight in links:
        a, b = forest.home.get(source), forest.home.get(target)
        if a is None or b is None:
            continue
        if a == b:
            inner.setdefault(a, []).append((source, target, weight))
            continue
        left, right = (paths.setdefault(number, _path(forest, number)) for number in (a, b))
        depth = 1
        while left[depth] == right[depth]:
            depth += 1
        pair = (min(left[depth], right[depth]), max(left[depth], right[depth]))
        parts.setdefault(left[depth - 1], {}).setdefault(pair, []).append(weight)
    summed = {
        parent: {pair: math.fsum(weights) for pair, weights in sorted(pairs.items())}
        for parent, pairs in sorted(parts.items())
    }
    return summed, inner


def rest_of(parent: int) -> int:
    """The number under which the entities stand that belong to a divided community but to none of its children."""
    return -2 - parent


def _path(forest: Forest, number: int) -> list[int]:
    path = [-1, *forest.path(number)]
    if forest.children[number]:
        path.append(rest_of(number))
    return path


def _weighed(relationships: Iterable[RelationshipRow]) -> list[tuple[RelationshipRow, float]]:
    rows: list[tuple[RelationshipRow, float]] = []
    for row in relationships:
        weight = 1.0 if row.weight is None or math.isnan(row.weight) else float(row.weight)
        if weight > 0:
            rows.append((row, weight))
    largest = max((weight for _, weight in rows if math.isfinite(weight)), default=1.0)
    most = min(largest, _SUMMABLE)
    return [(row, min(weight, most)) for row, weight in rows]


def by_number(pairs: Mapping[tuple[int, int], float], numbers: Sequence[int]) -> list[tuple[int, int, float]]:
    """Links between community numbers as links between places in `numbers`; others are left out."""
    place = {number: position for position, number in enumerate(numbers)}
    return [(place[a], place[b], weight) for (a, b), weight in sorted(pairs.items()) if a in place and b in place]
