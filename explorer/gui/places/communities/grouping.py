"""The page at one level: which communities stand on it, which entity belongs to which, and what joins them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from explorer.gui.places.communities.scene import Bools, Floats, Ints, Scene


@dataclass(frozen=True)
class Links:
    """Links between the communities of a page, heaviest first: places in `Grouping.numbers`, the summed weight and
    how many relationships each stands for."""

    a: Ints
    b: Ints
    weight: Floats
    count: Ints


class Grouping:
    """Communities of `level` and those carried over from shallower levels, each with its circle.

    `numbers` are the communities in drawing order (biggest first, so that small ones lie on top); `carried` says
    which are of a shallower level; `x`, `y`, `r` their circles; `home[row]` is the place in `numbers` of the
    community that holds an entity on this page, -1 for none; `around` are the divided communities that those of the
    page come from; `unplaced` counts communities that have no circle.
    """

    def __init__(self, scene: Scene, level: int) -> None:
        self.scene, self.level = scene, level
        own, carried = scene.hierarchy.shown_at(level)
        here = [number for number in [*own, *carried] if number in scene.discs]
        here.sort(key=lambda number: (-scene.discs[number][2], number))
        self.unplaced = len(own) + len(carried) - len(here)
        self.numbers = np.array(here, dtype=np.int64)
        self.place = {number: place for place, number in enumerate(here)}
        older = set(carried)
        self.carried = np.array([number in older for number in here], dtype=np.bool_)
        circles = np.array([scene.discs[number] for number in here], dtype=np.float64).reshape(len(here), 3)
        self.x, self.y, self.r = circles[:, 0].copy(), circles[:, 1].copy(), circles[:, 2].copy()
        self.rank = np.array([scene.hierarchy.nodes[number].rank for number in here], dtype=np.int64)
        self.size = np.array([scene.hierarchy.nodes[number].size for number in here], dtype=np.int64)
        self.home = np.full(len(scene.ids), -1, dtype=np.int64)
        for number in sorted(here, reverse=True):  # of two that hold an entity the smaller number has it
            self.home[scene.members[number]] = self.place[number]
        # Entities sorted by community, so that the members of one are a slice.
        order = np.argsort(self.home, kind="stable")
        self._rows = order[np.searchsorted(self.home[order], 0) :]
        self._starts = np.searchsorted(self.home[self._rows], np.arange(len(here) + 1))
        self.around = sorted(
            {
                above
                for number in here
                for above in scene.hierarchy.path(number)[:-1]
                if above in scene.discs and above not in self.place
            }
        )
        self._sort_relationships()
        self._links: tuple[bytes, Links] | None = None

    def __len__(self) -> int:
        return len(self.numbers)

    def members(self, place: int) -> Ints:
        """The rows of the entities of the community at a place, ascending."""
        return self._rows[self._starts[place] : self._starts[place + 1]]

    def members_of(self, places: Ints) -> Ints:
        """The rows of the entities of several communities."""
        return _slices(self._rows, self._starts, places)

    def highest(self, values: Ints, none: int) -> Ints:
        """The highest value (given by entity) among the members of each community; `none` where it has no member."""
        found = np.full(len(self), none, dtype=np.int64)
        filled = np.diff(self._starts) > 0
        if filled.any():
            found[filled] = np.maximum.reduceat(values[self._rows], self._starts[:-1][filled])
        return found

    def commonest(self, keys: Ints) -> Ints:
        """The key (small numbers, given by entity) that most members of each community have; the smallest of equals,
        0 where it has no member."""
        width = int(keys.max(initial=0)) + 1
        place = np.repeat(np.arange(len(self)), np.diff(self._starts))
        counts = np.bincount(place * width + keys[self._rows], minlength=len(self) * width)
        return counts.reshape(len(self), width).argmax(axis=1).astype(np.int64)

    def inner_of(self, places: Ints) -> Ints:
        """The rows of the relationships inside several communities, within each heaviest first."""
        return _slices(self._inner, self._inner_starts, places)

    @property
    def inner_count(self) -> int:
        """How many relationships lie inside a community of the page."""
        return len(self._inner)

    @property
    def between_count(self) -> int:
        """How many join two communities of the page."""
        return len(self._between)

    def links(self, allowed: Bools | None = None) -> Links:
        """The links of the page. With `allowed` (by entity), of relationships whose two ends are allowed."""
        key = b"" if allowed is None else np.packbits(allowed).tobytes()
        if self._links is None or self._links[0] != key:
            self._links = (key, self._sum_links(allowed))
        return self._links[1]

    def _sort_relationships(self) -> None:
        scene = self.scene
        whole = (scene.source >= 0) & (scene.target >= 0)
        if not len(self.home):
            whole = np.zeros(len(scene.source), dtype=np.bool_)
        a = np.where(whole, self.home[scene.source] if len(self.home) else -1, -1)
        b = np.where(whole, self.home[scene.target] if len(self.home) else -1, -1)
        inside = np.flatnonzero((a >= 0) & (a == b))
        inside = inside[np.lexsort((inside, -scene.weight[inside], a[inside]))]
        self._inner = inside
        self._inner_starts = np.searchsorted(a[inside], np.arange(len(self.numbers) + 1))
        self._between = np.flatnonzero((a >= 0) & (b >= 0) & (a != b) & (scene.weight > 0))
        low = np.minimum(a[self._between], b[self._between])
        high = np.maximum(a[self._between], b[self._between])
        # Which pair each relationship joins, found once: a filter then only counts.
        self._pairs, pair_of = np.unique(low * max(len(self.numbers), 1) + high, return_inverse=True)
        self._pair_of = pair_of.astype(np.int32)

    def _sum_links(self, allowed: Bools | None) -> Links:
        pair_of, rows = self._pair_of, self._between
        if allowed is not None:
            keep = allowed[self.scene.source[rows]] & allowed[self.scene.target[rows]]
            pair_of, rows = pair_of[keep], rows[keep]
        count = np.bincount(pair_of, minlength=len(self._pairs))
        weight = np.bincount(pair_of, weights=self.scene.weight[rows], minlength=len(self._pairs))
        some = np.flatnonzero(count)
        order = some[np.argsort(-weight[some], kind="stable")]  # of equal weight in the order of the pairs
        pairs, width = self._pairs[order], max(len(self.numbers), 1)
        return Links(pairs // width, pairs % width, weight[order], count[order].astype(np.int64))


def _slices(values: Ints, starts: Ints, places: Ints) -> Ints:
    if not len(places):
        return np.zeros(0, dtype=np.int64)
    return np.concatenate([values[starts[place] : starts[place + 1]] for place in places])
