"""The discs of a large index from the sizes of its communities alone: no link and no entity is laid out.

Discs stand on rings around the middle, the largest inside. That takes a fraction of a second for tens of thousands;
what a force layout adds, neighbours that are linked, is not seen among so many.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from explorer.graph.links import rest_of
from explorer.graph.positions import GAP, INSIDE, SHARE, Disc, Layout
from explorer.tables.rows import ROOT, CommunityRow

BY_SIZE = "discs by size 1"  # the fingerprint of such a layout: its entities get their points when they are asked for
_DIGITS = 6
_FEW = 7  # so many may stand on one ring without one in the middle
Place = tuple[float, float]


def discs_by_size(communities: Iterable[CommunityRow], depth: int | None = None) -> Layout:
    """Discs of communities, each inside its parent's, and no points; the same for every order of the rows. Of all, or
    of those in the first `depth` generations (1: the roots alone), which stand where they stand among all.

    Areas are as in `find_layout`: in proportion to the size of the row, one factor for each depth. Members that no
    child of a divided community takes have the disc `rest_of(number)`. A community whose parent is in no row, or not
    on a level above its own, stands at the top.
    """
    rows: dict[int, CommunityRow] = {}
    for row in communities:
        rows.setdefault(row.community, row)
    size = {number: max(1, rows[number].size or len(rows[number].entity_ids)) for number in sorted(rows)}
    children: dict[int, list[int]] = {ROOT: []}
    for number in size:
        above = rows.get(rows[number].parent)
        parent = above.community if above is not None and above.level < rows[number].level else ROOT
        children.setdefault(parent, []).append(number)
    roots = sorted(children[ROOT], key=lambda number: (-size[number], number))
    radii = [math.sqrt(size[number]) for number in roots]
    gap = GAP * sum(radii) / len(radii) + 0.3 if radii else 0.0
    places, _ = ring_places(radii, gap)
    discs = {
        number: Disc(round(x, _DIGITS), round(y, _DIGITS), round(r, _DIGITS))
        for number, (x, y), r in zip(roots, places, radii, strict=True)
    }
    generation, reached = roots, 1
    while generation and (depth is None or reached < depth):
        reached += 1
        below: list[int] = []
        for parent in generation:
            if parent in children:
                discs.update(_inside(parent, children[parent], size, discs[parent]))
                below.extend(children[parent])
        generation = below
    return Layout(discs, {}, fingerprint=BY_SIZE)


def ring_places(radii: Sequence[float], gap: float) -> tuple[list[Place], float]:
    """Places of discs, given from the largest down, on rings around the origin, and how far they reach.

    Between any two stay `gap` units.
    """
    if not radii:
        return [], 0.0
    places, reach = _rings(radii, gap)
    if 1 < len(radii) <= _FEW:
        ring, wide = _one_ring(radii, gap)
        if wide < reach:
            return ring, wide
    return places, reach


def _rings(radii: Sequence[float], gap: float) -> tuple[list[Place], float]:
    places: list[Place] = [(0.0, 0.0)]
    edge = radii[0]
    at = 1
    while at < len(radii):
        first = radii[at]
        distance = edge + gap + first
        turn, steps, end = 0.0, [0.0], at + 1
        while end < len(radii):
            step = _angle(radii[end - 1], radii[end], gap, distance)
            if turn + step + _angle(radii[end], first, gap, distance) > 2 * math.pi:
                break
            turn += step
            steps.append(turn)
            end += 1
        closed = turn + (_angle(radii[end - 1], first, gap, distance) if end > at + 1 else 0.0)
        full = end < len(radii)
        stretch = 2 * math.pi / closed if closed and (full or closed > math.pi) else 1.0
        widest = _angle(first, radii[min(at + 1, end - 1)], gap, distance)
        stretch = max(1.0, min(stretch, math.pi / widest))  # beyond a half turn two discs come nearer again
        places += [(distance * math.cos(angle * stretch), distance * math.sin(angle * stretch)) for angle in steps]
        edge = distance + first
        at = end
    return places, edge


def _one_ring(radii: Sequence[float], gap: float) -> tuple[list[Place], float]:
    """All on one ring as small as they fit on, none in the middle."""
    low = max((a + b + gap) / 2 for a, b in zip(radii, [*radii[1:], radii[0]], strict=True))
    high = low + sum(radii) + gap * len(radii)

    def turn(distance: float) -> float:
        return sum(_angle(a, b, gap, distance) for a, b in zip(radii, [*radii[1:], radii[0]], strict=True))

    for _ in range(30):
        middle = (low + high) / 2
        low, high = (low, middle) if turn(middle) <= 2 * math.pi else (middle, high)
    stretch = max(1.0, min(2 * math.pi / turn(high), math.pi / _angle(radii[0], radii[1], gap, high)))
    places, angle = [], 0.0
    for number, r in enumerate(radii):
        places.append((high * math.cos(angle), high * math.sin(angle)))
        if number + 1 < len(radii):
            angle += stretch * _angle(r, radii[number + 1], gap, high)
    return places, high + radii[0]


def _angle(a: float, b: float, gap: float, distance: float) -> float:
    """Between the middles of two discs that stay `gap` apart on a ring."""
    return 2 * math.asin(min(1.0, (a + b + gap) / (2 * distance)))


def _inside(parent: int, numbers: Sequence[int], size: dict[int, int], disc: Disc) -> dict[int, Disc]:
    sizes = {number: float(size[number]) for number in numbers}
    rest = size[parent] - sum(size[number] for number in numbers)
    if rest > 0:
        sizes[rest_of(parent)] = float(rest)
    order = sorted(sizes, key=lambda number: (-sizes[number], number))
    unit = disc.r * math.sqrt(SHARE / max(size[parent], sum(sizes.values())))
    radii = [unit * math.sqrt(sizes[number]) for number in order]
    places, reach = ring_places(radii, 0.04 * disc.r / math.sqrt(len(order)))
    limit = disc.r * INSIDE
    shrink = min(1.0, limit / reach)
    apart = 1.0 if len(order) == 1 else min(limit / reach, 1.25) / shrink  # into the room that is left, not to the edge
    return {
        number: Disc(
            round(disc.x + x * shrink * apart, _DIGITS),
            round(disc.y + y * shrink * apart, _DIGITS),
            round(r * shrink, _DIGITS),
        )
        for number, (x, y), r in zip(order, places, radii, strict=True)
    }
