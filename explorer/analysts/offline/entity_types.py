"""The type of a named thing: what the model says, what stands in front of a name, and what its last noun means.

The nouns are common nouns of English by meaning; a noun that stands for a person, a place, an organisation or an event
is also what a reader looks up, so the choice of entities asks here too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from explorer.analysts.offline.words import word_list

PERSON, ORGANIZATION, GEO, EVENT = "PERSON", "ORGANIZATION", "GEO", "EVENT"
WORK, PRODUCT, GROUP, LAW, CONCEPT, NAME = "WORK", "PRODUCT", "GROUP", "LAW", "CONCEPT", "NAME"

FROM_MODEL = {
    "PERSON": PERSON,
    "NORP": GROUP,
    "FAC": GEO,
    "ORG": ORGANIZATION,
    "GPE": GEO,
    "LOC": GEO,
    "PRODUCT": PRODUCT,
    "EVENT": EVENT,
    "WORK_OF_ART": WORK,
    "LAW": LAW,
    "LANGUAGE": CONCEPT,
}

_JOINED = re.compile(r"'| of | and |[,:&]")
_NAMELIKE = frozenset({PERSON, NAME, GEO, ORGANIZATION, GROUP, PRODUCT, WORK})
_FORMS_OF_ADDRESS = word_list("forms_of_address")

_PERSON_NOUNS = word_list("person_nouns")
_PERSON_ENDING = re.compile(
    r"(?:woman|women|man|smen|smith|wright|monger|keeper|maker|master|mistress|eer|[aeioulrnst]ist|ician|crat)s?$"
)
_GEO_NOUNS = word_list("place_nouns")
_GEO_ENDING = re.compile(r"(?:house|room|shop|yard|town|ville|burg|shire)s?$")
_ORGANIZATION_NOUNS = word_list("organization_nouns")
_EVENT_NOUNS = word_list("event_nouns")
_KNOWN = _PERSON_NOUNS | _GEO_NOUNS | _ORGANIZATION_NOUNS | _EVENT_NOUNS


def singular(word: str) -> str:
    """A word without a regular English plural ending; what has none is given back as it is."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    if len(word) > 5 and word.endswith("men"):
        return word[:-3] + "man"
    return {"men": "man", "women": "woman", "children": "child", "wives": "wife", "thieves": "thief"}.get(word, word)


def noun_type(word: str) -> str | None:
    """What a common noun stands for: a person, a place, an organisation, an event; None where it is none of them."""
    low = word.casefold()
    one = singular(low)
    for nouns, kind in (
        (_PERSON_NOUNS, PERSON),
        (_GEO_NOUNS, GEO),
        (_ORGANIZATION_NOUNS, ORGANIZATION),
        (_EVENT_NOUNS, EVENT),
    ):
        if low in nouns or one in nouns:
            return kind
    last = low.rsplit("-", 1)[-1]
    if last != low:
        return noun_type(last)
    if len(low) > 5 and _PERSON_ENDING.search(low):
        return PERSON
    if len(low) > 6 and _GEO_ENDING.search(low):
        return GEO
    return None


def entity_type(folded: str, labels: Mapping[str, int], count: int, named: bool) -> str:
    """The type of an entity.

    Parameters
    ----------
    folded: its title, folded.
    labels: how often the model gave it which of its labels.
    count: how often it stands in the text.
    named: whether the corpus writes it as a name.

    A form of address decides first, then the last noun, then the model's majority (ties by name) where it spoke for a
    sixth of a name's places (half of another's), then CONCEPT for a common noun or NAME for a name that nothing is
    known of.
    """
    words = folded.split()
    if named and len(words) > 1 and words[0].rstrip(".") in _FORMS_OF_ADDRESS:
        return PERSON
    head = words[0] if " of " in folded and words[0] != "of" else words[-1]
    meaning = noun_type(head)
    if meaning is not None and (len(words) > 1 or head in _KNOWN or not named):
        return meaning
    votes: dict[str, int] = {}
    for label, times in labels.items():
        kind = FROM_MODEL.get(label)
        if kind is not None:
            votes[kind] = votes.get(kind, 0) + times
    if votes and sum(votes.values()) * (6 if named else 2) >= count:
        return min(votes, key=lambda kind: (-votes[kind], kind))
    return meaning or (NAME if named else CONCEPT)


def person_names(types: Mapping[str, str]) -> dict[str, str]:
    """The types (by folded title) again, with the names that other names show to be a person's.

    A text that says Mr. Stone once, Maria Stone twice and Stone ten times means persons: a name of one word is a person
    where most longer names with it are, and a longer name of unknown type is one where its last word is.
    """
    found = dict(types)
    for _ in range(2):
        longer: dict[str, list[int]] = {}
        for title, kind in found.items():
            words = title.split()
            if 2 <= len(words) <= 4 and kind in _NAMELIKE and not _JOINED.search(title):
                for word in (words[0], words[-1]):
                    persons = longer.setdefault(word, [0, 0])
                    persons[0] += kind == PERSON
                    persons[1] += kind not in (PERSON, NAME)
        for title, kind in found.items():
            if kind in _NAMELIKE and title in longer and title not in _KNOWN and longer[title][0] > longer[title][1]:
                found[title] = PERSON
        for title, kind in found.items():
            words = title.split()
            if kind == NAME and 2 <= len(words) <= 3 and not _JOINED.search(title) and found.get(words[-1]) == PERSON:
                found[title] = PERSON
    return found
