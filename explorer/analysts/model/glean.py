"""What a second reading of a text unit adds to the first: only what is new is taken."""

from __future__ import annotations

from collections import Counter

from explorer.analysts.model.read_extraction import Found

GLEANINGS_FAILED = "gleanings_failed"
REPEATED = "repeated_by_gleaning"


def add_new(found: Found, gleaned: Found, lost: Counter[str]) -> Found:
    """What was found, then the entities and links of a later reply that it did not have; `lost` counts repetitions.

    A link is the same in either direction. A later reply that repeats what was there adds no second description and
    no strength: it was asked for what is missing, and weights would count how often a model was asked.
    """
    titles = {entity.title for entity in found.entities}
    pairs = {frozenset((link.source, link.target)) for link in found.relationships}
    entities = tuple(entity for entity in gleaned.entities if entity.title not in titles)
    links = tuple(link for link in gleaned.relationships if frozenset((link.source, link.target)) not in pairs)
    repeated = len(gleaned.entities) - len(entities) + len(gleaned.relationships) - len(links)
    if repeated:
        lost[REPEATED] += repeated
    return Found(found.entities + entities, found.relationships + links)
