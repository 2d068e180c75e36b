"""Points of a small graph: a force layout, and the same snapped to evenly spaced places in a disc of radius 1.

igraph holds the interpreter and its random numbers are process-wide: call this in worker processes.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Sequence

import numpy as np

from explorer.graph.packing import Floats, Link

_REACH = 0.82  # points keep away from the edge of their disc
_GOLDEN = math.pi * (3 - math.sqrt(5))
_FORCE_UP_TO = 150  # nodes; above, points are set by degree from the middle outwards


def force_layout(n: int, links: Sequence[Link]) -> Floats:
    """Places (n × 2) by attraction along links and repulsion between all, in units of its own.

    Source: T. Fruchterman, E. Reingold, Graph drawing by force-directed placement, 1991, as igraph has it. It starts
    from a circle, so that nothing is left to chance; heavy links count by the root of their weight.
    """
    import igraph

    igraph.set_random_number_generator(random.Random(1))
    graph = igraph.Graph(n=n, edges=[(a, b) for a, b, _ in links])
    angles = np.arange(n) * (2 * math.pi / n)
    start = np.stack([np.cos(angles), np.sin(angles)], axis=1) * math.sqrt(n)
    heaviest = max((weight for _, _, weight in links), default=1.0)
    found = graph.layout_fruchterman_reingold(
        # A weight that is as good as nothing beside the heaviest still has to be above 0.
        weights=[max(math.sqrt(weight / heaviest), sys.float_info.min) for _, _, weight in links] or None,
        seed=start.tolist(),
        niter=500 if n <= 1000 else 100,
        grid="nogrid" if n <= 1000 else "grid",
    )
    return np.asarray(found.coords, dtype=np.float64).reshape(n, 2)


def place_points(n: int, links: Sequence[Link]) -> list[tuple[float, float]]:
    """Places of n entities in a disc of radius 1 around the origin, no two alike, the most linked near the middle.

    Up to 150 entities the evenly spaced places are given out by nearness to a force layout (T. Kamada, S. Kawai, An
    algorithm for drawing general undirected graphs, 1989, as igraph has it); above by degree from the middle.
    """
    slots = _slots(n)
    if n <= 2:
        return [(float(x), float(y)) for x, y in slots]
    degree = [0] * n
    for a, b, _ in links:
        degree[a] += 1
        degree[b] += 1
    order = sorted(range(n), key=lambda k: (-degree[k], k))
    places = [(0.0, 0.0)] * n
    if n > _FORCE_UP_TO or not links:
        for slot, k in enumerate(order):
            places[k] = (float(slots[slot, 0]), float(slots[slot, 1]))
        return places
    import igraph

    graph = igraph.Graph(n=n, edges=[(a, b) for a, b, _ in links])
    wanted = np.asarray(graph.layout_kamada_kawai().coords, dtype=np.float64).reshape(n, 2)
    wanted -= wanted.mean(axis=0)
    widest = float(np.hypot(wanted[:, 0], wanted[:, 1]).max())
    wanted *= _REACH / widest if widest > 0 else 0.0
    free = np.ones(n, dtype=np.bool_)
    for k in order:
        distance = np.where(free, np.round(np.hypot(*(slots - wanted[k]).T), 9), np.inf)
        slot = int(np.argmin(distance))
        free[slot] = False
        places[k] = (float(slots[slot, 0]), float(slots[slot, 1]))
    return places


def _slots(n: int) -> Floats:
    """n evenly spaced places: one in the middle, a ring up to five, the sunflower's spiral above."""
    if n == 1:
        return np.zeros((1, 2))
    numbers = np.arange(n)
    if n <= 5:
        angles, reach = numbers * (2 * math.pi / n), np.full(n, 0.55)
    else:
        angles, reach = numbers * _GOLDEN, _REACH * np.sqrt((numbers + 0.5) / n)
    return np.stack([np.cos(angles) * reach, np.sin(angles) * reach], axis=1)
