"""A reply of claim extraction → the claims of one text unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from explorer.analysts.model.load_reply import load_reply
from explorer.analysts.model.reading import Fields, Notes, drop_cut_item, items_of, only_object
from explorer.analysts.model.texts import LONGEST_TITLE, fold_title
from explorer.models.calls import Reading

STATUSES = ("TRUE", "FALSE", "SUSPECTED")

_CLAIMS = ("claims", "claim", "covariates")
_NAMES = frozenset(_CLAIMS)
_SUBJECT = ("subject", "subject_entity", "subject_id", "entity")
_OBJECT = ("object", "object_entity", "object_id")
_TYPE = ("type", "claim_type", "category")
_STATUS = ("status", "claim_status")
_DESCRIPTION = ("description", "claim_description", "claim")
_START = ("start_date", "claim_start_date", "start", "date")
_END = ("end_date", "claim_end_date", "end")
_SOURCE = ("source_text", "claim_source_text", "source", "quote")
_NOTHING = frozenset(("NONE", "N/A", "NULL", "UNKNOWN", "-"))


@dataclass(frozen=True)
class FoundClaim:
    """A claim as one reply makes it; subject, object and type are folded, "" where the reply does not say."""

    subject: str
    object: str
    type: str
    status: str
    description: str
    start_date: str
    end_date: str
    source_text: str


def read_claims(text: str) -> Reading:
    """Read a reply under the schema claim_extraction; `value` is a tuple of FoundClaim. Never raises.

    An empty list is an honest answer; a reply of which nothing can be used is MALFORMED. A claim needs a subject and
    a description; a status that is none of the three is left empty and counted.
    """
    loaded = load_reply(text, _NAMES)
    notes = Notes(loaded)
    if loaded.reason:
        return notes.malformed(loaded.reason)
    value = only_object(loaded.value, _NAMES, notes)
    if loaded.ending == "cut" and drop_cut_item(value):
        notes.lost["items_cut_off"] += 1
    items = _items(value, notes)
    if items is None:
        return notes.malformed(
            "The reply has no list of claims: retry it; if it happens often, choose a model that follows a JSON schema."
        )
    claims = tuple(claim for item in items if (claim := _claim(item, notes)) is not None)
    if not claims and loaded.ending != "closed":
        return notes.malformed(
            "The reply was cut off before its first claim: raise the model's limit of output tokens or make the text "
            "units smaller, then retry it."
        )
    if not claims and notes.lost:
        return notes.malformed("No claim of the reply can be used: open the call to see it, and retry it.")
    return notes.reading(claims)


def _items(value: Any, notes: Notes) -> list[Any] | None:
    if isinstance(value, dict):
        fields = Fields(value, notes)
        if fields.has(_SUBJECT):
            notes.mended["one claim in place of a list"] += 1
            return [value]
        return items_of(fields.get(_CLAIMS), "", notes) if fields.has(_CLAIMS) else None
    if value and not any(isinstance(item, dict) and Fields(item, notes).has(_SUBJECT) for item in value):
        return None
    notes.mended["list in place of an object"] += 1
    return list(value)


def _claim(item: Any, notes: Notes) -> FoundClaim | None:
    if not isinstance(item, dict):
        notes.lost["items_of_wrong_type"] += 1
        return None
    fields = Fields(item, notes)
    subject, description = fold_title(fields.text(_SUBJECT)), fields.text(_DESCRIPTION)
    if subject in _NOTHING or not subject or len(subject) > LONGEST_TITLE:
        notes.lost["claims_without_subject"] += 1
        return None
    if not description:
        notes.lost["claims_without_description"] += 1
        return None
    status = fold_title(fields.text(_STATUS))
    if status not in STATUSES:
        notes.lost["claim_statuses_not_readable"] += 1
        status = ""
    return FoundClaim(
        subject=subject,
        object=_or_nothing(fold_title(fields.text(_OBJECT))),
        type=_or_nothing(fold_title(fields.text(_TYPE))),
        status=status,
        description=description,
        start_date=_or_nothing(fields.text(_START)),
        end_date=_or_nothing(fields.text(_END)),
        source_text=_or_nothing(fields.text(_SOURCE)),
    )


def _or_nothing(text: str) -> str:
    """The text, or "" for the words by which models say that there is nothing."""
    return "" if text.upper() in _NOTHING else text
