"""Stage finish: the last columns of text units and documents, and all tables as rows to write."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from explorer.corpus.material import Document, TextUnit
from explorer.indexing.claims import ClaimRows
from explorer.indexing.rows import GraphRows
from explorer.tables.rows import CommunityRow, EntityRow, RelationshipRow, ReportRow

Row = dict[str, Any]


@dataclass(frozen=True)
class FinishedTables:
    """GraphRAG's tables by name, and the spans that lie beside them."""

    tables: dict[str, list[Row]]
    spans: list[Row]


def finish_tables(
    documents: Sequence[Document],
    units: Sequence[TextUnit],
    graph: GraphRows,
    communities: Sequence[CommunityRow],
    reports: Sequence[ReportRow],
    claims: ClaimRows | None = None,
) -> FinishedTables:
    """All tables of an index in GraphRAG 3's schema. Numbers count from 0 in the order of the rows; those of
    communities and reports are the community's. Without claims (None) there is no covariates table.
    """
    claim_ids = claims.ids_by_unit() if claims is not None else {}
    entity_ids = _by_unit(graph.entities)
    relationship_ids = _by_unit(graph.relationships)
    units_of: dict[str, list[str]] = {}
    for unit in units:
        units_of.setdefault(unit.document_id, []).append(unit.id)
    tables = {
        "documents": [_document(number, item, units_of.get(item.id, [])) for number, item in enumerate(documents)],
        "text_units": [
            _unit(
                number,
                item,
                entity_ids.get(item.id, []),
                relationship_ids.get(item.id, []),
                claim_ids.get(item.id, []),
            )
            for number, item in enumerate(units)
        ],
        "entities": [_entity(item) for item in graph.entities],
        "relationships": [_relationship(item) for item in graph.relationships],
        "communities": [_community(item) for item in communities],
        "community_reports": [_report(item) for item in reports],
    }
    if claims is not None:
        tables["covariates"] = [item.row() for item in claims.rows]
    spans = [
        {
            "text_unit_id": item.id,
            "document_id": item.document_id,
            "path": item.path,
            "start": item.start,
            "end": item.end,
            "page": item.page,
        }
        for item in units
    ]
    return FinishedTables(tables, spans)


def _by_unit(rows: Iterable[EntityRow] | Iterable[RelationshipRow]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in rows:
        for unit in dict.fromkeys(row.text_unit_ids):
            found.setdefault(unit, []).append(row.id)
    return found


def _document(number: int, item: Document, unit_ids: list[str]) -> Row:
    return {
        "id": item.id,
        "human_readable_id": number,
        "title": item.title,
        "text": item.text,
        "text_unit_ids": unit_ids,
        "creation_date": item.creation_date,
        "raw_data": None if item.raw_data is None else {"source": item.raw_data},
    }


def _unit(number: int, item: TextUnit, entity_ids: list[str], relationship_ids: list[str], claim_ids: list[str]) -> Row:
    return {
        "id": item.id,
        "human_readable_id": number,
        "text": item.text,
        "n_tokens": item.n_tokens,
        "document_id": item.document_id,
        "entity_ids": entity_ids,
        "relationship_ids": relationship_ids,
        "covariate_ids": claim_ids,
    }


def _entity(item: EntityRow) -> Row:
    return {
        "id": item.id,
        "human_readable_id": item.number,
        "title": item.title,
        "type": item.type,
        "description": item.description,
        "text_unit_ids": list(item.text_unit_ids),
        "frequency": item.frequency,
        "degree": item.degree,
    }


def _relationship(item: RelationshipRow) -> Row:
    return {
        "id": item.id,
        "human_readable_id": item.number,
        "source": item.source,
        "target": item.target,
        "description": item.description,
        "weight": item.weight,
        "combined_degree": item.combined_degree,
        "text_unit_ids": list(item.text_unit_ids),
    }


def _community(item: CommunityRow) -> Row:
    return {
        "id": item.id,
        "human_readable_id": item.community,
        "community": item.community,
        "level": item.level,
        "parent": item.parent,
        "children": list(item.children),
        "title": item.title,
        "entity_ids": list(item.entity_ids),
        "relationship_ids": list(item.relationship_ids),
        "text_unit_ids": list(item.text_unit_ids),
        "period": item.period,
        "size": item.size,
    }


def _report(item: ReportRow) -> Row:
    return {
        "id": item.id,
        "human_readable_id": item.community,
        "community": item.community,
        "level": item.level,
        "parent": item.parent,
        "children": list(item.children),
        "title": item.title,
        "summary": item.summary,
        "full_content": item.full_content,
        "rank": item.rank,
        "rating_explanation": item.rating_explanation,
        "findings": [{"explanation": finding.explanation, "summary": finding.summary} for finding in item.findings],
        "full_content_json": item.full_content_json,
        "period": item.period,
        "size": item.size,
    }
