"""Points of a large index's entities, found community by community when it is opened. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.base.cancel import CancelScope
from explorer.graph.links import rest_of
from explorer.gui.places.communities.scene import Floats, Ints, Scene

_MOST = 400  # communities placed in one piece of work: what is seen first comes first


@dataclass(frozen=True)
class Placed:
    """Rows of entities and where they stand, in the layout's units."""

    rows: Ints
    x: Floats
    y: Floats


class PointMaker:
    """Gives the entities of some communities their points, each inside the disc of the deepest one that holds it.

    `discs` are those of the layout, with the ones of `rest_of`. Made on a worker thread with the scene.
    """

    def __init__(self, scene: Scene, discs: dict[int, Any]) -> None:
        self._scene, self._discs = scene, discs
        nodes = scene.hierarchy.nodes
        home = np.full(len(scene.ids), -1, dtype=np.int64)
        # Deeper ones later: they stand; of two at one level the smaller number.
        for number in sorted(scene.members, key=lambda number: (nodes[number].level, -number)):
            home[scene.members[number]] = number
        self._home = home
        ends = (scene.source >= 0) & (scene.target >= 0) & (scene.weight > 0)
        a = home[scene.source]
        inside = np.flatnonzero(ends & (a >= 0) & (a == home[scene.target]) & (scene.source != scene.target))
        order = np.argsort(a[inside], kind="stable")
        self._ties = inside[order]
        self._ties_home = a[self._ties]
        by_home = np.argsort(home, kind="stable")
        self._rows = by_home
        self._rows_home = home[by_home]

    def missing(self, rows: Ints) -> list[int]:
        """The communities at which those of some entities are at home that have no point yet, each once."""
        homes = self._home[rows[np.isnan(self._scene.x[rows])]]
        return [number for number in np.unique(homes).tolist() if number >= 0 and self._disc(number) is not None]

    def make(self, numbers: list[int], scope: CancelScope) -> Placed:
        """The points of the first communities of a list; call it on a worker thread."""
        from explorer.graph.inner_layout import place_points

        ids = self._scene.ids
        rows: list[int] = []
        points: list[tuple[float, float]] = []
        for number in numbers[:_MOST]:
            scope.checkpoint()
            disc = self._disc(number)
            members = sorted(_slice(self._rows, self._rows_home, number), key=lambda row: ids[row])
            local = {row: place for place, row in enumerate(members)}
            pairs: dict[tuple[int, int], float] = {}
            for tie in _slice(self._ties, self._ties_home, number):
                ends = local[int(self._scene.source[tie])], local[int(self._scene.target[tie])]
                pair = (min(ends), max(ends))
                pairs[pair] = pairs.get(pair, 0.0) + float(self._scene.weight[tie])
            edges = [(a, b, weight) for (a, b), weight in sorted(pairs.items())]
            rows.extend(members)
            points.extend((disc.x + disc.r * x, disc.y + disc.r * y) for x, y in place_points(len(members), edges))
        places = np.array(points, dtype=np.float64).reshape(len(rows), 2)
        return Placed(np.array(rows, dtype=np.int64), places[:, 0].copy(), places[:, 1].copy())

    def take(self, placed: Placed) -> None:
        """Put points into the scene (on the thread that draws it)."""
        self._scene.x[placed.rows] = placed.x
        self._scene.y[placed.rows] = placed.y

    def _disc(self, number: int) -> Any:
        divided = bool(self._scene.hierarchy.children.get(number))
        return self._discs.get(rest_of(number) if divided else number) or self._discs.get(number)


def _slice(values: Ints, keys: Ints, key: int) -> list[int]:
    first, last = np.searchsorted(keys, [key, key + 1])
    found: list[int] = values[first:last].tolist()
    return found
