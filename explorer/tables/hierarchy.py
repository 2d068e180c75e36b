"""The hierarchy of communities from what a table says of it: children, parents, both, or neither.

What is missing is derived: parents from children, children from parents, levels from parents, parents from the members
(a community lies in the one of the level above that holds most of its members; without levels in the smallest one that
holds all of them). What runs in a circle is left as it is and said: every
walk over a hierarchy ends where it has been. Everything derived is said in one sentence each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from explorer.base.words import agree, counted
from explorer.tables.rows import ROOT


@dataclass(frozen=True)
class Place:
    """What a table says of one community; None where it says nothing."""

    community: int
    level: int | None
    parent: int | None
    children: tuple[int, ...] | None
    entity_ids: tuple[str, ...]


@dataclass(frozen=True)
class Hierarchy:
    """By community: its level, its parent (ROOT for none) and its children; `notes`: what was derived or is wrong."""

    levels: Mapping[int, int]
    parents: Mapping[int, int]
    children: Mapping[int, tuple[int, ...]]
    notes: tuple[str, ...] = ()


def derive_hierarchy(places: Sequence[Place]) -> Hierarchy:
    """The hierarchy of some communities, each number once (of two rows for one number the first stands)."""
    by_number: dict[int, Place] = {}
    for place in places:
        by_number.setdefault(place.community, place)
    notes: list[str] = []
    parents = _parents(by_number, notes)
    circling = in_circles(parents)
    if circling:
        notes.append(
            f"the {agree(len(circling), 'parent')} of {counted(len(circling), 'community', 'communities')} "
            f"{agree(len(circling), 'runs', 'run')} in a circle"
        )
    levels, children = _levels(by_number, parents), _children(by_number, parents, notes)
    unplaced = sum(place.level is None for place in by_number.values())
    if unplaced and any(levels.values()):
        of = counted(unplaced, "community", "communities")
        level, was = agree(unplaced, "level"), agree(unplaced, "was", "were")
        notes.append(f"the {level} of {of} {was} derived from the parents")
    elif unplaced:
        without = counted(unplaced, "community", "communities")
        notes.append(f"{without} without a level {agree(unplaced, 'stands', 'stand')} at level 0")
    return Hierarchy(levels, parents, children, tuple(notes))


def _parents(by_number: Mapping[int, Place], notes: list[str]) -> dict[int, int]:
    # Where levels lie below each other, parents that are none for every community say nothing.
    deep = len({place.level for place in by_number.values()}) > 1
    said = {place.parent for place in by_number.values()} - ({None, ROOT} if deep else {None})
    if said:
        return {number: ROOT if place.parent is None else place.parent for number, place in by_number.items()}
    if any(place.children for place in by_number.values()):
        notes.append("parents were derived from the children")
        parents = dict.fromkeys(by_number, ROOT)
        for number, place in by_number.items():
            for child in place.children or ():
                if child in parents and child != number:
                    parents[child] = number
        return parents
    bare = all(place.level is None for place in by_number.values())
    parents = _from_nesting(by_number) if bare else _from_members(by_number)
    if any(parent != ROOT for parent in parents.values()):
        notes.append("parents and children were derived from the members")
    return parents


def _from_nesting(by_number: Mapping[int, Place]) -> dict[int, int]:
    """The smallest community that holds all of one's members; of two with the same the lower number holds the other."""
    parents: dict[int, int] = {}
    members = {number: frozenset(place.entity_ids) for number, place in by_number.items()}
    holders: dict[str, list[int]] = {}  # entity → the communities that have it, the largest first
    for number in sorted(members, key=lambda number: (-len(members[number]), number)):
        around = min((holders.get(entity, []) for entity in sorted(members[number])), key=len, default=[])
        parents[number] = next((other for other in reversed(around) if members[number] <= members[other]), ROOT)
        for entity in members[number]:
            holders.setdefault(entity, []).append(number)
    return parents


def _from_members(by_number: Mapping[int, Place]) -> dict[int, int]:
    homes: dict[int, dict[str, int]] = {}  # level → entity → community
    for number, place in by_number.items():
        for entity in place.entity_ids:
            homes.setdefault(place.level or 0, {}).setdefault(entity, number)
    parents: dict[int, int] = {}
    above = {level: max((other for other in homes if other < level), default=None) for level in homes}
    for number, place in by_number.items():
        level = above.get(place.level or 0)
        votes = (
            Counter(homes[level][key] for key in place.entity_ids if key in homes[level]) if level is not None else None
        )
        parents[number] = min(votes, key=lambda home: (-votes[home], home)) if votes else ROOT
    return parents


def in_circles(parents: Mapping[int, int]) -> set[int]:
    """The communities that are their own ancestors."""
    settled: set[int] = set()
    inside: set[int] = set()
    for start in sorted(parents):
        path: list[int] = []
        places: dict[int, int] = {}
        node = start
        while node in parents and node not in settled and node not in places:
            places[node] = len(path)
            path.append(node)
            node = parents[node]
        if node in places:
            inside.update(path[places[node] :])
        settled.update(path)
    return inside


def _levels(by_number: Mapping[int, Place], parents: Mapping[int, int]) -> dict[int, int]:
    """Levels as given; where a row has none, one below its parent's (0 without a parent)."""
    levels = {number: place.level for number, place in by_number.items() if place.level is not None}
    for number in by_number:
        path = [number]
        while path[-1] not in levels and parents.get(path[-1], ROOT) in by_number and parents[path[-1]] not in path:
            path.append(parents[path[-1]])
        top = levels.setdefault(path[-1], 0)
        for below, member in enumerate(reversed(path)):
            levels.setdefault(member, top + below)
    return levels


def _children(
    by_number: Mapping[int, Place], parents: Mapping[int, int], notes: list[str]
) -> dict[int, tuple[int, ...]]:
    if any(place.children for place in by_number.values()):
        return {number: place.children or () for number, place in by_number.items()}
    found: dict[int, list[int]] = {}
    for number, parent in parents.items():
        if parent != ROOT:
            found.setdefault(parent, []).append(number)
    if found and not any("derived" in note for note in notes):
        notes.append("children were derived from the parents")
    return {number: tuple(sorted(found.get(number, ()))) for number in by_number}
