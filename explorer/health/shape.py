"""What is wrong with the hierarchy itself: circles, gaps, levels and children that contradict the parents."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from explorer.health.collect import Defects
from explorer.health.report import Defect
from explorer.tables.hierarchy import in_circles
from explorer.tables.index import Index

_FIRST = "The first row is used: remove the others, or index again."
_GAP = "Ask at a level that has communities; index again to be rid of the gap."
_SOURCE = "take the table from where the index was made."


def check_shape(index: Index) -> list[Defect]:
    """Communities that are their own ancestors, that stand twice, levels that are skipped, places that disagree."""
    defects = Defects()
    for number, times in Counter(row.community for row in index.communities).items():
        if times > 1:
            defects.add(
                "duplicate_community",
                f"community {number} ({times} times)",
                _FIRST,
            )
    known = index.community_by_number
    for number in sorted(in_circles({number: row.parent for number, row in known.items()})):
        defects.add(
            "circular_hierarchy",
            f"{known[number].title} is its own ancestor",
            f"Every walk ends where it has been; {_SOURCE}",
        )
    for above, below in pairwise(index.levels):
        if below - above > 1:
            defects.add(
                "level_gap",
                f"no community between level {above} and level {below}",
                _GAP,
            )
    for row in known.values():
        parent = known.get(row.parent)
        if parent is not None and parent.level >= row.level:
            defects.add(
                "level_not_below_parent",
                f"{row.title} at level {row.level}, its parent {parent.title} at level {parent.level}",
                f"The level stands as it is; {_SOURCE}",
            )
        for child in row.children:
            if child in known and known[child].parent != row.community:
                defects.add(
                    "child_of_another",
                    f"{row.title} lists {known[child].title}, whose parent is {known[child].parent}",
                    f"Parents decide what is drawn, children what dynamic selection walks; {_SOURCE}",
                )
    return defects.all()
