"""Everything that the graph needs of one index, made on a worker thread: the scene and the page of each level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from explorer.base.cancel import CancelScope
from explorer.graph.ring_layout import BY_SIZE
from explorer.gui.places.communities.find_index import FindIndex
from explorer.gui.places.communities.grouping import Grouping
from explorer.gui.places.communities.hierarchy import Hierarchy
from explorer.gui.places.communities.level_of_detail import dot_unit
from explorer.gui.places.communities.points import PointMaker
from explorer.gui.places.communities.scene import Positions, Scene, build_scene


@dataclass(frozen=True)
class Page:
    """A scene, its levels, and the radius of a dot of degree 1 (one for all levels: dots keep their size)."""

    scene: Scene
    groupings: dict[int, Grouping]
    unit: float
    find: FindIndex
    points: PointMaker | None = None  # where entities get their points when their community is opened

    def at(self, level: int) -> Grouping:
        """The grouping of a level; the nearest level that the index has, if it lacks this one."""
        if level in self.groupings:
            return self.groupings[level]
        return self.groupings[min(self.groupings, key=lambda known: (abs(known - level), known))]


def build_page(
    index: Any, layout: Positions, hierarchy: Hierarchy, scope: CancelScope, levels: Sequence[int] | None = None
) -> Page:
    """Build a page of some levels (default: all); call it off the GUI thread. `scope` is asked between the levels."""
    scene = build_scene(index, layout, hierarchy)
    _ = scene.names, scene.kinds  # made here: on the GUI thread they would hold the window
    groupings: dict[int, Grouping] = {}
    for level in levels or hierarchy.levels or [0]:
        scope.checkpoint()
        groupings[level] = Grouping(scene, level)
        groupings[level].links()
    first = groupings[min(groupings)]
    scope.checkpoint()
    on_demand = getattr(layout, "fingerprint", "") == BY_SIZE and len(scene.ids) > 0
    points = PointMaker(scene, dict(layout.discs)) if on_demand else None
    scope.checkpoint()
    return Page(scene, groupings, dot_unit(first), FindIndex(index, hierarchy), points)
