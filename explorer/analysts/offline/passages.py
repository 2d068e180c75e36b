"""Passages of text units that name members of a community: what findings are made of.

A passage is one sentence or a few beside each other. The reader splits every unit once and keeps what it found.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from explorer.analysts.judgements import MemberRelationship, MemberUnit
from explorer.analysts.offline.sentences import split_sentences
from explorer.analysts.offline.terms import plain, terms

WANTED = 260  # characters that give a sentence enough beside it to be understood
LONGEST = 520  # characters of a passage
SHORT = 25  # characters of a sentence that does not stand for itself
_SPACE = re.compile(r"\s+")
_FRAGMENT = re.compile(r"[.!?。！？…;；]+")
_ENDED = re.compile(r"[.!?。！？…:][\"'”’»」』）)\]*_]*$")
_OPENED = re.compile(r"^[\"'“‘«„「『（(\[*_]*[^\W_]")
_DENSE_GAP = re.compile(r"(?<=[。！？；…，、”」』])\s(?=[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff“「『])")
_BULLET = re.compile(r"^(?:#{1,6}|[-*•–|>])\s+")


@dataclass(frozen=True)
class Sentence:
    text: str  # single spaces
    plain: str
    terms: frozenset[str]
    whole: bool  # begins and ends as a sentence does


@dataclass(frozen=True)
class Passage:
    """Sentences `start` to `end` (exclusive) of a unit; `members` are positions in the list of members asked for."""

    unit: MemberUnit
    start: int
    end: int
    members: frozenset[int]
    text: str
    fragments: frozenset[str]
    worth: float


class PassageReader:
    """Splits units, finds names in their sentences, and weighs passages. Keeps both for the next community."""

    def __init__(self) -> None:
        self._sentences: dict[str, list[Sentence]] = {}
        self._mentions: dict[tuple[str, str], tuple[int, ...]] = {}
        self._frequency: Counter[str] = Counter()
        self._count = 0

    def add(self, units: Iterable[MemberUnit]) -> None:
        """Take units into the statistics that weigh words. Add all of a level before weighing any."""
        for unit in units:
            if unit.id not in self._sentences:
                self._sentences[unit.id] = found = [_sentence(unit.text, *span) for span in split_sentences(unit.text)]
                self._count += len(found)
                for sentence in found:
                    self._frequency.update(sentence.terms)

    def sentences(self, unit: MemberUnit) -> list[Sentence]:
        self.add([unit])
        return self._sentences[unit.id]

    def rarity(self, term: str) -> float:
        """ln((n + 1) / (f + 0.5)): n sentences read, f of them with the term."""
        return math.log((self._count + 1) / (self._frequency[term] + 0.5))

    def mentions(self, title: str, unit: MemberUnit) -> tuple[int, ...]:
        """The sentences of a unit that name a title, as whole words in any case."""
        key = (title, unit.id)
        if key not in self._mentions:
            name = plain(title)
            found = [at for at, sentence in enumerate(self.sentences(unit)) if name.strip() and name in sentence.plain]
            self._mentions[key] = tuple(found)
        return self._mentions[key]

    def passages(self, titles: Sequence[str], units: Sequence[MemberUnit], least: int = 2) -> list[Passage]:
        """The passages of some units that name at least `least` of some titles, in the order of the text.

        Each begins at another sentence and is as short as it can be and still be understood.
        """
        found: list[Passage] = []
        for unit in units:
            named: dict[int, set[int]] = {}
            for member, title in enumerate(titles):
                for at in self.mentions(title, unit):
                    named.setdefault(at, set()).add(member)
            for at in sorted(named):
                passage = self._passage(unit, at, named, least)
                if passage is not None:
                    found.append(passage)
        return found

    def from_link(self, link: MemberRelationship, pair: tuple[int, int], unit: MemberUnit) -> Passage:
        """The sentence that a relationship carries as its description, as a passage of the unit that shows it."""
        text = tidy(" ".join(link.description.split()))
        return Passage(unit, -1, -1, frozenset(pair), text, frozenset(fragments(text)), 0.0)

    def _passage(self, unit: MemberUnit, at: int, named: dict[int, set[int]], least: int) -> Passage | None:
        sentences = self.sentences(unit)
        members: set[int] = set()
        end, length = at, 0
        while end < len(sentences) and end < at + 6:
            longer = length + len(sentences[end].text) + 1
            if end > at and longer > (LONGEST if len(members) >= least else 2 * LONGEST):
                break
            if len(members) >= least and (length >= WANTED or not sentences[end].whole):
                break
            if len(members) < least and end >= at + 3:
                break
            members |= named.get(end, set())
            length, end = longer, end + 1
        # A short cry at the end belongs to what follows it.
        if end - at > 1 and len(sentences[end - 1].text) < SHORT and not named.get(end - 1):
            end -= 1
        if len(members) < least or end == at:
            return None
        chosen = sentences[at:end]
        text = tidy(" ".join(sentence.text for sentence in chosen))
        parts = fragments(text)
        if len(parts) != len(set(parts)):
            return None
        return Passage(unit, at, end, frozenset(members), text, frozenset(parts), self._worth(chosen, text))

    def _worth(self, sentences: Sequence[Sentence], text: str) -> float:
        """More rare words, sentences that begin and end, letters rather than figures: worth showing to a reader."""
        words = frozenset().union(*(sentence.terms for sentence in sentences))
        # Sorted, because a sum of floats depends on its order and the order of a set on the process.
        told = sum(sorted(self.rarity(word) for word in words)) / math.sqrt(20 + len(words))
        whole = sum(sentence.whole for sentence in sentences) / len(sentences)
        letters = sum(character.isalpha() or character.isspace() for character in text) / max(1, len(text))
        return told * (0.3 + 0.7 * whole) * (1.0 if letters > 0.8 else 0.4) * (1.0 if len(text) > 60 else 0.5)


def fragments(text: str) -> list[str]:
    """The parts of a text between stops, as plain words; parts of a single word are left out.

    Two texts that share a fragment would say the same sentence twice.
    """
    parts = (plain(part).strip() for part in _FRAGMENT.split(text))
    return [part for part in parts if " " in part]


def tidy(text: str) -> str:
    """A passage as it is shown: a double quote that has no partner is taken away, and marks of Markdown."""
    text = _BULLET.sub("", text).replace("**", "")
    if text.count('"') % 2:
        at = text.find('"') if text.startswith('"') and text.count('"') == 1 else text.rfind('"')
        if text.endswith('"') and text.count('"') == 1:
            at = len(text) - 1
        text = text[:at] + text[at + 1 :]
    for opening, closing in (("“", "”"), ("„", "“")):
        if opening == "„" and "„" not in text:
            continue
        if text.count(opening) == text.count(closing) + 1 and text.startswith(opening):
            text = text[1:]
        elif text.count(closing) == text.count(opening) + 1 and text.endswith(closing):
            text = text[:-1]
    # Square brackets are kept for references.
    text = _SPACE.sub(" ", text.replace("[", "(").replace("]", ")")).strip()
    return _DENSE_GAP.sub("", text)


def _sentence(text: str, start: int, end: int) -> Sentence:
    words = _SPACE.sub(" ", text[start:end]).strip()
    begun = _OPENED.match(words)
    first = words[begun.end() - 1] if begun else ""
    whole = bool(begun) and not first.islower() and bool(_ENDED.search(words))
    return Sentence(words, plain(words), frozenset(terms(words)), whole)
