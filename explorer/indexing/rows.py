"""From what was extracted to the rows of the graph: numbers, ids from content, degrees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from explorer.analysts.judgements import Extraction
from explorer.base.ids import content_uuid
from explorer.tables.rows import EntityRow, RelationshipRow

NO_ENTITY = "relationship_without_entity"


@dataclass(frozen=True)
class GraphRows:
    """Entities sorted by title and relationships sorted by their ends, both numbered from 0."""

    entities: tuple[EntityRow, ...]
    relationships: tuple[RelationshipRow, ...]
    dropped: dict[str, int] = field(default_factory=dict)


def graph_rows(extraction: Extraction) -> GraphRows:
    """Number the entities and relationships of an extraction.

    A degree is the number of distinct neighbours (a loop counts 2), as GraphRAG counts it; `combined_degree` is the
    sum of both ends' degrees. A relationship whose end is no entity is left out and counted.
    """
    found = sorted(extraction.entities, key=lambda entity: entity.title)
    titles = {entity.title for entity in found}
    ends = sorted(extraction.relationships, key=lambda relationship: (relationship.source, relationship.target))
    kept = [item for item in ends if item.source in titles and item.target in titles]
    degrees = _degrees([(item.source, item.target) for item in kept])
    entities = tuple(
        EntityRow(
            id=content_uuid("entity", entity.title),
            number=number,
            title=entity.title,
            type=entity.type,
            description=entity.description,
            text_unit_ids=entity.text_unit_ids,
            frequency=entity.frequency,
            degree=degrees.get(entity.title, 0),
        )
        for number, entity in enumerate(found)
    )
    relationships = tuple(
        RelationshipRow(
            id=content_uuid("relationship", item.source, item.target),
            number=number,
            source=item.source,
            target=item.target,
            description=item.description,
            weight=item.weight,
            combined_degree=degrees[item.source] + degrees[item.target],
            text_unit_ids=item.text_unit_ids,
        )
        for number, item in enumerate(kept)
    )
    left_out = len(ends) - len(kept)
    return GraphRows(entities, relationships, {NO_ENTITY: left_out} if left_out else {})


def _degrees(ends: Sequence[tuple[str, str]]) -> dict[str, int]:
    degrees: dict[str, int] = {}
    for source, target in {(min(pair), max(pair)) for pair in ends}:
        degrees[source] = degrees.get(source, 0) + 1
        degrees[target] = degrees.get(target, 0) + 1
    return degrees
