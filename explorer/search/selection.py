"""Dynamic community selection: from the top of the hierarchy down, only where the reports are rated relevant.

The walk is GraphRAG's to the step: a parent leaves the selection as soon as one child is relevant; where nothing has
been relevant so far, all communities of the next level are rated, down to `max_level`; ratings vote, and of a tie the
smallest value wins. Where GraphRAG would end the whole query (a rating that is no number, no level 0), the walk goes
on and says what it did; where GraphRAG would rate in a circle for ever, each community is rated once. Source:
DynamicCommunitySelection of graphrag 3.3.0.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.base.fates import ReportFate
from explorer.base.words import share
from explorer.search.reports import ReportAccount, communities_without_report, community_key, report_key
from explorer.tables.rows import ReportRow

if TYPE_CHECKING:
    from explorer.tables.index import Index

UNREADABLE = 1  # the rating of a reply that holds none: at the usual threshold the report is kept
Rate = Callable[[ReportRow], Awaitable[Sequence[float | None]]]


@dataclass(frozen=True)
class Visit:
    """A community that was rated. `ratings` are those of the repeats, None for one that could not be read."""

    community: int
    level: int
    ratings: tuple[float | None, ...]
    rating: int
    decision: str  # relevant | below_threshold
    reason: str


@dataclass(frozen=True)
class Walk:
    """What the walk chose: `positions` of reports in file order; `superseded` lost their place to a child."""

    positions: tuple[int, ...]
    visits: tuple[Visit, ...]
    superseded: tuple[int, ...]  # communities
    log: tuple[str, ...]


async def select_communities(
    index: Index,
    rate: Rate,
    *,
    level: int | None,
    threshold: int = 1,
    keep_parent: bool = False,
    max_level: int = 2,
) -> Walk:
    """Walk the hierarchy of an index.

    Parameters
    ----------
    rate: asks for the ratings of one report, one a repeat; all reports of a step are asked for at the same time.
    level: reports of deeper levels take no part; None for all.
    threshold: a report rated at or above it is relevant.
    max_level: the deepest level that is rated as a whole while nothing is relevant.
    """
    reports = {report.community: position for position, report in enumerate(index.reports) if _within(report, level)}
    levels = _levels(index, reports)
    log: list[str] = []
    depth = 0 if 0 in levels else min(levels, default=0)
    if depth:
        log.append(f"there is no community of level 0: the walk begins at level {depth}")
    queue = levels.get(depth, [])
    relevant: set[int] = set()
    ever: set[int] = set()
    visits: list[Visit] = []
    once = _circles(index, reports)
    if once:
        log.append(f"the children of {len(once)} communities lead into a circle: each community is rated once")
    rated: set[int] = set(queue)
    while queue:
        answers = await asyncio.gather(*(rate(index.reports[reports[community]]) for community in queue))
        following: list[int] = []
        for community, ratings in zip(queue, answers, strict=True):
            visit = _visit(index, community, index.reports[reports[community]].level, ratings, threshold)
            visits.append(visit)
            log.append(f"community {community} at level {visit.level}: rating {visit.rating}, {visit.decision}")
            if visit.decision != "relevant":
                continue
            relevant.add(community)
            ever.add(community)
            row = index.community_by_number.get(community)
            if row is None:
                continue
            for child in row.children:
                if child in reports:
                    if once and child in rated:
                        continue
                    rated.add(child)
                    following.append(child)
                else:
                    log.append(f"community {child}, a child of {community}, has no report at these levels")
            if not keep_parent and row.parent in relevant:
                relevant.discard(row.parent)
                log.append(f"community {row.parent} leaves: its child {community} is relevant")
        queue = following
        depth += 1
        if not queue and not relevant and depth in levels and depth <= max_level:
            log.append(f"nothing is relevant so far: all {len(levels[depth])} communities of level {depth} are rated")
            queue = levels[depth]
    chosen = tuple(sorted(reports[community] for community in relevant))
    return Walk(chosen, tuple(visits), tuple(sorted(ever - relevant)), tuple(log))


def settle_walk(index: Index, walk: Walk, level: int | None, account: ReportAccount) -> None:
    """Give every report that the walk did not choose its fate: duplicates, rated too low, superseded, never visited."""
    standing = {report.community: position for position, report in enumerate(index.reports)}
    low = {visit.community for visit in walk.visits if visit.decision == "below_threshold"}
    superseded = set(walk.superseded)
    chosen = set(walk.positions)
    for position, report in enumerate(index.reports):
        if position in chosen:
            continue
        key = report_key(position)
        if not _within(report, level):
            account.settle(key, ReportFate.NOT_AT_LEVEL)
        elif standing[report.community] != position:
            account.settle(key, ReportFate.DUPLICATE)
        elif report.community in superseded:
            account.settle(key, ReportFate.SUPERSEDED_BY_CHILD)
        elif report.community in low:
            account.settle(key, ReportFate.BELOW_THRESHOLD)
        else:
            account.settle(key, ReportFate.NOT_VISITED)
    for community in communities_without_report(index):
        deep = level is not None and index.community_by_number[community].level > level
        account.settle(community_key(community), ReportFate.NOT_AT_LEVEL if deep else ReportFate.NO_REPORT)


def vote(ratings: Sequence[float | None]) -> int:
    """The rating with most votes, of a tie the smallest; cut to a whole number. None counts as UNREADABLE."""
    votes = Counter(UNREADABLE if rating is None else rating for rating in ratings)
    if not votes:
        return UNREADABLE
    return int(min(votes, key=lambda rating: (-votes[rating], rating)))


def _visit(index: Index, community: int, level: int, ratings: Sequence[float | None], threshold: int) -> Visit:
    rating = vote(ratings)
    unread = sum(value is None for value in ratings)
    reason = f"rated {rating}, the threshold is {threshold}"
    if unread:
        reason += f"; {share(unread, len(ratings), 'rating')} could not be read and counted as {UNREADABLE}"
    decision = "relevant" if rating >= threshold else "below_threshold"
    return Visit(community, level, tuple(ratings), rating, decision, reason)


def _levels(index: Index, reports: dict[int, int]) -> dict[int, list[int]]:
    """Communities that have a report, by level, in the order of their table."""
    found: dict[int, list[int]] = {}
    with_report = {report.community for report in index.reports}
    for row in index.communities:
        if row.community in with_report:
            here = found.setdefault(row.level, [])
            if row.community in reports:
                here.append(row.community)
    return found


def _circles(index: Index, reports: dict[int, int]) -> set[int]:
    """The communities with a report that are among their own descendants, or lead to such."""
    waiting = {row.community: {child for child in row.children if child in reports} for row in index.communities}
    parents: dict[int, list[int]] = {}
    for community, children in waiting.items():
        for child in children:
            parents.setdefault(child, []).append(community)
    ready = [community for community in {*waiting, *parents} if not waiting.get(community)]
    while ready:  # take away what has no children left
        child = ready.pop()
        waiting.pop(child, None)
        for parent in parents.get(child, ()):
            if parent in waiting:
                waiting[parent].discard(child)
                if not waiting[parent]:
                    ready.append(parent)
    return set(waiting) & set(reports)


def _within(report: ReportRow, level: int | None) -> bool:
    return level is None or report.level <= level
