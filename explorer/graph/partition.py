"""One flat partition of one graph: the best of several seeded Leiden runs. Runs in a worker process.

leidenalg and igraph hold the interpreter for the whole call, and igraph's random numbers are process-wide: never call
this in a process that draws.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

LEIDENALG = "leidenalg"
IGRAPH = "igraph"
LEIDENALG_EDGES = 200_000  # above this many edges of the whole graph igraph's own Leiden runs

# (edges up to which it holds, seeded runs on the whole graph, on a community that is split, iterations of the best).
# On small graphs single runs differ by 0.02 and cost milliseconds; on large ones they differ by 0.001 and cost seconds.
_EFFORT = ((1_000, 20, 4, 10), (10_000, 10, 2, 10), (50_000, 3, 1, 10))
_EFFORT_ABOVE = (1, 1, 4)
_EQUAL = 1e-12
_FIRST = 2  # iterations of every run; the best run then goes on

Edge = tuple[int, int, float]


def effort(edges: int, *, whole: bool = True) -> tuple[int, int]:
    """(seeded runs, Leiden iterations of the best run at most) for a graph of that many edges.

    `whole` is False for a community that is cut out to be split: there are thousands of them.
    """
    for limit, *found in _EFFORT:
        if edges <= limit:
            runs, inner_runs, iterations = found
            break
    else:
        runs, inner_runs, iterations = _EFFORT_ABOVE
    return (runs if whole else inner_runs), iterations


def library(edges: int) -> str:
    """Which library clusters a graph of that many edges: leidenalg up to 200,000, igraph above."""
    return LEIDENALG if edges <= LEIDENALG_EDGES else IGRAPH


def describe(name: str, edges: int) -> str:
    """The algorithm in words for the index, with the library's version."""
    _, iterations = effort(edges)
    if name == LEIDENALG:
        import leidenalg

        return f"leidenalg {leidenalg.version} ModularityVertexPartition, at most {iterations} iterations"
    import igraph

    return f"igraph {igraph.__version__} community_leiden (modularity), {iterations} iterations"


def partition(
    n: int, edges: Sequence[Edge], *, seed: int, name: str, whole: bool = True, start: Sequence[int] | None = None
) -> list[list[int]]:
    """Parts of the nodes 0 … n−1, each ascending, in the order of their smallest node.

    `edges` are (i, j, weight), sorted, weights positive and finite (check before: leidenalg raises outside of
    Exception). Every node is in exactly one part. Of the runs that `effort` gives, the one of highest modularity (the
    first of equals) goes on until nothing moves or its iterations are used up, and stands. Modularity is that of this
    graph alone, resolution 1. With `start` (the part of each node) one run goes on from there, and what it finds is not
    worse than `start`.

    Source: V. A. Traag, L. Waltman, N. J. van Eck, From Louvain to Leiden, Sci. Rep. 9, 5233 (2019).
    """
    if not edges:
        return [[node] for node in range(n)]
    import igraph

    graph = igraph.Graph(n=n, edges=[(i, j) for i, j, _ in edges])
    heaviest = max(weight for _, _, weight in edges)
    # Of a subgraph cut out of a larger one all weights may be tiny, and products of them vanish.
    weights = [weight / heaviest for _, _, weight in edges]
    runs, iterations = effort(len(edges), whole=whole)
    if start is not None:
        go_on = _on_with_leidenalg if name == LEIDENALG else _on_with_igraph
        best = go_on(graph, weights, seeds(seed, 1)[0], list(start))
    else:
        find = _best_of_leidenalg if name == LEIDENALG else _best_of_igraph
        best = find(graph, weights, seeds(seed, runs), iterations)
    parts: dict[int, list[int]] = {}
    for node, part in enumerate(best):
        parts.setdefault(part, []).append(node)
    return list(parts.values())


def seeds(seed: int, runs: int) -> list[int]:
    """The seeds of the runs, below 2^31 and distinct; the first ones are the same for every number of runs."""
    source = random.Random(seed)
    found: dict[int, None] = {}
    while len(found) < runs:
        found[source.getrandbits(31)] = None
    return list(found)


def _best_of_leidenalg(graph: Any, weights: list[float], run_seeds: list[int], iterations: int) -> list[int]:
    import leidenalg

    def go_on(optimiser: Any, state: Any, times: int) -> None:
        # One iteration at a time: asked for ten, leidenalg makes ten, though the second changed nothing.
        for _ in range(times):
            if optimiser.optimise_partition(state, n_iterations=1) <= 0:
                return

    best, best_optimiser, best_quality = None, None, 0.0
    for run_seed in run_seeds:
        optimiser = leidenalg.Optimiser()
        optimiser.set_rng_seed(run_seed)
        state = leidenalg.ModularityVertexPartition(graph, weights=weights)
        go_on(optimiser, state, min(_FIRST, iterations))
        quality = state.quality()
        if best is None or quality > best_quality + _EQUAL:
            best, best_optimiser, best_quality = state, optimiser, quality
    assert best is not None
    go_on(best_optimiser, best, iterations - _FIRST)
    return list(best.membership)


def _best_of_igraph(graph: Any, weights: list[float], run_seeds: list[int], iterations: int) -> list[int]:
    import igraph

    def run(times: int, start: list[int] | None) -> list[int]:
        found = graph.community_leiden(
            objective_function="modularity", weights=weights, n_iterations=times, initial_membership=start
        )
        return list(found.membership)

    best: list[int] | None = None
    best_quality = 0.0
    for run_seed in run_seeds:
        igraph.set_random_number_generator(random.Random(run_seed))
        membership = run(min(_FIRST, iterations), None)
        quality = graph.modularity(membership, weights=weights)
        if best is None or quality > best_quality + _EQUAL:
            best, best_quality = membership, quality
    return run(iterations - _FIRST, best) if iterations > _FIRST else best or []


def _on_with_leidenalg(graph: Any, weights: list[float], run_seed: int, start: list[int]) -> list[int]:
    import leidenalg

    optimiser = leidenalg.Optimiser()
    optimiser.set_rng_seed(run_seed)
    state = leidenalg.ModularityVertexPartition(graph, initial_membership=start, weights=weights)
    before = state.quality()
    optimiser.optimise_partition(state, n_iterations=1)
    return list(state.membership) if state.quality() > before + _EQUAL else start


def _on_with_igraph(graph: Any, weights: list[float], run_seed: int, start: list[int]) -> list[int]:
    import igraph

    igraph.set_random_number_generator(random.Random(run_seed))
    found = graph.community_leiden(
        objective_function="modularity", weights=weights, n_iterations=1, initial_membership=start
    )
    membership = list(found.membership)
    better = graph.modularity(membership, weights=weights) > graph.modularity(start, weights=weights) + _EQUAL
    return membership if better else start
