"""Which reports stand for a level: the roll-up, and every report at or below it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from explorer.base.errors import InputError
from explorer.base.fates import ReportFate
from explorer.base.ledger import Account
from explorer.base.words import agree, share
from explorer.tables.empty_cells import empty_cells
from explorer.tables.rows import CommunityRow, ReportRow

if TYPE_CHECKING:
    from explorer.tables.index import Index

ReportAccount = Account[ReportFate]
_STATES = {"missing": "is missing", "unreadable": "cannot be read"}


@dataclass(frozen=True)
class Selection:
    """The reports that a level sends on, as row positions in the table of reports, in file order.

    `stands_for` names, for the report at a position, the communities without a report that it speaks for.
    """

    positions: tuple[int, ...]
    stands_for: dict[int, tuple[int, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def report_key(position: int) -> Hashable:
    """How the account of reports names a row of the table."""
    return ("report", position)


def community_key(community: int) -> Hashable:
    """How the account of reports names a community that has no report."""
    return ("community", community)


def open_account(index: Index) -> ReportAccount:
    """Count the candidates from the tables: every row of the reports, and every community that has none."""
    account = ReportAccount("report")
    account.expect(report_key(position) for position in range(len(index.reports)))
    account.expect(community_key(community) for community in communities_without_report(index))
    return account


def communities_without_report(index: Index) -> list[int]:
    """Communities that no report belongs to, each once, in file order."""
    return [community for community in index.community_by_number if community not in index.report_by_community]


def first_reports(index: Index, account: ReportAccount) -> dict[int, int]:
    """Community → position of its first report in file order. Later reports of a community end as duplicates."""
    first: dict[int, int] = {}
    for position, report in enumerate(index.reports):
        if report.community in first:
            account.settle(report_key(position), ReportFate.DUPLICATE)
        else:
            first[report.community] = position
    return first


def deepest_communities(index: Index, level: int | None) -> dict[str, int]:
    """Entity id → its deepest community at or below a level (of two at one depth, the one of higher number).

    Source: GraphRAG up to 1.2, where each entity named its highest community number.
    """
    deepest: dict[str, tuple[int, int]] = {}
    for row in index.community_by_number.values():
        if level is not None and row.level > level:
            continue
        place = (row.level, row.community)
        for entity in row.entity_ids:
            if entity not in deepest or place > deepest[entity]:
                deepest[entity] = place
    return {entity: community for entity, (_, community) in deepest.items()}


def roll_up(index: Index, level: int | None, account: ReportAccount, *, nearest_ancestor: bool = False) -> Selection:
    """The reports of each entity's deepest community at or below `level` (None: of all levels).

    Settles in `account` what is not sent on: duplicates, communities and reports that are no entity's deepest
    (`not_at_level`), deepest communities without a report (`no_report`; with `nearest_ancestor` the closest ancestor
    that has one stands for them, and they end as `not_at_level`).

    Raises InputError where the index has reports but no community that names an entity.
    """
    first = first_reports(index, account)
    wanted, outside, anyone = _wanted(index, level)
    if first and not anyone:
        raise InputError(
            f"{_why_no_members(index)}, so its reports cannot be rolled up to a level; "
            "nothing was asked. Take every report at or below the level instead (--reports at_or_below)."
        )
    sent = {community for community in wanted if community in first}
    stands_for: dict[int, list[int]] = {}
    for community in communities_without_report(index):
        if community not in wanted:
            account.settle(community_key(community), ReportFate.NOT_AT_LEVEL)
            continue
        ancestor = _ancestor_with_report(index, community, first) if nearest_ancestor else None
        if ancestor is None:
            account.settle(community_key(community), ReportFate.NO_REPORT)
        else:
            account.settle(community_key(community), ReportFate.NOT_AT_LEVEL)
            sent.add(ancestor)
            stands_for.setdefault(first[ancestor], []).append(community)
    for community, position in first.items():
        if community not in sent:
            account.settle(report_key(position), ReportFate.NOT_AT_LEVEL)
    positions = tuple(sorted(first[community] for community in sent))
    notes = _outside_note(outside, index.state("entities").rows if outside else 0)
    return Selection(positions, {at: tuple(found) for at, found in stands_for.items()}, notes)


def _why_no_members(index: Index) -> str:
    """Why no entity is known to be in a community: what cannot be read says nothing of its rows."""
    state = index.state("communities")
    if state.state == "read":
        return f"No community of {index.name} names its entities"
    return f"The table communities of {index.name} {_STATES[state.state]} ({state.reason})"


def _wanted(index: Index, level: int | None) -> tuple[set[int], int, bool]:
    """Communities that are some entity's deepest, entities in none, and whether any community names an entity."""
    memberships = getattr(index, "memberships", None)
    if memberships is not None:
        return (*memberships.deepest(level), len(memberships.entity) > 0)
    deepest = deepest_communities(index, level)
    outside = sum(1 for entity in index.entities if entity.id not in deepest)
    return set(deepest.values()), outside, any(row.entity_ids for row in index.communities)


def at_or_below(index: Index, level: int | None, account: ReportAccount) -> Selection:
    """Every report at or below `level` whose community stands in the table, parents and children alike.

    Two reports of one community are both sent, and of communities that bear one title that of the highest number
    alone, as GraphRAG does since 2.0. Settles in `account` the reports of other levels and communities
    (`not_at_level`) and the communities without a report (`no_report`, or `not_at_level` where they lie deeper).
    Without a table of communities the reports' own level decides, and a note says so.
    """
    known = index.community_by_number
    standing = standing_communities(index, level) if index.communities else None
    positions = _positions(index, level, standing)
    chosen = set(positions)
    for position in range(len(index.reports)):
        if position not in chosen:
            account.settle(report_key(position), ReportFate.NOT_AT_LEVEL)
    for community in communities_without_report(index):
        if _within(known[community], level):
            account.settle(community_key(community), ReportFate.NO_REPORT)
        else:
            account.settle(community_key(community), ReportFate.NOT_AT_LEVEL)
    if standing is None:
        notes = ("The index has no table of communities: the level of each report decided.",) if index.reports else ()
        return Selection(positions, {}, notes)
    within = {row.community for row in known.values() if _within(row, level)}
    return Selection(positions, {}, _hidden_note(within - standing))


def positions_within(index: Index, level: int | None) -> tuple[int, ...]:
    """The positions of the reports that GraphRAG takes for a level, in file order (see `at_or_below`)."""
    return _positions(index, level, standing_communities(index, level) if index.communities else None)


def _positions(index: Index, level: int | None, standing: set[int] | None) -> tuple[int, ...]:
    return tuple(
        position
        for position, report in enumerate(index.reports)
        if _within(report, level) and (standing is None or report.community in standing)
    )


def standing_communities(index: Index, level: int | None) -> set[int]:
    """The communities at or below a level that GraphRAG knows: of those with one title the highest number, and none
    without a title. Its tables give each its own, so that these are all."""
    nameless = empty_cells(index, "communities", ("title",), len(index.communities)).get("title", frozenset())
    named: dict[str, int] = {}
    for place, row in enumerate(index.communities):
        if _within(row, level) and place not in nameless:
            named[row.title] = max(row.community, named.get(row.title, row.community))
    return set(named.values())


def ranked(index: Index, positions: tuple[int, ...], minimum: float, account: ReportAccount) -> tuple[int, ...]:
    """The positions whose report has a rank of at least `minimum`; the others end as `below_min_rank`."""
    kept: list[int] = []
    for position in positions:
        rank = index.reports[position].rank
        if rank is not None and rank >= minimum:
            kept.append(position)
        else:
            account.settle(report_key(position), ReportFate.BELOW_MIN_RANK)
    return tuple(kept)


def _within(row: ReportRow | CommunityRow, level: int | None) -> bool:
    return level is None or row.level <= level


def _ancestor_with_report(index: Index, community: int, first: dict[int, int]) -> int | None:
    seen = {community}
    row = index.community_by_number.get(community)
    while row is not None and row.parent not in seen:
        if row.parent in first:
            return row.parent
        seen.add(row.parent)
        row = index.community_by_number.get(row.parent)
    return None


def _hidden_note(hidden: set[int]) -> tuple[str, ...]:
    if not hidden:
        return ()
    return (
        f"{len(hidden):,} communities have no title, or that of another with a higher number: GraphRAG leaves out "
        "their reports.",
    )


def _outside_note(outside: int, entities: int) -> tuple[str, ...]:
    if not outside:
        return ()
    return (
        f"{share(outside, entities, 'entity', 'entities')} {agree(outside, 'is', 'are')} in no community "
        f"at or below the level: no report names {agree(outside, 'it', 'them')}.",
    )
