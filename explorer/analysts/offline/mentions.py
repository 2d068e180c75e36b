"""A mention: a place in a text unit where something is named, and how it was found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """How a mention was found; the letters are what readings are stored with."""

    NAME = "N"  # a run of capitalised words inside a sentence
    OPENING = "O"  # capitalised, but where any word would be: at the start of a sentence, in a heading in capitals
    TITLE = "T"  # a run joined by small words (Networks for Single-Pixel Imaging)
    HEADING = "H"  # a whole heading, or the value of a line `Title: value`
    ENTITY = "E"  # named by the model
    OWNED = "S"  # what somebody or something has: Maria's brother
    DEFINED = "D"  # a phrase with its abbreviation in brackets after it
    QUOTED = "Q"
    PHRASE = "P"  # a noun phrase of several words
    NOUN = "W"  # one noun
    ADDRESS = "U"
    TERM = "C"  # characters of a script without spaces that hold together


@dataclass(frozen=True, slots=True)
class Mention:
    """`start` and `end` are characters of the unit; `sentence` counts the unit's sentences from 0."""

    sentence: int
    start: int
    end: int
    kind: Kind
    label: str = ""  # the model's type, where it gave one
