"""Relationships become one undirected weighted graph, the same for every order of the rows.

A–B and B–A and repeated rows are one edge whose weight is their sum; all weights are then divided by the largest.
What a row lost on the way is counted by name, nothing is mended in silence.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from explorer.base.errors import InputError

NO_TITLE = "without_title"  # an end is empty or missing: no edge
SELF_LOOP = "self_loop"  # both ends are the same: left out of clustering, modularity and degree
MISSING_WEIGHT = "missing_weight_as_1"  # None or NaN: counted as 1
NOT_POSITIVE = "weight_not_positive"  # at or below zero, minus infinity too: no edge
INFINITE = "infinite_weight_as_largest"  # counted as the largest finite weight of the table (1 where there is none)
MERGED = "merged_into_one_edge"  # second and further rows of a pair: summed into it
VANISHING = "vanishing_weight"  # zero beside the largest in double precision: kept with the smallest weight

_SMALLEST = sys.float_info.min


@dataclass(frozen=True)
class Network:
    """An undirected graph without loops and parallel edges.

    `titles` are sorted; `edges` are (i, j, weight) with i < j indexes into `titles`, sorted, weights in (0, 1] with a
    maximum of 1. `dropped` counts rows by what happened to them (the names of this module). A title without an edge
    is kept here and stands outside every community.
    """

    titles: tuple[str, ...]
    edges: tuple[tuple[int, int, float], ...]
    dropped: dict[str, int] = field(default_factory=dict)

    def isolated(self) -> tuple[int, ...]:
        """Indexes of the titles that no edge touches, ascending."""
        touched = {end for i, j, _ in self.edges for end in (i, j)}
        return tuple(i for i in range(len(self.titles)) if i not in touched)


def build_network(relationships: Iterable[tuple[str, str, float | None]], nodes: Iterable[str] = ()) -> Network:
    """The graph of some relationships (source title, target title, weight) and of further titles.

    Titles are compared as they are: no folding of case, white space or Unicode forms. The result does not depend on
    the order of the rows (weights of a pair are summed exactly, with `math.fsum`). Nothing is raised for bad rows;
    see `Network.dropped`.
    """
    dropped: dict[str, int] = {}

    def count(name: str, number: int = 1) -> None:
        if number:
            dropped[name] = dropped.get(name, 0) + number

    titles = {title for title in nodes if title}
    rows: list[tuple[str, str, float]] = []
    for source, target, weight in relationships:
        if not _is_title(source) or not _is_title(target):
            count(NO_TITLE)
            continue
        titles.update((source, target))
        if source == target:
            count(SELF_LOOP)
            continue
        number = 1.0 if weight is None else float(weight)
        if math.isnan(number):
            number = 1.0
            count(MISSING_WEIGHT)
        elif weight is None:
            count(MISSING_WEIGHT)
        if number <= 0:
            count(NOT_POSITIVE)
            continue
        rows.append((source, target, number) if source < target else (target, source, number))

    finite = [weight for _, _, weight in rows if math.isfinite(weight)]
    count(INFINITE, len(rows) - len(finite))
    largest = max(finite, default=1.0)
    ordered = tuple(sorted(titles))
    index = {title: i for i, title in enumerate(ordered)}
    shares: dict[tuple[int, int], list[float]] = {}
    for source, target, weight in rows:
        # Divided before it is summed: two weights near the largest double would otherwise give infinity.
        shares.setdefault((index[source], index[target]), []).append(min(weight, largest) / largest)
    count(MERGED, len(rows) - len(shares))
    sums = {pair: math.fsum(parts) for pair, parts in shares.items()}
    heaviest = max(sums.values(), default=1.0)
    edges = []
    for (i, j), total in sorted(sums.items()):
        weight = total / heaviest
        if weight < _SMALLEST:
            weight = _SMALLEST
            count(VANISHING)
        edges.append((i, j, weight))
    return Network(ordered, tuple(edges), dict(sorted(dropped.items())))


def check_network(network: Network) -> None:
    """Raise InputError where a network cannot be clustered: a weight that is not positive and finite, a loop, a pair
    that stands twice or out of order, an end that is no title.

    Native clustering code ends the process or raises outside of Exception on such input, so it is asked beforehand.
    """
    n = len(network.titles)
    last = (-1, -1)
    for i, j, weight in network.edges:
        if not 0 <= i < j < n or (i, j) <= last:
            raise InputError(f"The graph has an edge that cannot be used ({i}, {j}); nothing was clustered.")
        if not (math.isfinite(weight) and weight > 0):
            raise InputError(f"The graph has an edge of weight {weight}; nothing was clustered. It must be above 0.")
        last = (i, j)


def modularity(network: Network, membership: Sequence[int | None]) -> float:
    """Newman's modularity of a partition, resolution 1, in double precision with exact sums.

    Q = Σ over communities of (inner weight / m − (degree sum / 2m)²), m the sum of all weights. `membership` gives a
    community for each title; None counts as a community of its own, which for a title without edges adds nothing.
    Loops are not part of a Network and therefore count neither towards m nor towards degrees. 0.0 without edges.

    Raises ValueError where `membership` has another length than the titles.
    Source: M. E. J. Newman, Analysis of weighted networks, Phys. Rev. E 70, 056131 (2004).
    """
    if len(membership) != len(network.titles):
        raise ValueError(f"{len(membership)} memberships for {len(network.titles)} titles")
    if not network.edges:
        return 0.0
    inner: dict[tuple[str, int], list[float]] = {}
    degrees: dict[tuple[str, int], list[float]] = {}
    for i, j, weight in network.edges:
        ci, cj = membership[i], membership[j]
        at_i = ("alone", i) if ci is None else ("in", ci)
        at_j = ("alone", j) if cj is None else ("in", cj)
        degrees.setdefault(at_i, []).append(weight)
        degrees.setdefault(at_j, []).append(weight)
        if at_i == at_j:
            inner.setdefault(at_i, []).append(weight)
    total = math.fsum(weight for _, _, weight in network.edges)
    gains = [math.fsum(parts) / total for parts in inner.values()]
    losses = [-((math.fsum(parts) / (2 * total)) ** 2) for parts in degrees.values()]
    return math.fsum(gains + losses)


def _is_title(value: object) -> bool:
    return isinstance(value, str) and value != ""
