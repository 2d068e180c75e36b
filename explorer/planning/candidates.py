"""What a text unit may be said to name: the offline analyst's quick reading, as a stand-in's supply of names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from explorer.analysts.judgements import UnitText
from explorer.analysts.offline.extract import extract
from explorer.base.cancel import CancelScope
from explorer.base.events import EventSink, StageProgress
from explorer.corpus.material import TextUnit

FEATURES = ("tokens", "names", "close")
_CLOSE = 200  # characters
_PLACES = 12  # of one name in a unit that are looked at


@dataclass(frozen=True, slots=True)
class Candidate:
    """A title as it stands in one text unit: its first place in the text, how often it stands there, in how many units
    it stands, and whether it is written as names are."""

    title: str
    at: int
    count: int
    spread: int
    is_name: bool


def find_candidates(
    units: Sequence[UnitText], *, sink: EventSink, scope: CancelScope
) -> dict[str, tuple[Candidate, ...]]:
    """The candidates of each unit by its id, by place. Found by patterns, in every language. Raises Cancelled."""

    def progress(event: object, /) -> None:
        if isinstance(event, StageProgress):
            sink(StageProgress("names", event.done, event.total))

    extraction = extract(units, grade="patterns", sink=progress, scope=scope)
    texts = {unit.id: unit.text.casefold() for unit in units}
    found: dict[str, list[Candidate]] = {unit.id: [] for unit in units}
    for entity in extraction.entities:
        needle = entity.title.casefold()
        is_name = entity.title[:1].isupper() or not entity.title[:1].isascii()
        for unit in entity.text_unit_ids:
            at = texts[unit].find(needle)
            count = max(1, texts[unit].count(needle))
            place = at if at >= 0 else len(texts[unit])
            found[unit].append(Candidate(entity.title, place, count, len(entity.text_unit_ids), is_name))
    return {unit: tuple(sorted(rows, key=lambda row: (row.at, row.title))) for unit, rows in found.items()}


def features_of(unit: TextUnit, candidates: Sequence[Candidate]) -> dict[str, float]:
    """What the number of things that a model finds in a unit may depend on: its tokens, how many names it offers, how
    many pairs of them stand close to each other."""
    names = [one for one in candidates if one.is_name]
    text = unit.text.casefold()
    places: list[tuple[int, int]] = []
    for number, name in enumerate(names):
        at, needle = -1, name.title.casefold()
        for _ in range(_PLACES):
            at = text.find(needle, at + 1)
            if at < 0:
                break
            places.append((at, number))
    places.sort()
    pairs: set[tuple[int, int]] = set()
    first = 0
    for at, number in places:
        while places[first][0] < at - _CLOSE:
            first += 1
        pairs.update((min(number, other), max(number, other)) for place, other in places[first:] if place < at)
    pairs = {pair for pair in pairs if pair[0] != pair[1]}
    return {"tokens": unit.n_tokens, "names": len(names), "close": len(pairs)}
