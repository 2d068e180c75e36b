"""Stage communities: the clusters of the graph as rows, with what is inside each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from explorer.base.ids import content_uuid
from explorer.graph.leiden import Hierarchy
from explorer.indexing.rows import GraphRows
from explorer.tables.rows import CommunityRow, RelationshipRow

NO_RELATIONSHIP = "community_without_relationship"


@dataclass(frozen=True)
class Communities:
    """Communities by their number; `dropped` counts clusters that became none, by reason."""

    rows: tuple[CommunityRow, ...]
    dropped: dict[str, int] = field(default_factory=dict)


def build_communities(hierarchy: Hierarchy, graph: GraphRows, period: str) -> Communities:
    """The rows of the communities table.

    A relationship belongs to every community that holds both its ends; a community's text units are those of its
    relationships. A cluster without a relationship inside (a single entity) becomes no community, as in GraphRAG; it
    is counted, and its entities stay in the parent. `period` is the day the index was made.
    """
    by_title = {entity.title: entity for entity in graph.entities}
    inner = _inner_relationships(hierarchy, graph.relationships)
    kept = [cluster for cluster in hierarchy.clusters if inner[cluster.community]]
    children: dict[int, list[int]] = {}
    for cluster in kept:
        if cluster.parent >= 0:
            children.setdefault(cluster.parent, []).append(cluster.community)
    rows = []
    for cluster in kept:
        members = sorted((by_title[title] for title in cluster.titles), key=lambda entity: entity.number)
        relationships = inner[cluster.community]
        rows.append(
            CommunityRow(
                id=content_uuid("community", str(cluster.level), *sorted(cluster.titles)),
                community=cluster.community,
                level=cluster.level,
                parent=cluster.parent,
                children=tuple(sorted(children.get(cluster.community, ()))),
                title=f"Community {cluster.community}",
                entity_ids=tuple(entity.id for entity in members),
                relationship_ids=tuple(sorted({item.id for item in relationships})),
                text_unit_ids=tuple(sorted({unit for item in relationships for unit in item.text_unit_ids})),
                period=period,
                size=len(members),
            )
        )
    rows.sort(key=lambda row: row.community)
    lost = len(hierarchy.clusters) - len(kept)
    return Communities(tuple(rows), {NO_RELATIONSHIP: lost} if lost else {})


def _inner_relationships(
    hierarchy: Hierarchy, relationships: Sequence[RelationshipRow]
) -> dict[int, list[RelationshipRow]]:
    """For each cluster the relationships with both ends inside. Clusters of one level share no entity."""
    inner: dict[int, list[RelationshipRow]] = {cluster.community: [] for cluster in hierarchy.clusters}
    levels: dict[int, dict[str, int]] = {}
    for cluster in hierarchy.clusters:
        levels.setdefault(cluster.level, {}).update(dict.fromkeys(cluster.titles, cluster.community))
    for home in levels.values():
        for item in relationships:
            community = home.get(item.source)
            if community is not None and home.get(item.target) == community:
                inner[community].append(item)
    return inner
