"""What the graph draws, as arrays built once per index and layout (on a worker thread). No Qt here."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from explorer.gui.places.communities.hierarchy import Hierarchy, one_line
from explorer.gui.places.communities.names import Names
from explorer.tables.rows import CommunityRow, EntityRow, RelationshipRow, ReportRow

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


class Circle(Protocol):
    x: float
    y: float
    r: float


class Positions(Protocol):
    """A layout: a circle for each community number, a point for each entity id that has one."""

    discs: Mapping[int, Any]
    points: Mapping[str, tuple[float, float]]


class Tables(Protocol):
    """The part of an index that is drawn."""

    entities: list[EntityRow]
    relationships: list[RelationshipRow]
    communities: list[CommunityRow]
    report_by_community: dict[int, ReportRow]


@dataclass(frozen=True)
class Scene:
    """Entities by row number, relationships by row number, circles by community number, all in the layout's units.

    `x` and `y` are NaN for an entity without a place. `source` and `target` are rows of entities, -1 where the
    title is in no entity. `weight` is finite and never negative.
    """

    hierarchy: Hierarchy
    ids: tuple[str, ...]
    row_of: dict[str, int]
    titles: tuple[str, ...]
    types: tuple[str, ...]
    degree: Ints
    x: Floats
    y: Floats
    source: Ints
    target: Ints
    weight: Floats
    members: dict[int, Ints]  # rows of each community's entities, ascending
    discs: dict[int, tuple[float, float, float]]
    grouped: Bools  # whether the entity is in any community
    bounds: tuple[float, float, float, float]  # left, top, right, bottom of all discs

    @property
    def alone(self) -> int:
        """How many entities are in no community."""
        return int(len(self.ids) - self.grouped.sum())

    @cached_property
    def names(self) -> Names:
        """The titles, to be looked through. First asked for where the page is made, off the GUI thread."""
        return Names(self.titles)

    @cached_property
    def kinds(self) -> tuple[dict[str, int], Ints]:
        """A number for each type, in the order in which they come, and that of every entity's."""
        numbers: dict[str, int] = {}
        keys = np.fromiter((numbers.setdefault(kind, len(numbers)) for kind in self.types), np.int64, len(self.types))
        return numbers, keys

    def ties_of(self, row: int) -> tuple[Ints, Ints]:
        """Both ends of every relationship of an entity whose ends have a place."""
        ties = np.flatnonzero((self.source == row) | (self.target == row))
        a, b = self.source[ties], self.target[ties]
        whole = (a >= 0) & (b >= 0)
        a, b = a[whole], b[whole]
        known = ~(np.isnan(self.x[a]) | np.isnan(self.x[b]))
        return a[known], b[known]

    @property
    def dangling(self) -> int:
        """How many relationships name an end that is no entity."""
        return int(((self.source < 0) | (self.target < 0)).sum())


def build_scene(index: Tables, layout: Positions, hierarchy: Hierarchy | None = None) -> Scene:
    """The arrays of an index under a layout. Communities without a circle in the layout are left out of `discs`."""
    hierarchy = hierarchy or Hierarchy(index.communities, index.report_by_community)
    entities = index.entities
    ids = tuple(row.id for row in entities)
    row_of: dict[str, int] = {}
    row_of_title: dict[str, int] = {}
    for row, entity in enumerate(entities):
        row_of.setdefault(entity.id, row)
        row_of_title.setdefault(entity.title, row)
    points = layout.points
    nowhere = (math.nan, math.nan)
    places = np.array([points.get(id, nowhere) for id in ids], dtype=np.float64).reshape(len(ids), 2)
    relationships = index.relationships
    source = np.array([row_of_title.get(row.source, -1) for row in relationships], dtype=np.int64)
    target = np.array([row_of_title.get(row.target, -1) for row in relationships], dtype=np.int64)
    weight = np.array([row.weight for row in relationships], dtype=np.float64)
    # As in the clustering: NaN counts as 1, infinity as the heaviest that is finite, below zero as nothing.
    weight = np.where(np.isnan(weight), 1.0, weight)
    heaviest = weight[np.isfinite(weight)].max(initial=0.0) if np.isfinite(weight).any() else 1.0
    weight = np.clip(weight, 0.0, heaviest)
    degree = np.array([row.degree for row in entities], dtype=np.int64)
    if not degree.any():  # tables without the column: count the ends
        ends = np.concatenate([source, target])
        degree = np.bincount(ends[ends >= 0], minlength=len(ids)).astype(np.int64)
    members: dict[int, Ints] = {}
    grouped = np.zeros(len(ids), dtype=np.bool_)
    for community in index.communities:
        if community.community in members:
            continue
        rows = np.array(sorted({row_of[id] for id in community.entity_ids if id in row_of}), dtype=np.int64)
        members[community.community] = rows
        grouped[rows] = True
    discs = {
        number: (float(disc.x), float(disc.y), float(disc.r))
        for number, disc in layout.discs.items()
        if number in hierarchy.nodes and disc.r > 0
    }
    return Scene(
        hierarchy, ids, row_of,
        tuple(one_line(row.title, 80) for row in entities), tuple(one_line(row.type, 40) for row in entities),
        degree, places[:, 0].copy(), places[:, 1].copy(), source, target, weight, members, discs, grouped,
        _bounds(discs, places),
    )  # fmt: skip


def _bounds(discs: Mapping[int, tuple[float, float, float]], places: Floats) -> tuple[float, float, float, float]:
    if discs:
        circles = np.array(list(discs.values()))
        low, high = circles[:, :2] - circles[:, 2:], circles[:, :2] + circles[:, 2:]
        return (*map(float, low.min(axis=0)), *map(float, high.max(axis=0)))  # type: ignore[return-value]
    known = places[~np.isnan(places[:, 0])]
    if not len(known):
        return (-1.0, -1.0, 1.0, 1.0)
    return (*map(float, known.min(axis=0) - 1), *map(float, known.max(axis=0) + 1))  # type: ignore[return-value]
