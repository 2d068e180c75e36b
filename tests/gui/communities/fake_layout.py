"""A layout in a few lines, for tests of the page alone: nested circles on spirals, members on a sunflower."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

_GOLDEN = math.pi * (3 - math.sqrt(5))


@dataclass(frozen=True)
class Disc:
    x: float
    y: float
    r: float


@dataclass(frozen=True)
class Layout:
    discs: dict[int, Disc]
    points: dict[str, tuple[float, float]]


def fake_layout(index: Any, sink: Any = None, scope: Any = None) -> Layout:
    """Circles of siblings never overlap, children lie in their parent, members in their deepest community."""
    key = str(index.output)
    if key not in _MADE:
        _MADE[key] = _lay_out(index)
    return _MADE[key]


_MADE: dict[str, Layout] = {}


def _lay_out(index: Any) -> Layout:
    rows = {row.community: row for row in index.communities}
    below: dict[int, list[int]] = {}
    for number, row in sorted(rows.items()):
        below.setdefault(row.parent if row.parent in rows else -1, []).append(number)
    relative: dict[int, list[tuple[int, float, float, float]]] = {}
    for parent, numbers in below.items():
        wanted = sorted(((math.sqrt(max(rows[n].size, 1)), n) for n in numbers), reverse=True)
        placed: list[tuple[int, float, float, float]] = []
        step = 0
        for radius, number in wanted:
            while True:
                away, angle = 0.35 * math.sqrt(step), step * _GOLDEN
                x, y = away * math.cos(angle), away * math.sin(angle)
                if all(math.hypot(x - px, y - py) > (radius + pr) * 1.08 for _, px, py, pr in placed):
                    placed.append((number, x, y, radius))
                    break
                step += 1
        relative[parent] = placed
    discs: dict[int, Disc] = {}
    pending: list[tuple[int, float, float, float | None]] = [(-1, 0.0, 0.0, None)]
    while pending:
        parent, cx, cy, room = pending.pop()
        placed = relative.get(parent, [])
        if not placed:
            continue
        reach = max(math.hypot(x, y) + r for _, x, y, r in placed)
        scale = 1.0 if room is None else 0.92 * room / reach
        for number, x, y, r in placed:
            discs[number] = Disc(cx + x * scale, cy + y * scale, r * scale)
            pending.append((number, cx + x * scale, cy + y * scale, r * scale))
    deepest: dict[str, int] = {}
    for row in sorted(rows.values(), key=lambda row: (row.level, row.community)):
        for id in row.entity_ids:
            deepest[id] = row.community
    members: dict[int, list[str]] = {}
    for id, number in deepest.items():
        members.setdefault(number, []).append(id)
    points: dict[str, tuple[float, float]] = {}
    for number, ids in members.items():
        disc = discs[number]
        for place, id in enumerate(sorted(ids)):
            away, angle = disc.r * 0.86 * math.sqrt((place + 0.5) / len(ids)), place * _GOLDEN
            points[id] = (disc.x + away * math.cos(angle), disc.y + away * math.sin(angle))
    return Layout(discs, points)
