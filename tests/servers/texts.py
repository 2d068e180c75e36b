"""What the scripted model sees in a text: sentences, names, what they are, and how long it goes on about them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from tests.servers.settings import share

_SENTENCE = re.compile(r"[^.!?。！？\n]*[^.!?。！？\n\s][^.!?。！？\n]*[.!?。！？]?")
_NAME = re.compile(
    r"[A-ZÀ-ÖØ-Þ][\w'’-]+(?:\s(?:of|the|de|van|von|and the)\s[A-ZÀ-ÖØ-Þ][\w'’-]+|\s[A-ZÀ-ÖØ-Þ][\w'’-]+){0,3}"
)
_WRAPPED = re.compile(r"(?<!\n)\r?\n(?!\s*\n)")
_HAN = re.compile(r"[\u4e00-\u9fff]{2,3}")
_OPENERS = frozenset(
    "A About After All Also Although An And Any As At Because Before Both But By Can Could Did Do Does During "
    "Each Even Every For From Had Has Have He Her Here His How However I If In Into Is It Its Let Like Many May "
    "More Most Much My Never No Nor Not Nothing Now Of On Once One Only Or Other Our Out Over Perhaps She Should "
    "Since So Some Still Such Than That The Their Then There These They This Those Though Through Thus To Under "
    "Until Upon Was We Were What When Where Whether Which While Who Why Will With Would Yes Yet You Your Am Are "
    "Be Been Me Him Them Us".split()
)
_WORD = re.compile(r"[^\W\d_]{3,}")
TYPES = ("person", "organization", "geo", "event")
_HINTS = (
    ("geo", ("city", "river", "island", "country", "sea", "mount", "street", "republic", "kingdom", "states")),
    (
        "organization",
        ("company", "council", "ministry", "university", "committee", "congress", "army", "union", "agency"),
    ),
    ("event", ("war", "treaty", "election", "revolution", "conference", "battle", "act", "day", "festival")),
)


def sentences(text: str) -> list[str]:
    """The sentences of a text, each with some letter in it. A line feed ends one only where a line is empty."""
    whole = _WRAPPED.sub(" ", text)
    return [found.strip() for found in _SENTENCE.findall(whole) if _WORD.search(found) or _HAN.search(found)]


@lru_cache(maxsize=20_000)
def names(sentence: str) -> tuple[str, ...]:
    """Capitalised sequences of words in a sentence, each once, in order; Chinese by runs of two or three characters."""
    found: dict[str, None] = {}
    for match in _NAME.finditer(sentence):
        words = [word.removesuffix("'s").removesuffix("’s").strip("'’-") for word in match.group().split()]
        while words and (words[0] in _OPENERS or "'" in words[0] or "’" in words[0]):
            words.pop(0)
        if words and len(" ".join(words)) > 2 and words[-1] not in _OPENERS:
            found.setdefault(" ".join(words))
    if not found:
        found = dict.fromkeys(_HAN.findall(sentence)[:4])
    return tuple(found)


def kind(name: str, types: Sequence[str] = TYPES) -> str:
    """A type for a name, from those offered: by a word in it where one tells, else by the name alone."""
    lowered = name.lower()
    for type_, hints in _HINTS:
        if any(hint in lowered for hint in hints):
            for offered in types:
                if offered.lower() == type_:
                    return offered
    return types[int(share("type", name) * len(types))]


def factor(text: str) -> float:
    """How much the model has to say about a text: 0.5 to 1.5, by its beginning, so that a change further on does
    not change how long the whole reply is."""
    return 0.5 + share("length", text[:120])


def clipped(text: str, words: int) -> str:
    """The first words of a text."""
    parts = text.split()
    return text if len(parts) <= words else " ".join(parts[:words]) + " …"


def words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)}
