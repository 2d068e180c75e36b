"""A reply of extraction → what one text unit names and how it links it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from explorer.analysts.model.load_reply import load_reply
from explorer.analysts.model.reading import Fields, Notes, drop_cut_item, items_of, only_object
from explorer.analysts.model.texts import LONGEST_TITLE, fold_title, read_number
from explorer.models.calls import Reading

STRONGEST = 100.0  # the prompt asks for 1 to 10; a model that counts to 100 keeps its own scale, none may outweigh all

_ENTITIES = ("entities", "entity", "nodes")
_RELATIONSHIPS = ("relationships", "relationship", "relations", "edges", "links")
_NAMES = frozenset((*_ENTITIES, *_RELATIONSHIPS))
_TITLE = ("title", "name", "entity_name", "entity", "label")
_TYPE = ("type", "entity_type", "category", "kind")
_DESCRIPTION = ("description", "entity_description", "relationship_description", "desc", "summary")
_SOURCE = ("source", "source_entity", "source_title", "from", "subject", "head")
_TARGET = ("target", "target_entity", "target_title", "to", "object", "tail")
_STRENGTH = ("strength", "weight", "relationship_strength", "score")


@dataclass(frozen=True)
class FoundEntity:
    """An entity as one reply names it; title and type are folded."""

    title: str
    type: str
    description: str


@dataclass(frozen=True)
class FoundRelationship:
    """A link as one reply gives it, its ends folded, in the reply's direction."""

    source: str
    target: str
    description: str
    strength: float


@dataclass(frozen=True)
class Found:
    """All that one reply, or the replies of one conversation, found in a text unit, in the reply's order."""

    entities: tuple[FoundEntity, ...] = ()
    relationships: tuple[FoundRelationship, ...] = ()


def read_extraction(text: str) -> Reading:
    """Read a reply under the schema entity_extraction; `value` is Found. Never raises.

    Two empty lists are an honest answer. A reply of which nothing can be used is MALFORMED. Names that models use in
    place of the fields' own are taken; a strength that is no number above 0 counts 1.
    """
    loaded = load_reply(text, _NAMES)
    notes = Notes(loaded)
    if loaded.reason:
        return notes.malformed(loaded.reason)
    value = only_object(loaded.value, _NAMES, notes)
    if loaded.ending == "cut" and drop_cut_item(value):
        notes.lost["items_cut_off"] += 1
    lists = _lists(value, notes)
    if lists is None:
        return notes.malformed(
            "The reply has neither entities nor relationships: retry it; if it happens often, choose a model that "
            "follows a JSON schema."
        )
    entities = [entity for item in lists[0] if (entity := _entity(item, notes)) is not None]
    relationships = [link for item in lists[1] if (link := _relationship(item, notes)) is not None]
    if not entities and not relationships:
        if loaded.ending != "closed":
            return notes.malformed(
                "The reply was cut off before its first entity: raise the model's limit of output tokens or make the "
                "text units smaller, then retry it."
            )
        if notes.lost:
            return notes.malformed("Nothing that the reply lists can be used: open the call to see it, and retry it.")
    return notes.reading(Found(tuple(entities), tuple(relationships)))


def _lists(value: Any, notes: Notes) -> tuple[list[Any], list[Any]] | None:
    """The entities and the relationships of a reply, or None where it is about something else."""
    if isinstance(value, dict):
        fields = Fields(value, notes)
        if not fields.has(_ENTITIES) and not fields.has(_RELATIONSHIPS):
            return None
        return items_of(fields.get(_ENTITIES), "title", notes), items_of(fields.get(_RELATIONSHIPS), "", notes)
    links = [item for item in value if isinstance(item, dict) and Fields(item, notes).has(_SOURCE)]
    things = [item for item in value if not (isinstance(item, dict) and Fields(item, notes).has(_SOURCE))]
    if not links and not any(isinstance(item, dict) and Fields(item, notes).has(_TITLE) for item in things):
        return None
    notes.mended["list in place of an object"] += 1
    return things, links


def _entity(item: Any, notes: Notes) -> FoundEntity | None:
    if isinstance(item, str):
        notes.mended["name in place of an entity"] += 1
        item = {"title": item}
    if not isinstance(item, dict):
        notes.lost["items_of_wrong_type"] += 1
        return None
    fields = Fields(item, notes)
    title = fold_title(fields.text(_TITLE))
    if not title:
        notes.lost["entities_without_title"] += 1
        return None
    if len(title) > LONGEST_TITLE:
        notes.lost["entities_with_overlong_title"] += 1
        return None
    kind = fold_title(fields.text(_TYPE))
    if not kind or len(kind) > LONGEST_TITLE:
        notes.lost["types_missing"] += 1
        kind = ""
    return FoundEntity(title, kind, fields.text(_DESCRIPTION))


def _relationship(item: Any, notes: Notes) -> FoundRelationship | None:
    if not isinstance(item, dict):
        notes.lost["items_of_wrong_type"] += 1
        return None
    fields = Fields(item, notes)
    source, target = fold_title(fields.text(_SOURCE)), fold_title(fields.text(_TARGET))
    if not source or not target:
        notes.lost["relationships_without_an_end"] += 1
        return None
    return FoundRelationship(source, target, fields.text(_DESCRIPTION), _strength(fields.get(_STRENGTH), notes))


def _strength(given: Any, notes: Notes) -> float:
    number = read_number(given)
    if number is None or number <= 0:  # communities are made from weights above 0
        notes.lost["strengths_not_readable"] += 1
        return 1.0
    if not isinstance(given, int | float):
        notes.mended["strength given as text"] += 1
    if number > STRONGEST:
        notes.lost["strengths_cut_to_100"] += 1
        return STRONGEST
    return number
