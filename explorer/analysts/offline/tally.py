"""What the whole corpus says of each candidate: how often, where, in which form, by which rules found."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass, field

from explorer.analysts.offline.entity_types import singular
from explorer.analysts.offline.mentions import Kind
from explorer.analysts.offline.readings import Reading
from explorer.analysts.offline.words import FUNCTION_WORDS, clean, fold, is_capitalised

_SPELLED = frozenset({Kind.NAME, Kind.ENTITY, Kind.TITLE, Kind.HEADING, Kind.DEFINED})  # where capitals mean a name


@dataclass(slots=True)
class Candidate:
    """One folded title. Counts are of places in the text: two rules that find the same place count once."""

    key: str
    count: int = 0
    units: int = 0
    spelled: int = 0  # places where capitals or the model say that it is a name
    lowered: int = 0  # places where it has no capital
    last_unit: int = -1
    kinds: Counter[Kind] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    surfaces: Counter[str] = field(default_factory=Counter)
    inside: int = 0  # places inside a longer candidate
    inside_names: int = 0  # of these, inside a longer name
    around: set[int] = field(default_factory=set)  # the longer candidates that it stood in

    @property
    def standing(self) -> float:
        """How often it stands for itself: its count less the mean count of what it stands inside (C-value's measure).

        Source: Frantzi, Ananiadou and Mima 2000, Automatic recognition of multi-word terms.
        """
        return max(0.0, self.count - (self.inside / len(self.around) if self.around else 0.0))


@dataclass(frozen=True, slots=True)
class _Form:
    """What a stretch of text is as a title; `key` is empty where it is none."""

    surface: str
    key: str
    lowered: bool
    capital: bool


def _form(raw: str) -> _Form:
    surface = clean(raw)
    key = fold(surface)
    if len(key) < 2 or not any(character.isalpha() for character in key):
        key = ""
    return _Form(surface, key, not any(map(is_capitalised, surface.split())), is_capitalised(surface))


class Tally:
    """Counts candidates over the readings of all units, given one after the other in their order.

    `places` holds, flat, (candidate, unit, sentence, start, end) of every place.
    """

    def __init__(self) -> None:
        self.candidates: list[Candidate] = []
        self.places = array("l")
        self.sentences = 0
        self._numbers: dict[str, int] = {}
        self._forms: dict[str, _Form] = {}

    def add(self, unit: int, text: str, reading: Reading, skip: frozenset[int] = frozenset()) -> None:
        """Count one unit; sentences in `skip` (repeated boilerplate) name nothing."""
        self.sentences += len(reading.sentences) - len(skip)
        place: tuple[int, int] | None = None
        number = -1
        kinds: set[Kind] = set()
        spans: list[tuple[int, int, int, bool]] = []
        for mention in reading.mentions:
            if mention.sentence in skip:
                continue
            raw = text[mention.start : mention.end]
            form = self._forms.get(raw)
            if form is None:
                form = self._forms[raw] = _form(raw)
            if form.key == "":
                continue
            if (mention.start, mention.end) != place:
                place = (mention.start, mention.end)
                kinds = set()
                number = self._number(form.key)
                candidate = self.candidates[number]
                candidate.count += 1
                if candidate.last_unit != unit:
                    candidate.last_unit = unit
                    candidate.units += 1
                candidate.surfaces[form.surface] += 1
                if form.lowered:
                    candidate.lowered += 1
                self.places.extend((number, unit, mention.sentence, mention.start, mention.end))
                spans.append((mention.start, -mention.end, number, False))
            candidate = self.candidates[number]
            if mention.label:
                candidate.labels[mention.label] += 1
            if mention.kind not in kinds:
                if mention.kind in _SPELLED and not kinds & _SPELLED and form.capital:
                    candidate.spelled += 1
                kinds.add(mention.kind)
                if mention.kind in _SPELLED or mention.kind == Kind.OPENING:
                    spans[-1] = (*spans[-1][:3], True)
                candidate.kinds[mention.kind] += 1

        self._nest(spans)

    def _nest(self, spans: list[tuple[int, int, int, bool]]) -> None:
        """Note which places of a unit stand inside longer ones."""
        spans.sort()
        open_: list[tuple[int, int, bool]] = []
        for start, negative_end, number, named in spans:
            end = -negative_end
            open_ = [one for one in open_ if one[0] > start]
            outer = [one for one in open_ if one[0] >= end]
            if outer:
                candidate = self.candidates[number]
                candidate.inside += 1
                candidate.inside_names += any(one[2] for one in outer)
                candidate.around.update(one[1] for one in outer)
            open_.append((end, number, named))

    def productivity(self) -> Counter[str]:
        """For each word (singular), in how many different phrases of two to four words it stands."""
        found: Counter[str] = Counter()
        for candidate in self.candidates:
            words = candidate.key.split()
            if 2 <= len(words) <= 4:
                found.update({singular(word) for word in words if word not in FUNCTION_WORDS})
        return found

    def has(self, key: str) -> bool:
        """Whether a folded title is a candidate."""
        return key in self._numbers

    def _number(self, key: str) -> int:
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.candidates)
            self.candidates.append(Candidate(key))
        return number
