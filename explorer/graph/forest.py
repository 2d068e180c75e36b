"""Communities as trees: checked parents, derived children, and the one home of every entity.

The rows may come from an index made elsewhere: a parent can be missing, parents can run in a circle, an entity can
stand in two communities of one level. What had to be mended is counted by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from explorer.tables.rows import ROOT, CommunityRow

DUPLICATE = "duplicate_community"  # a second row with the same number: left out
MISSING_PARENT = "missing_parent"  # the parent is in no row: drawn as a root
CIRCLE = "parents_in_a_circle"  # of a circle of parents the smallest number is drawn as a root
REPEATED = "entity_twice_at_a_level"  # memberships beyond the first at a level (by community number): not followed


@dataclass(frozen=True)
class Forest:
    """Trees of communities.

    `parent` (ROOT for a root), `children` (ascending) and `size` (entities; at least 1) are by community number;
    `roots` ascending. `home` gives each entity the deepest community that holds it, `members` the entities at home in
    each community, sorted; in a community that is divided these are the ones that none of its children took.
    """

    parent: dict[int, int]
    children: dict[int, tuple[int, ...]]
    size: dict[int, int]
    level: dict[int, int]
    roots: tuple[int, ...]
    home: dict[str, int]
    members: dict[int, tuple[str, ...]]
    counts: dict[str, int] = field(default_factory=dict)

    def downwards(self) -> Iterator[int]:
        """Every community, parents before their children, breadth first."""
        queue = list(self.roots)
        for number in queue:
            yield number
            queue.extend(self.children[number])

    def path(self, number: int) -> list[int]:
        """A community and those around it: root first, itself last."""
        steps = [number]
        while self.parent[steps[-1]] != ROOT:
            steps.append(self.parent[steps[-1]])
        return steps[::-1]


def build_forest(communities: Iterable[CommunityRow]) -> Forest:
    """The trees of some communities; the same for every order of the rows but for rows with the same number, of
    which the first stands. Children are derived from parents. Raises nothing for bad rows, see `Forest.counts`."""
    counts: dict[str, int] = {}

    def count(name: str) -> None:
        counts[name] = counts.get(name, 0) + 1

    rows: dict[int, CommunityRow] = {}
    for row in communities:
        if row.community in rows:
            count(DUPLICATE)
        else:
            rows[row.community] = row
    parent: dict[int, int] = {}
    for number in sorted(rows):
        above = rows[number].parent
        if above != ROOT and above not in rows:
            count(MISSING_PARENT)
            above = ROOT
        parent[number] = above
    for number in _smallest_of_circles(parent):
        count(CIRCLE)
        parent[number] = ROOT

    children: dict[int, list[int]] = {number: [] for number in parent}
    for number, above in parent.items():
        if above != ROOT:
            children[above].append(number)
    size: dict[int, int] = {}
    taken: dict[tuple[int, str], int] = {}  # (level, entity) → community
    for number in parent:
        row = rows[number]
        entities = dict.fromkeys(row.entity_ids)
        size[number] = max(1, len(entities) or row.size)
        for entity in entities:
            if taken.setdefault((row.level, entity), number) != number:
                count(REPEATED)
    home: dict[str, int] = {}
    for (_, entity), number in sorted(taken.items(), key=lambda item: item[0][0]):
        home[entity] = number  # deeper levels come later and stand
    members: dict[int, list[str]] = {number: [] for number in parent}
    for entity in sorted(home):
        members[home[entity]].append(entity)
    return Forest(
        parent=parent,
        children={number: tuple(below) for number, below in children.items()},
        size=size,
        level={number: rows[number].level for number in parent},
        roots=tuple(number for number, above in parent.items() if above == ROOT),
        home=home,
        members={number: tuple(entities) for number, entities in members.items()},
        counts=dict(sorted(counts.items())),
    )


def shown_at_level(communities: Iterable[CommunityRow], level: int) -> list[tuple[CommunityRow, bool]]:
    """The communities that stand for the graph at a level, ascending by number, each with whether it is carried.

    Those of that level, and those of a shallower level that are not divided further (carried). A community counts as
    divided where another row names it as its parent.
    """
    rows = {row.community: row for row in reversed(list(communities))}
    divided = {row.parent for row in rows.values()}
    return [
        (rows[number], rows[number].level < level)
        for number in sorted(rows)
        if rows[number].level == level or (rows[number].level < level and number not in divided)
    ]


def _smallest_of_circles(parent: dict[int, int]) -> list[int]:
    settled: set[int] = {ROOT}
    found = []
    for start in sorted(parent):
        walk: list[int] = []
        on_walk: set[int] = set()
        number = start
        while number not in settled and number not in on_walk:
            walk.append(number)
            on_walk.add(number)
            number = parent[number]
        if number in on_walk:
            found.append(min(walk[walk.index(number) :]))
        settled.update(walk)
    return found
