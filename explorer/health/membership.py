"""Which entities and reports stand outside the hierarchy, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from explorer.base.words import agree
from explorer.health.collect import Defects
from explorer.health.report import Defect
from explorer.tables.index import Index
from explorer.tables.rows import EntityRow

UNLINKED = "without a relationship"
OTHER_PART = "not in the largest component"
SELF_ONLY = "with self-loops only"
UNKNOWN = "in the part that was clustered"
UNASKED = "for a reason that the missing table of relationships would tell"
MEMBERLESS = "whose ids no community names, as none names any"

_CLUSTER_ALL = (
    "No report speaks of it: index again with cluster_graph.use_lcc: false in settings.yaml, so that every component "
    "is clustered."
)
_WHY = {
    OTHER_PART: "not in the largest component, the only one clustered",
    SELF_ONLY: "its only relationships are with itself: a component of its own",
    UNKNOWN: "it is linked to entities that have a community, and is in none itself",
    UNASKED: "the table of relationships, which would tell why, was not read",
    MEMBERLESS: "no community names any entity of the table",
}
_REMEDY = {
    OTHER_PART: _CLUSTER_ALL,
    SELF_ONLY: f"{_CLUSTER_ALL} With self-loops only it becomes a community of its own.",
    UNKNOWN: "No report speaks of it: index again, or take entities and communities from the same run.",
    UNASKED: "Bring back the table of relationships, then check again.",
    MEMBERLESS: "Take entities and communities from the same run; before 2.0 the nodes say who is where.",
}


def check_membership(index: Index) -> list[Defect]:
    """Communities without a report, reports without a community or beside another, entities in no community.

    In an index of this program an entity without any relationship to another is in no community by design, and that
    is no defect; in one made elsewhere it is told, with the others that no report speaks of.
    """
    defects = Defects()
    for community in index.communities if index.state("community_reports").state == "read" else ():
        if community.community not in index.report_by_community:
            defects.add(
                "community_without_report",
                f"{community.title} at level {community.level}",
                "No answer speaks of it: index again to have the report written, or ask with --nearest-ancestor.",
            )
    seen: set[int] = set()
    for report in index.reports:
        if index.communities and report.community not in index.community_by_number:
            defects.add(
                "report_without_community",
                f"{report.title} (community {report.community})",
                "It is sent with no weight, or not at all: take both tables from the same run.",
            )
        if report.community in seen:
            defects.add(
                "duplicate_report",
                f"{report.title} (community {report.community})",
                "The first in the file is read: remove the one that is out of date, or index again.",
            )
        seen.add(report.community)
    if index.communities:
        found = [(entity, reason) for entity, reason in outside(index) if reason != UNLINKED or index.foreign]
        related = Counter(reason for _, reason in found if reason not in (UNLINKED, *_by_design(index)))
        for entity, reason in found:
            if reason == UNLINKED:
                defects.add(
                    "entity_without_relationship",
                    f"{entity.title}: no relationship names it, so that no clustering can place it",
                    "No report speaks of it: graphrag query --method basic reads the documents themselves.",
                )
            elif reason in related:
                each = f" (in all {reason_words(related)})" if len(related) > 1 else ""
                remedy = _remedy(related)
                defects.add("entity_without_community", f"{entity.title}: {_WHY[reason]}{each}", remedy)
    if index.communities and index.levels[0] != 0:
        defects.add(
            "no_level_zero",
            f"the first level is {index.levels[0]}",
            "Ask at that level or a deeper one; GraphRAG's dynamic selection fails on it: index again for that.",
        )
    return defects.all()


def reason_words(reasons: Mapping[str, int]) -> str:
    """How many entities are outside for which reason."""
    return "; ".join(f"{number:,} {reason}" for reason, number in sorted(reasons.items()))


def _by_design(index: Index) -> tuple[str, ...]:
    """The reasons, beside UNLINKED, that are none of a defect: this program clusters no entity of self-loops only."""
    return () if index.foreign else (SELF_ONLY,)


def _remedy(reasons: Iterable[str]) -> str:
    """What helps against all of these reasons; where one remedy goes on from another, the longer one."""
    remedies = {_REMEDY[reason] for reason in reasons}
    return " ".join(
        sorted(one for one in remedies if not any(other != one and other.startswith(one) for other in remedies))
    )


def remark_on_entities(index: Index) -> str:
    """What is said beside the entities table: how many stand in no community by design; "" for none."""
    number = sum(reason == UNLINKED for _, reason in outside(index)) if index.communities else 0
    return (
        f"{number:,} of them {agree(number, 'is', 'are')} in no community for want of a relationship" if number else ""
    )


def outside(index: Index) -> list[tuple[EntityRow, str]]:
    """The entities that no community lists, with the reason, in file order."""
    inside = {key for community in index.communities for key in community.entity_ids}
    lost = [entity for entity in index.entities if entity.id not in inside]
    if not lost:
        return []
    if index.state("relationships").state != "read":
        return [(entity, UNASKED) for entity in lost]
    if len(lost) == len(index.entities):
        return [(entity, MEMBERLESS) for entity in lost]
    parts, largest = _parts(index)
    linked = {end for row in index.relationships for end in (row.source, row.target) if row.source != row.target}
    clustered = {parts.get(row.title) for row in index.entities if row.id in inside} - {None}

    def reason(title: str) -> str:
        if title not in parts:
            return UNLINKED
        if title not in linked:
            return SELF_ONLY
        return UNKNOWN if parts[title] == largest or parts[title] in clustered else OTHER_PART

    return [(entity, reason(entity.title)) for entity in lost]


def _parts(index: Index) -> tuple[dict[str, str], str]:
    """For each title that a relationship names, the title that stands for its component; and the largest's."""
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
    parts = {title: find(title) for title in list(leader)}
    sizes = Counter(parts.values()).most_common(1)
    return parts, sizes[0][0] if sizes else ""
