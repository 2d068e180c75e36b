"""Which entities and reports stand outside the hierarchy, and why."""

from __future__ import annotations

from explorer.health.collect import Defects
from explorer.health.report import Defect
from explorer.tables.index import Index
from explorer.tables.rows import EntityRow

_UNLINKED = "no relationship"
_OTHER_PART = "in a smaller part of the graph (only the largest was clustered)"
_UNKNOWN = "linked, and yet in no community"


def check_membership(index: Index) -> list[Defect]:
    """Communities without a report, reports without a community or beside another, entities in no community.

    In an index of this program an entity without any relationship is in no community by design, and that is no
    defect; in one made elsewhere it is told, with the others that no report speaks of.
    """
    defects = Defects()
    for community in index.communities:
        if community.community not in index.report_by_community:
            defects.add(
                "community_without_report",
                f"{community.title} at level {community.level}",
                "Its entities reach no global answer at this level; index again to have the report written.",
            )
    seen: set[int] = set()
    for report in index.reports:
        if index.communities and report.community not in index.community_by_number:
            defects.add(
                "report_without_community",
                f"{report.title} (community {report.community})",
                "It is read, but weighs nothing; take both tables from the same run.",
            )
        if report.community in seen:
            defects.add("duplicate_report", f"{report.title} (community {report.community})", "The first one is used.")
        seen.add(report.community)
    if index.communities:
        for entity, reason in outside(index):
            if reason != _UNLINKED:
                defects.add(
                    "entity_without_community",
                    f"{entity.title}: {reason}",
                    "It reaches no report; cluster without the largest-component restriction.",
                )
            elif index.foreign:
                defects.add(
                    "entity_without_relationship",
                    f"{entity.title}: {reason}, so that no clustering can place it",
                    "It reaches no report; basic search alone finds what the documents say of it.",
                )
    if index.communities and index.levels[0] != 0:
        defects.add("no_level_zero", f"the first level is {index.levels[0]}", "Begin at that level.")
    return defects.all()


def remark_on_entities(index: Index) -> str:
    """What is said beside the entities table: how many stand in no community by design; "" for none."""
    number = sum(reason == _UNLINKED for _, reason in outside(index)) if index.communities else 0
    return f"{number} of them in no community: they have no relationship" if number else ""


def outside(index: Index) -> list[tuple[EntityRow, str]]:
    """The entities that no community lists, with the reason, in file order."""
    inside = {key for community in index.communities for key in community.entity_ids}
    linked = {end for row in index.relationships for end in (row.source, row.target) if row.source != row.target}
    parts = _parts(index)
    clustered = {parts.get(row.title) for row in index.entities if row.id in inside} - {None}
    found = []
    for entity in index.entities:
        if entity.id in inside:
            continue
        if entity.title not in linked:
            reason = _UNLINKED
        elif parts.get(entity.title) not in clustered:
            reason = _OTHER_PART
        else:
            reason = _UNKNOWN
        found.append((entity, reason))
    return found


def _parts(index: Index) -> dict[str, str]:
    """For each title that has a relationship, the title that stands for its connected part of the graph."""
    leader: dict[str, str] = {}

    def find(title: str) -> str:
        leader.setdefault(title, title)
        while leader[title] != title:
            leader[title] = leader[leader[title]]
            title = leader[title]
        return title

    for row in index.relationships:
        first, second = find(row.source), find(row.target)
        if first != second:
            leader[max(first, second)] = min(first, second)
    return {title: find(title) for title in list(leader)}
