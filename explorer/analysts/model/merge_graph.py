"""What the replies of all text units found → entities and relationships, each title and each pair once.

Source: GraphRAG's merging (group by title, descriptions kept apart, weights summed), with these differences: one entity
a title whatever types it was given (GraphRAG keeps one a type and later loses all but the first), pairs without a
direction (A to B and B to A are one), and a text unit counts once for an entity however often it names it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from explorer.analysts.judgements import ExtractedClaim, ExtractedEntity, ExtractedRelationship
from explorer.analysts.model.extract import UnitReading

TO_ITSELF = "relationships_to_itself"
UNKNOWN_END = "relationships_with_unknown_end"
OTHER_TYPES = "types_outvoted"
UNLISTED_TYPES = "types_not_listed"
UNKNOWN_SUBJECT = "claims_of_no_entity"


@dataclass(frozen=True)
class MergedGraph:
    """Entities sorted by title, relationships by source and target, claims by text unit and then as they came.

    `dropped` counts what was left out or overruled, by name.
    """

    entities: tuple[ExtractedEntity, ...]
    relationships: tuple[ExtractedRelationship, ...]
    claims: tuple[ExtractedClaim, ...]
    dropped: Counter[str]


@dataclass
class _Gathered:
    units: dict[str, None] = field(default_factory=dict)
    descriptions: set[str] = field(default_factory=set)
    types: Counter[str] = field(default_factory=Counter)
    strengths: list[float] = field(default_factory=list)


def merge_graph(readings: Sequence[UnitReading], entity_types: Collection[str] | None = None) -> MergedGraph:
    """Merge the readings of all text units, given in the order of the units. The order in which replies came in
    changes nothing.

    Parameters
    ----------
    entity_types: the types that were asked for, or None; another type is kept as the model gave it, and counted.

    An entity's type is the one most units give it, of several the first in the alphabet; the votes for others are
    counted. A relationship from a thing to itself and one with an end that no unit lists as an entity are left out
    and counted. A claim whose subject is no entity stays, under the name it was given, and is counted.
    """
    dropped: Counter[str] = Counter()
    entities = _entities(readings)
    links = _links(readings, entities, dropped)
    listed = None if entity_types is None else {kind.strip().upper() for kind in entity_types}
    rows = tuple(_entity(title, entities[title], listed, dropped) for title in sorted(entities))
    pairs = tuple(_relationship(pair, links[pair]) for pair in sorted(links))
    claims = tuple(
        ExtractedClaim(
            claim.subject,
            claim.object,
            claim.type,
            claim.status,
            claim.description,
            claim.start_date,
            claim.end_date,
            claim.source_text,
            reading.unit_id,
        )
        for reading in readings
        for claim in reading.claims
    )
    dropped[UNKNOWN_SUBJECT] += sum(claim.subject not in entities for claim in claims)
    return MergedGraph(rows, pairs, claims, +dropped)  # a count of 0 is no loss


def _entities(readings: Sequence[UnitReading]) -> dict[str, _Gathered]:
    gathered: dict[str, _Gathered] = {}
    for reading in readings:
        votes: set[tuple[str, str]] = set()
        for entity in reading.found.entities:
            entry = gathered.setdefault(entity.title, _Gathered())
            entry.units[reading.unit_id] = None
            if entity.description:
                entry.descriptions.add(entity.description)
            votes.add((entity.title, entity.type))
        for title, kind in votes:
            if kind:
                gathered[title].types[kind] += 1
    return gathered


def _links(
    readings: Sequence[UnitReading], entities: Collection[str], dropped: Counter[str]
) -> dict[tuple[str, str], _Gathered]:
    gathered: dict[tuple[str, str], _Gathered] = {}
    for reading in readings:
        for link in reading.found.relationships:
            if link.source == link.target:
                dropped[TO_ITSELF] += 1
            elif link.source not in entities or link.target not in entities:
                dropped[UNKNOWN_END] += 1
            else:
                first, last = sorted((link.source, link.target))
                entry = gathered.setdefault((first, last), _Gathered())
                entry.units[reading.unit_id] = None
                entry.strengths.append(link.strength)
                if link.description:
                    entry.descriptions.add(link.description)
    return gathered


def _entity(title: str, entry: _Gathered, listed: set[str] | None, dropped: Counter[str]) -> ExtractedEntity:
    kind = min(entry.types, key=lambda name: (-entry.types[name], name), default="")
    dropped[OTHER_TYPES] += entry.types.total() - entry.types[kind]
    if listed is not None and kind and kind not in listed:
        dropped[UNLISTED_TYPES] += 1
    descriptions = tuple(sorted(entry.descriptions))
    return ExtractedEntity(
        title=title,
        type=kind,
        description="\n".join(descriptions),
        text_unit_ids=tuple(entry.units),
        frequency=len(entry.units),
        descriptions=descriptions if len(descriptions) > 1 else (),
    )


def _relationship(pair: tuple[str, str], entry: _Gathered) -> ExtractedRelationship:
    descriptions = tuple(sorted(entry.descriptions))
    return ExtractedRelationship(
        source=pair[0],
        target=pair[1],
        description="\n".join(descriptions),
        weight=math.fsum(entry.strengths),
        text_unit_ids=tuple(entry.units),
        descriptions=descriptions if len(descriptions) > 1 else (),
    )
