"""Discs placed without overlap: packed tightly side by side, or scattered near where a force layout wants them.

Everything here is arithmetic on sorted input without random numbers: the same input gives the same places.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Link = tuple[int, int, float]  # places in the list of discs, weight

_SLACK = 1e-9
_TINY = 1e-100  # the square of a radius must not vanish
_MANY = 250  # above this many discs a packing does not look at pairs of neighbours any more


def pack(radii: Sequence[float], links: Sequence[Link] = (), pull: float = 0.5) -> tuple[Floats, float]:
    """Places (n × 2) of discs side by side around the origin, and the radius of a circle that holds them all.

    The discs are taken from the largest down; each is set where it touches two others, near the middle of those set
    and, by `pull` (0: not at all), near those it is linked to. Discs may touch, they never overlap.
    """
    size = np.asarray(radii, dtype=np.float64)
    n = len(size)
    places = np.zeros((n, 2))
    if n == 0 or size.max() == 0:
        return places, 0.0
    if size.max() < _TINY:  # very many levels down: as wide as the discs of the others, and small again
        wide = size / size.max()
        places, radius = pack(wide.tolist(), links, pull)
        return places * size.max(), float(radius * size.max())
    order = sorted(range(n), key=lambda k: (-size[k], k))
    if n > _MANY:
        places = scatter(radii, places)
        return _centred(places, size)
    weights = np.zeros((n, n))
    for a, b, weight in links:
        weights[a, b] += weight
        weights[b, a] += weight
    done: list[int] = [order[0]]
    for k in order[1:]:
        at, r = places[done], size[done]
        spots = _touching(at, r, size[k])
        middle = (at * (r**2)[:, None]).sum(axis=0) / (r**2).sum()
        cost = np.hypot(*(spots - middle).T) + size[k]
        tie = weights[k, done]
        if pull and tie.sum() > 0:
            away = np.hypot(spots[:, None, 0] - at[None, :, 0], spots[:, None, 1] - at[None, :, 1]) - r[None, :]
            cost = cost + pull * (away * tie).sum(axis=1) / tie.sum()
        places[k] = spots[int(np.argmin(np.round(cost, 9)))]
        done.append(k)
    return _centred(places, size)


def scatter(radii: Sequence[float], targets: Floats, gap: float = 0.0) -> Floats:
    """Places (n × 2) of discs as near to their targets (n × 2) as the larger ones before them leave room.

    Between any two discs stay `gap` units. A disc that finds its target taken is set on the first ring of free
    places around it.
    """
    size = np.asarray(radii, dtype=np.float64)
    n = len(size)
    order = np.array(sorted(range(n), key=lambda k: (-size[k], k)), dtype=np.int64)
    places = np.zeros((n, 2))
    set_at, set_r = np.zeros((n, 2)), np.zeros(n)
    reached: dict[tuple[float, float], float] = {}  # how far out a shared target was already full
    for done, k in enumerate(order):
        r, target = size[k], targets[k]
        key = (float(target[0]), float(target[1]))
        step = max(r, 1e-9) * 0.5
        distance = max(0.0, reached.get(key, 0.0) - 2 * r)
        away = np.hypot(*(set_at[:done] - target).T)
        while True:
            spots = _ring(target, distance, step)
            # Only discs that the ring passes can be in the way: not those far out, nor those well inside it.
            near = np.abs(away - distance) < r + gap + set_r[:done] + _SLACK
            at, held = set_at[:done][near], set_r[:done][near]
            room = np.hypot(spots[:, None, 0] - at[None, :, 0], spots[:, None, 1] - at[None, :, 1])
            free = (room >= held[None, :] + r + gap).all(axis=1)
            if free.any():
                break
            distance += step
        candidates = spots[free]
        # Of the free places on the ring the one nearest to the middle of the picture: the whole stays round.
        choice = candidates[int(np.argmin(np.round(np.hypot(*candidates.T), 9)))]
        reached[key] = distance
        places[k] = set_at[done] = choice
        set_r[done] = r
    return places


def spread(places: Floats, radii: Sequence[float], limit: float) -> Floats:
    """Places moved away from the origin by one factor until the outermost disc touches the circle of radius `limit`."""
    factor = math.inf
    for (x, y), r in zip(places, radii, strict=True):
        distance = math.hypot(x, y)
        if distance > 1e-12:
            factor = min(factor, (limit - r) / distance)
    return places * max(1.0, factor) if math.isfinite(factor) else places


def enclosing(places: Floats, radii: Floats) -> tuple[Floats, float]:
    """Centre and radius of a circle that holds all discs, smallest to about one part in a thousand.

    Source: M. Bădoiu, K. L. Clarkson, Smaller core-sets for balls, SODA 2003 (the step towards the farthest).
    """
    centre = places.mean(axis=0)
    best, best_radius = centre, math.inf
    for step in range(1, 300):
        offset = places - centre
        reach = np.hypot(offset[:, 0], offset[:, 1]) + radii
        far = int(np.argmax(reach))
        if reach[far] < best_radius:
            best, best_radius = centre, float(reach[far])
        distance = math.hypot(*offset[far])
        if distance < 1e-12:
            break
        # The farthest point of the farthest disc lies its radius beyond its centre.
        centre = centre + offset[far] * (1 + radii[far] / distance) / (step + 1)
    return best, best_radius


def _centred(places: Floats, size: Floats) -> tuple[Floats, float]:
    centre, radius = enclosing(places, size)
    moved: Floats = places - centre
    return moved, radius


def _touching(at: Floats, r: Floats, new: float) -> Floats:
    """Free places of a disc of radius `new` that touches two of the discs set, or one where there is only one."""
    grown = r + new * (1 + _SLACK)
    if len(at) == 1:
        beside: Floats = at + np.array([[grown[0], 0.0]])
        return beside
    a, b = np.triu_indices(len(at), 1)
    between = at[b] - at[a]
    d = np.hypot(between[:, 0], between[:, 1])
    meet = (d <= grown[a] + grown[b]) & (d > np.abs(grown[a] - grown[b])) & (d > 0)
    a, b, between, d = a[meet], b[meet], between[meet], d[meet]
    along = (d**2 + grown[a] ** 2 - grown[b] ** 2) / (2 * d)
    across = np.sqrt(np.maximum(grown[a] ** 2 - along**2, 0.0))
    unit = between / d[:, None]
    side = np.stack([-unit[:, 1], unit[:, 0]], axis=1)
    foot = at[a] + unit * along[:, None]
    spots = np.concatenate([foot + side * across[:, None], foot - side * across[:, None]])
    room = np.hypot(spots[:, None, 0] - at[None, :, 0], spots[:, None, 1] - at[None, :, 1])
    free = (room >= (r + new)[None, :] * (1 - 1e-12)).all(axis=1)
    found: Floats = spots[free]
    return found


def _ring(centre: Floats, distance: float, step: float) -> Floats:
    if distance == 0:
        return centre[None, :].copy()
    count = max(8, math.ceil(2 * math.pi * distance / step))
    angles = np.arange(count) * (2 * math.pi / count)
    spots: Floats = centre[None, :] + distance * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return spots
