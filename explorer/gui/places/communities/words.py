"""The plain sentences under the graph: what is drawn and what is not. No Qt here."""

from __future__ import annotations

from explorer.gui.places.communities.grouping import Grouping
from explorer.gui.places.communities.level_of_detail import Drawn
from explorer.gui.words import count as counted

FOOTER_TIP = (
    "Inside closed discs: relationships between members of one community; zoom in to see them. Elsewhere: between "
    "entities of which one at least is in no community of this level. Without an entity: a name in the table of "
    "relationships that no entity bears."
)


def footer(drawn: Drawn, grouping: Grouping, left_by_filter: int, *, short: bool = False) -> str:
    """What one frame shows of the index, and what it does not; `short` leaves out why."""
    scene = grouping.scene
    carried = int(grouping.carried[drawn.places].sum())
    total = len(grouping.numbers)
    if len(drawn.places) == total:
        parts = [counted(total - carried, "community", "communities")]
        if carried:
            parts[0] += f" and {carried:,} carried from above (dashed)"
    else:
        parts = [f"{len(drawn.places):,} of {counted(total, 'community', 'communities')} in view"]
        if carried:
            parts[0] += f", {carried:,} carried from above (dashed)"
    if len(scene.source):
        rest = "" if short else _rest(drawn, grouping)
        parts.append(f"{drawn.relationships_drawn:,} of {counted(len(scene.source), 'relationship')} drawn{rest}")
    if (drawn.disc_open > 0).any():
        words = f"{counted(len(drawn.dots), 'entity', 'entities')} in view"
        if drawn.dots_left_out:
            words += f", {drawn.dots_left_out:,} more left out (lowest degree)"
        parts.append(words)
    if left_by_filter:
        parts.append(f"{counted(left_by_filter, 'entity', 'entities')} filtered out")
    wider = int((scene.grouped & (grouping.home < 0)).sum())
    if wider:
        parts.append(f"{counted(wider, 'entity', 'entities')} in a wider community only")
    if scene.alone:
        parts.append(f"{counted(scene.alone, 'entity', 'entities')} in no community")
    if grouping.unplaced:
        parts.append(f"{counted(grouping.unplaced, 'community', 'communities')} without a place")
    return " · ".join(parts)


def _rest(drawn: Drawn, grouping: Grouping) -> str:
    """Why the other relationships are not on the screen: inside closed discs, too light, or no community's."""
    reasons = []
    if drawn.links_left_out:
        reasons.append("the heaviest in view")
    elif len(drawn.places) < len(grouping):
        reasons.append("those in view")
    closed = grouping.inner_count - len(drawn.lines)
    if closed > 0 and len(drawn.places) == len(grouping):
        reasons.append(f"{closed:,} inside closed discs" if not len(drawn.lines) else f"{closed:,} more inside discs")
    outside = len(grouping.scene.source) - grouping.inner_count - grouping.between_count - grouping.scene.dangling
    if outside > 0:
        reasons.append(f"{outside:,} elsewhere")
    if grouping.scene.dangling:
        reasons.append(f"{grouping.scene.dangling:,} without an entity")
    return f" ({', '.join(reasons)})" if reasons else ""
