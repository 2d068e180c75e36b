"""Passages of text units that name members of a community: what findings are made of.

A passage is one sentence or a few beside each other. The reader splits every unit once and keeps what it found.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from explorer.analysts.judgements import MemberRelationship, MemberUnit
from explorer.analysts.offline.sentences import split_sentences
from explorer.analysts.offline.terms import plain, terms
from explorer.analysts.offline.words import fold

WANTED = 260  # characters that give a sentence enough beside it to be understood
LONGEST = 520  # characters of a passage
SHORT = 25  # characters of a sentence that does not stand for itself
_SPACE = re.compile(r"\s+")
_FRAGMENT = re.compile(r"[.!?。！？…;；]+")
_ENDED = re.compile(r"[.!?。！？…:][\"'”’»」』）)\]*_]*$")
_OPENED = re.compile(r"^[\"'“‘«„「『（(\[*_]*[^\W_]")
_DENSE_GAP = re.compile(r"(?<=[。！？；…，、”」』])\s(?=[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff“「『])")
_BULLET = re.compile(r"^(?:#{1,6}|[-*•–|>])\s+")


@dataclass(frozen=True, slots=True)
class Sentence:
    text: str  # single spaces
    terms: tuple[str, ...]  # each once
    letters: int  # letters and white space
    whole: bool  # begins and ends as a sentence does


@dataclass(frozen=True, slots=True)
class _Unit:
    sentences: tuple[Sentence, ...]
    plain: str  # of all sentences, one after the other
    starts: tuple[int, ...]  # where each begins in `plain`


@dataclass(frozen=True)
class Passage:
    """Sentences `start` to `end` (exclusive) of a unit; `members` are positions in the list of members asked for.

    What is shown of it is worked out when it is asked for: most passages are weighed and never shown.
    """

    unit: MemberUnit
    start: int
    end: int
    members: frozenset[int]
    worth: float
    raw: str

    @cached_property
    def text(self) -> str:
        return tidy(self.raw)

    @cached_property
    def fragments(self) -> frozenset[str]:
        return frozenset(self._parts)

    @property
    def repeats_itself(self) -> bool:
        return len(self._parts) != len(self.fragments)

    @cached_property
    def _parts(self) -> list[str]:
        return fragments(self.text)


class PassageReader:
    """Splits units, finds names in their sentences, and weighs passages. Keeps the sentences for the next community."""

    def __init__(self) -> None:
        self._units: dict[str, _Unit] = {}
        self._frequency: Counter[str] = Counter()
        self._count = 0
        self._folded: dict[str, str] = {}
        self._told: dict[str, tuple[float, ...]] = {}

    def add(self, units: Iterable[MemberUnit]) -> None:
        """Take units into the statistics that weigh words. Add all of a level before weighing any."""
        for unit in units:
            if unit.id not in self._units:
                self._units[unit.id] = read = _read(unit.text)
                self._count += len(read.sentences)
                for sentence in read.sentences:
                    self._frequency.update(sentence.terms)
                self._told.clear()  # every word may weigh otherwise now

    def folded(self, unit: MemberUnit) -> str:
        """The text of a unit as names are compared."""
        if unit.id not in self._folded:
            self._folded[unit.id] = fold(unit.text)
        return self._folded[unit.id]

    def rarity(self, term: str) -> float:
        """ln((n + 1) / (f + 0.5)): n sentences read, f of them with the term."""
        return math.log((self._count + 1) / (self._frequency[term] + 0.5))

    def passages(
        self, titles: Sequence[str], standing: Sequence[Collection[str]], units: Sequence[MemberUnit], least: int = 2
    ) -> list[Passage]:
        """The passages of some units that name at least `least` of some titles, in the order of the text.

        `standing` holds the ids of the units that each title stands in. Each passage begins at another sentence and
        is as short as it can be and still be understood.
        """
        self.add(units)
        names = [plain(title) for title in titles]
        inside: dict[str, list[int]] = {}
        for member, ids in enumerate(standing):
            for name in ids if names[member].strip() else ():
                inside.setdefault(name, []).append(member)
        found: list[Passage] = []
        for unit in units:
            named: dict[int, set[int]] = {}
            read = self._units[unit.id]
            for member in inside.get(unit.id, ()):
                for at in _mentions(names[member], read):
                    named.setdefault(at, set()).add(member)
            if len(named) and len(set().union(*named.values())) >= least:
                passages = (self._passage(unit, at, named, least) for at in sorted(named))
                found += [passage for passage in passages if passage is not None]
        return found

    def from_link(self, link: MemberRelationship, pair: tuple[int, int], unit: MemberUnit) -> Passage:
        """The sentence that a relationship carries as its description, as a passage of the unit that shows it."""
        return Passage(unit, -1, -1, frozenset(pair), 0.0, " ".join(link.description.split()))

    def _passage(self, unit: MemberUnit, at: int, named: dict[int, set[int]], least: int) -> Passage | None:
        sentences = self._units[unit.id].sentences
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
        raw = " ".join(sentence.text for sentence in sentences[at:end])
        return Passage(unit, at, end, frozenset(members), self._worth(unit, at, end), raw)

    def _worth(self, unit: MemberUnit, start: int, end: int) -> float:
        """More rare words, sentences that begin and end, letters rather than figures: worth showing to a reader."""
        told = self._told.get(unit.id)
        sentences = self._units[unit.id].sentences
        if told is None:
            told = tuple(math.fsum(map(self.rarity, sentence.terms)) for sentence in sentences)
            self._told[unit.id] = told
        chosen = sentences[start:end]
        length = sum(len(sentence.text) for sentence in chosen)
        words = sum(len(sentence.terms) for sentence in chosen)
        whole = sum(sentence.whole for sentence in chosen) / len(chosen)
        letters = sum(sentence.letters for sentence in chosen) / max(1, length)
        worth = math.fsum(told[start:end]) / math.sqrt(20 + words)
        return worth * (0.3 + 0.7 * whole) * (1.0 if letters > 0.8 else 0.4) * (1.0 if length > 60 else 0.5)


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


def _mentions(name: str, unit: _Unit) -> Iterator[int]:
    """The sentences of a unit that hold a name, given as `plain` gives it; a sentence may come twice."""
    at = unit.plain.find(name)
    while at >= 0:
        yield bisect_right(unit.starts, at) - 1
        at = unit.plain.find(name, at + 1)


def _read(text: str) -> _Unit:
    sentences = tuple(_sentence(text, *span) for span in split_sentences(text))
    plains = [plain(sentence.text) for sentence in sentences]
    # A line feed between two keeps a name from being found across their border.
    starts = tuple(accumulate((len(words) + 1 for words in plains[:-1]), initial=0)) if plains else ()
    return _Unit(sentences, "\n".join(plains), starts)


def _sentence(text: str, start: int, end: int) -> Sentence:
    words = _SPACE.sub(" ", text[start:end]).strip()
    begun = _OPENED.match(words)
    first = words[begun.end() - 1] if begun else ""
    whole = bool(begun) and not first.islower() and bool(_ENDED.search(words))
    letters = sum(map(str.isalpha, words)) + words.count(" ")
    return Sentence(words, tuple(dict.fromkeys(terms(words))), letters, whole)
