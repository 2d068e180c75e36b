"""What a text unit may be said to name: the offline analyst's quick reading, as a stand-in's supply of names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from explorer.analysts.judgements import UnitText
from explorer.analysts.offline.extract import extract
from explorer.base.cancel import CancelScope
from explorer.base.events import EventSink, StageProgress
from explorer.corpus.material import TextUnit

FEATURES = ("tokens", "names", "close")
_CLOSE = 200  # characters
_PLACES = 12  # of one name in a unit that are looked at


Supply = Literal["name", "phrase", "written"]
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_LONGEST = 4  # words of a run


@dataclass(frozen=True, slots=True)
class Candidate:
    """A title as it stands in one text unit: its first place in the text, how often it stands there, in how many units
    it stands, and whose it is: of what the offline analyst finds a "name" or a "phrase", or "written" as names are in
    the text itself, whatever it is."""

    title: str
    at: int
    count: int
    spread: int
    supply: Supply


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
        supply: Supply = "name" if entity.title[:1].isupper() or not entity.title[:1].isascii() else "phrase"
        for unit in entity.text_unit_ids:
            at = texts[unit].find(needle)
            count = max(1, texts[unit].count(needle))
            place = at if at >= 0 else len(texts[unit])
            found[unit].append(Candidate(entity.title, place, count, len(entity.text_unit_ids), supply))
    for unit, rows in _written(units).items():
        found[unit].extend(rows)
    return {unit: tuple(sorted(rows, key=lambda row: (row.at, row.title))) for unit, rows in found.items()}


def _written(units: Sequence[UnitText]) -> dict[str, list[Candidate]]:
    """Runs of words with a capital, by unit. A word alone counts where the folder hardly ever writes it small."""
    small: Counter[str] = Counter()
    runs: dict[str, dict[str, list[int]]] = {}  # unit → run → places
    for unit in units:
        here: dict[str, list[int]] = {}
        words = list(_WORD.finditer(unit.text))
        small.update(word.group() for word in words if word.group().islower())
        at = 0
        while at < len(words):
            stop = at
            while stop < len(words) and stop - at < _LONGEST and _joined(unit.text, words, at, stop):
                stop += 1
            if stop > at:
                here.setdefault(unit.text[words[at].start() : words[stop - 1].end()], []).append(words[at].start())
            at = max(stop, at + 1)
        runs[unit.id] = here
    total: Counter[str] = Counter()
    spread: Counter[str] = Counter()
    for here in runs.values():
        spread.update(here.keys())
        total.update({run: len(places) for run, places in here.items()})
    kept = {run for run in spread if " " in run or total[run] > 2 * small[run.casefold()]}
    return {
        unit: [Candidate(run, at[0], len(at), spread[run], "written") for run, at in here.items() if run in kept]
        for unit, here in runs.items()
    }


def _joined(text: str, words: Sequence[re.Match[str]], first: int, at: int) -> bool:
    """Whether a word belongs to the run that begins with the word `first`."""
    word = words[at].group()
    if not word[0].isupper() or len(word) < 2:
        return False
    return at == first or text[words[at - 1].end() : words[at].start()] == " "


def features_of(unit: TextUnit, candidates: Sequence[Candidate]) -> dict[str, float]:
    """What the number of things that a model finds in a unit may depend on: its tokens, how many names it offers, how
    many pairs of them stand close to each other."""
    names = [one for one in candidates if one.supply == "name"]
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
