"""The picture of an index: every community a disc inside its parent's disc, every entity a point inside its own.

A community has one disc, whatever level is looked at, and an entity one point: choosing another level regroups and
moves nothing. The area of a disc is proportional to the entities of its community, with one factor for each depth
(the discs inside a disc must leave room between them, so deeper ones are drawn smaller by the same share each time).
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from explorer.base.cancel import CancelScope
from explorer.base.pieces import pieces, sorted_in_pieces
from explorer.graph.forest import Forest, build_forest
from explorer.graph.inner_layout import force_layout, place_points
from explorer.graph.links import EntityLink, by_number, entity_links, rest_of, sibling_links
from explorer.graph.packing import Floats, Link, enclosing, pack, scatter, spread
from explorer.tables.rows import ROOT, CommunityRow, EntityRow, RelationshipRow

SHARE = 0.38  # of a disc's area that the discs inside it fill; two equal ones cannot fill more than a half
SQUEEZED = "squeezed_into_parent"  # communities whose children had to be drawn smaller than their size asks for
UNKNOWN = "entity_id_without_entity"  # ids in communities that no entity has: no point
INSIDE = 0.96  # children keep this share of the parent's radius between them and its edge
GAP = 0.03  # space between roots, as a share of the mean radius, beside what the spacing of the links gives
_DIGITS = 6


@dataclass(frozen=True)
class Disc:
    """A circle: centre and radius, in units in which a root of one entity has radius 1."""

    x: float
    y: float
    r: float


@dataclass(frozen=True)
class Layout:
    """Where everything is.

    `discs` by community number, of every level; `points` by entity id; `unplaced` the entities that are in no
    community and have no point; `counts` what had to be mended, by name; `fingerprint` says which input it is of.
    """

    discs: dict[int, Disc]
    points: dict[str, tuple[float, float]]
    unplaced: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    fingerprint: str = ""


@dataclass(frozen=True)
class LayoutInput:
    """What a layout is a function of, small enough to be sent to another process. All sorted."""

    entities: tuple[str, ...]
    links: tuple[EntityLink, ...]
    communities: tuple[CommunityRow, ...]  # with number, level, parent, entity ids and size only

    @property
    def fingerprint(self) -> str:
        digest = hashlib.sha256(f"layout 1 {SHARE} {INSIDE} {GAP}\n".encode())
        digest.update("\n".join(self.entities).encode("utf-8", "surrogatepass"))
        digest.update(b"[")
        for place, some in enumerate(pieces(self.links)):  # the bytes of one long json.dumps of all
            digest.update(((", " if place else "") + json.dumps(some)[1:-1]).encode())
        digest.update(b"]")
        for row in self.communities:
            digest.update(json.dumps([row.community, row.level, row.parent, row.size, row.entity_ids]).encode())
        return digest.hexdigest()


@dataclass(frozen=True)
class Placement:
    """Discs of communities by number, and of the entities that no child of a divided community took by `rest_of`."""

    discs: dict[int, Disc]
    squeezed: int = 0


def layout_input(
    entities: Sequence[EntityRow], relationships: Iterable[RelationshipRow], communities: Iterable[CommunityRow]
) -> LayoutInput:
    """What a layout reads of the tables, in an order of its own: rows in another order give the same."""
    slim = (
        CommunityRow("", row.community, row.level, row.parent, (), "", _distinct(row.entity_ids), size=row.size)
        for row in communities
    )
    return LayoutInput(
        entities=tuple(sorted_in_pieces({entity.id for entity in entities})),
        links=tuple(entity_links(entities, relationships)),
        communities=tuple(
            sorted_in_pieces(slim, key=lambda row: (row.community, row.level, row.parent, row.entity_ids))
        ),
    )


def compute_layout(
    entities: Sequence[EntityRow],
    relationships: Iterable[RelationshipRow],
    communities: Iterable[CommunityRow],
    *,
    scope: CancelScope | None = None,
) -> Layout:
    """The layout of some tables, computed in a spawned process of low priority.

    The same tables give the same layout in every process, whatever the order of the rows. Raises Cancelled where the
    scope ended first.
    """
    from explorer.graph.layout_process import layout_in_process

    return layout_in_process(layout_input(entities, relationships, communities), scope)


def find_layout(given: LayoutInput) -> Layout:
    """What `compute_layout` does, in the calling process. igraph holds the interpreter: for workers and tests."""
    forest = build_forest(given.communities)
    between, inner = sibling_links(forest, given.links)
    placement = place_communities(forest, between)
    points = place_entities(forest, placement, inner)
    known = set(given.entities)
    counts = dict(forest.counts)
    if placement.squeezed:
        counts[SQUEEZED] = placement.squeezed
    unknown = sum(entity not in known for entity in points)
    if unknown:
        counts[UNKNOWN] = unknown
    return Layout(
        discs={number: placement.discs[number] for number in forest.parent},
        points={entity: point for entity, point in sorted(points.items()) if entity in known},
        unplaced=sum(entity not in forest.home for entity in given.entities),
        counts=dict(sorted(counts.items())),
        fingerprint=given.fingerprint,
    )


def place_communities(
    forest: Forest, between: Mapping[int, Mapping[tuple[int, int], float]], depth: int | None = None
) -> Placement:
    """Discs of all communities, or of those in the first `depth` generations (1: the roots alone).

    `between` are the sibling links of `sibling_links`. Entities are only counted, never placed.
    """
    discs = _place_roots(forest, between.get(ROOT, {}))
    squeezed = 0
    generation = list(forest.roots)
    reached = 1
    while generation and (depth is None or reached < depth):
        below: list[int] = []
        for parent in generation:
            if forest.children[parent]:
                found, shrunk = _place_children(forest, parent, discs[parent], between.get(parent, {}))
                discs.update(found)
                squeezed += shrunk
                below.extend(forest.children[parent])
        generation = below
        reached += 1
    rounded = {n: Disc(round(d.x, _DIGITS), round(d.y, _DIGITS), round(d.r, _DIGITS)) for n, d in discs.items()}
    return Placement(rounded, squeezed)


def place_entities(
    forest: Forest,
    placement: Placement,
    inner: Mapping[int, Sequence[EntityLink]],
    communities: Iterable[int] | None = None,
) -> dict[str, tuple[float, float]]:
    """Points of the entities at home in some communities (default: all), each inside the disc of its home.

    `inner` are the inner links of `sibling_links`. Each community is placed alone, so that a view may ask for those
    that it shows.
    """
    points: dict[str, tuple[float, float]] = {}
    for number in forest.members if communities is None else communities:
        members = forest.members[number]
        if not members:
            continue
        disc = placement.discs[rest_of(number) if forest.children[number] else number]
        local = {entity: position for position, entity in enumerate(members)}
        edges = [(local[a], local[b], weight) for a, b, weight in inner.get(number, ())]
        for entity, (x, y) in zip(members, place_points(len(members), edges), strict=True):
            points[entity] = (round(disc.x + disc.r * x, _DIGITS), round(disc.y + disc.r * y, _DIGITS))
    return points


def _place_roots(forest: Forest, pairs: Mapping[tuple[int, int], float]) -> dict[int, Disc]:
    """Groups of linked roots by force, the larger groups in the middle, roots without a link around them."""
    radius = {number: math.sqrt(forest.size[number]) for number in forest.roots}
    if not radius:
        return {}
    groups = _linked_groups(forest.roots, pairs)
    laid: list[tuple[Floats, float]] = []
    for group in groups:
        radii = [radius[number] for number in group]
        places = _spaced(radii, by_number(pairs, group))
        centre, reach = enclosing(places, np.array(radii))
        laid.append((places - centre, reach * 1.02 if len(group) > 1 else reach))
    gap = GAP * float(np.mean(list(radius.values()))) + 0.3
    middles = scatter([reach for _, reach in laid], np.zeros((len(laid), 2)), gap)
    discs: dict[int, Disc] = {}
    for group, (places, _), middle in zip(groups, laid, middles, strict=True):
        for number, (x, y) in zip(group, places + middle, strict=True):
            discs[number] = Disc(float(x), float(y), radius[number])
    return discs


def _spaced(radii: Sequence[float], links: Sequence[Link]) -> Floats:
    """Places of a linked group: a force layout stretched so that the discs fill about a third, then overlaps undone."""
    if len(radii) == 1:
        return np.zeros((1, 2))
    wanted = force_layout(len(radii), links)
    area = np.array(radii) ** 2
    wanted = wanted - (wanted * area[:, None]).sum(axis=0) / area.sum()
    reach = math.sqrt(float(area.sum()) / 0.33)
    spans = np.hypot(wanted[:, 0], wanted[:, 1])
    typical = float(np.quantile(spans, 0.85)) or 1.0
    wanted = wanted * (0.8 * reach / typical)
    spans = np.hypot(wanted[:, 0], wanted[:, 1])
    far = spans > reach
    wanted[far] *= (reach / spans[far])[:, None]  # a loose end is held at the edge
    return scatter(radii, wanted, gap=0.25 * float(np.mean(radii)))


def _place_children(
    forest: Forest, parent: int, disc: Disc, pairs: Mapping[tuple[int, int], float]
) -> tuple[dict[int, Disc], int]:
    numbers = list(forest.children[parent])
    sizes = [float(forest.size[number]) for number in numbers]
    if forest.members[parent]:
        numbers.append(rest_of(parent))
        sizes.append(float(len(forest.members[parent])))
    unit = disc.r * math.sqrt(SHARE / forest.size[parent])
    radii = [unit * math.sqrt(size) for size in sizes]
    limit = disc.r * INSIDE
    gap = 0.02 * disc.r / math.sqrt(len(numbers))
    links = by_number(pairs, numbers)
    for pull in (0.5, 0.0):
        places, reach = pack([r + gap for r in radii], links, pull)
        if reach <= limit:
            break
    shrink = min(1.0, limit / reach)
    radii = [r * shrink for r in radii]
    places = spread(places * shrink, radii, limit)
    found = {
        number: Disc(disc.x + float(x), disc.y + float(y), r)
        for number, (x, y), r in zip(numbers, places, radii, strict=True)
    }
    return found, int(shrink < 1.0)


def _distinct(ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(ids)))


def _linked_groups(numbers: Sequence[int], pairs: Mapping[tuple[int, int], float]) -> list[list[int]]:
    """Connected groups of communities, each ascending, in the order of their smallest number."""
    near: dict[int, list[int]] = {number: [] for number in numbers}
    for a, b in pairs:
        if a in near and b in near:
            near[a].append(b)
            near[b].append(a)
    groups: list[list[int]] = []
    seen: set[int] = set()
    for start in sorted(numbers):
        if start in seen:
            continue
        seen.add(start)
        group = [start]
        for number in group:
            fresh = [other for other in near[number] if other not in seen]
            seen.update(fresh)
            group.extend(dict.fromkeys(fresh))
        groups.append(sorted(group))
    return groups
