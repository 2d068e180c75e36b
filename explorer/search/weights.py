"""The occurrence weight of reports: in how many text units the members of their communities stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from explorer.tables.rows import ReportRow

if TYPE_CHECKING:
    from explorer.tables.index import Index


def occurrence_weights(index: Index, reports: Sequence[ReportRow], level: int | None) -> list[float] | None:
    """One weight a report, in their order: distinct text units of the community's entities over the largest one.

    Only communities at or below `level` count, and only entities that stand in the table. None where no entity
    belongs to such a community: the batches then have no column of weights. Where all numbers are 0 the weights
    are 0.0 (GraphRAG divides by zero there). Source: graphrag's build_community_context and indexer adapters.
    """
    wanted = {report.community for report in reports}
    memberships = getattr(index, "memberships", None)
    if memberships is not None:
        counts = memberships.units_of(wanted, level)
        return None if counts is None or not reports else _shares([counts.get(row.community, 0) for row in reports])
    units: dict[int, set[str]] = {}
    anyone = False
    entities = index.entity_by_id
    for row in index.communities:
        if level is not None and row.level > level:
            continue
        members = [entities[entity] for entity in row.entity_ids if entity in entities]
        anyone = anyone or bool(members)
        if row.community in wanted:
            found = units.setdefault(row.community, set())
            for member in members:
                found.update(member.text_unit_ids)
    if not anyone or not reports:
        return None
    return _shares([len(units.get(report.community, ())) for report in reports])


def _shares(numbers: list[int]) -> list[float]:
    most = max(numbers)
    return [number / most if most else 0.0 for number in numbers]
