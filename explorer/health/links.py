"""Ids and titles that lead nowhere."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from explorer.health.collect import Defects
from explorer.health.report import Defect
from explorer.tables.index import Index
from explorer.tables.rows import ROOT

_MIXED = "Take all tables from the same run, or index again."
_NO_END = "The row is shown and not clustered: index again; GraphRAG leaves such rows out since 3.0.6."


def check_links(index: Index) -> list[Defect]:
    """Every reference from one table to another that has no row there. A table that is missing is not asked."""
    defects = Defects()
    entities = _known(index, "entities", index.entity_by_id)
    titles = _known(index, "entities", index.entity_by_title)
    relationships = _known(index, "relationships", index.relationship_by_id)
    units = _known(index, "text_units", index.unit_by_id)
    documents = _known(index, "documents", index.document_by_id)
    communities = _known(index, "communities", index.community_by_number)
    claims = _known(index, "covariates", {claim.id for claim in index.claims})

    def look(
        kind: str, where: str, keys: Iterable[object], known: Collection[object] | None, remedy: str = _MIXED
    ) -> None:
        for key in keys if known is not None else ():
            if known is not None and key not in known:
                defects.add(kind, f"{where}: {key}", remedy)

    for community in index.communities:
        look("dangling_entity_id", community.title, community.entity_ids, entities)
        look("dangling_relationship_id", community.title, community.relationship_ids, relationships)
        look("dangling_text_unit_id", community.title, community.text_unit_ids, units)
        look("dangling_child", community.title, community.children, communities)
        look("dangling_parent", community.title, [community.parent] if community.parent != ROOT else [], communities)
    for row in index.relationships:
        look("dangling_relationship_end", f"{row.source} – {row.target}", (row.source, row.target), titles, _NO_END)
        look("dangling_text_unit_id", f"{row.source} – {row.target}", row.text_unit_ids, units)
    for entity in index.entities:
        look("dangling_text_unit_id", entity.title, entity.text_unit_ids, units)
    for unit in index.text_units:
        place = f"text unit {unit.number}"
        look("dangling_entity_id", place, unit.entity_ids, entities)
        look("dangling_relationship_id", place, unit.relationship_ids, relationships)
        look("dangling_claim_id", place, unit.covariate_ids, claims)
        look("dangling_document_id", place, [unit.document_id] if unit.document_id else [], documents)
    for claim in index.claims:
        look(
            "dangling_text_unit_id", f"claim {claim.number}", [claim.text_unit_id] if claim.text_unit_id else [], units
        )
    for document in index.documents:
        look("dangling_text_unit_id", document.title, document.text_unit_ids, units)
    return defects.all()


def _known(index: Index, table: str, rows: Collection[object]) -> Collection[object] | None:
    return rows if index.state(table).state == "read" else None
