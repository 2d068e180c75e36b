"""Where the nodes of a graph begin when it was clustered before: in the communities that their titles had."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from explorer.graph.partition import Edge

Start = Sequence[Mapping[str, int]]  # level by level: title → number of its community

_KNOWN = 0.5  # less than this share of known titles: another graph, which is clustered afresh


class OldCommunities:
    """The old communities of a network's titles.

    `used` says whether level 0 began with them; `joined` and `alone` count its titles that were in none.
    """

    def __init__(self, titles: Sequence[str], start: Start) -> None:
        self._titles = titles
        self._start = start
        self.used = False
        self.joined = 0
        self.alone = 0

    def membership(self, members: Sequence[int], edges: Sequence[Edge], level: int) -> list[int] | None:
        """The part in which each of `members` begins, by position; None where the old communities say nothing.

        `edges` are (position, position, weight). A title that was in no community of this level begins in the one
        that it is linked to with the greatest weight (of equals the one of the lowest number), else alone. Below
        level 0 the old parts are those of the same level; they say nothing where fewer than half of the members
        stood in one.
        """
        if level >= len(self._start) or (level and not self.used):
            return None
        before = self._start[level]
        old = [before.get(self._titles[member]) for member in members]
        if sum(number is not None for number in old) < _KNOWN * len(members):
            return None
        weights: list[dict[int, float]] = [{} for _ in members]
        for i, j, weight in edges:
            for end, other in ((i, j), (j, i)):
                number = old[other]
                if old[end] is None and number is not None:
                    weights[end][number] = weights[end].get(number, 0.0) + weight
        chosen: list[int | None] = list(old)
        for position, found in enumerate(weights):
            if found:
                chosen[position] = min(found, key=lambda number: (-found[number], number))
        if level == 0:
            self.used = True
            self.joined = sum(map(bool, weights))
            self.alone = chosen.count(None)
        return _renumbered(chosen)


def _renumbered(chosen: Sequence[int | None]) -> list[int]:
    """Parts numbered from 0 in the order of their first member, each None a part of its own."""
    numbers: dict[tuple[str, int], int] = {}
    return [
        numbers.setdefault(("alone", position) if part is None else ("old", part), len(numbers))
        for position, part in enumerate(chosen)
    ]
