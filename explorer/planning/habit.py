"""How a model reads: how many things it names in a text, which ones, how much it says of each.

Before a pilot a habit is assumed, after one it is learnt: of some simple rules by which a reader may choose among the
names of a text, the one is taken that comes closest to what the model named in the pilot's units and to how often it
named the same things again; names that no text offers are added where the model's names repeat themselves less.
"""

from __future__ import annotations

import random
import re
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Literal

from explorer.planning.candidates import FEATURES, Candidate, Supply
from explorer.planning.fit import Features, Fit, best_fit

Order = Literal["place", "count", "spread"]
PairOrder = Literal["sentence", "near", "chain", "hub"]
_ORDERS: Mapping[Order, Callable[[Candidate], tuple[float, float]]] = {
    "place": lambda one: (one.at, -one.count),
    "count": lambda one: (-one.count, one.at),
    "spread": lambda one: (-one.spread, one.at),
}
_SUPPLIES: tuple[tuple[Supply, ...], ...] = (("name",), ("name", "phrase"), ("written",))
_SENTENCE_END = re.compile(r"[.!?\n。！？]")
_FAR = 10**6
_STEPS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8, 1.0)  # shares of own names that are tried


_JOINED, _REPORT, _NONE = Fit(150.0), Fit(900.0), Fit(0.0)


@dataclass(frozen=True)
class Habit:
    """`entities` and `pairs` by the features of a unit (`candidates.features_of`); `order` in which names are taken
    from a text, `supplies` whose (see `Candidate`); `own` the share of titles that stand in no
    list of candidates; `pair_order` which of them are linked first: those of one sentence by its place, those that
    stand closest to each other, each with the next, or the first with all others. The sizes of descriptions, of
    a joined description and of a report are in tokens, the last two by those of their prompt."""

    entities: Fit
    pairs: Fit
    order: Order = "count"
    supplies: tuple[Supply, ...] = ("name", "phrase")
    own: float = 0.0
    pair_order: PairOrder = "near"
    entity_tokens: int = 25
    pair_tokens: int = 17
    joined_tokens: Fit = _JOINED
    report_tokens: Fit = _REPORT
    claims: Fit = _NONE
    gleaned: float = 0.15  # share of the entities and pairs that only a gleaning gives

    def length_of(self, stage: str) -> Fit | None:
        """Output tokens of a call by those of its prompt, for the stages where that is what they depend on."""
        return {"describe": self.joined_tokens, "reports": self.report_tokens}.get(stage)


@dataclass(frozen=True)
class UnitSeen:
    """What a model found in a unit: titles, and pairs of titles."""

    id: str
    titles: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]


def choose_titles(habit: Habit, unit: str, features: Features, candidates: Sequence[Candidate]) -> list[str]:
    """The titles that a reader with this habit names in a unit, the first named first."""
    drawn = random.Random(unit)
    wanted = _rounded(habit.entities.at(features), drawn)
    own = sum(drawn.random() < habit.own for _ in range(wanted))
    offered = [one for one in candidates if one.supply in habit.supplies]
    taken = [one.title for one in sorted(offered, key=_ORDERS[habit.order])[: wanted - own]]
    return taken + [f"{unit[:6]} {number}" for number in range(wanted - len(taken))]


def choose_pairs(
    habit: Habit, unit: str, features: Features, titles: Sequence[str], text: str
) -> list[tuple[str, str]]:
    """The pairs that such a reader links in a unit, the first linked first."""
    drawn = random.Random(unit + "pairs")
    wanted = _rounded(habit.pairs.at(features), drawn)
    folded = text.casefold()
    # A name that the text does not offer stands somewhere in it all the same.
    places = [_places(folded, title.casefold()) or [drawn.randrange(len(text) or 1)] for title in titles]
    ends = [match.start() for match in _SENTENCE_END.finditer(folded)]
    scored = []
    for i in range(len(titles)):
        for j in range(i + 1, len(titles)):
            nearest = min((abs(a - b), max(a, b)) for a in places[i] for b in places[j])
            scored.append((_rank(habit.pair_order, i, j, nearest, ends), i, j))
    return [(titles[i], titles[j]) for _, i, j in sorted(scored)[:wanted]]


def _rank(order: PairOrder, i: int, j: int, nearest: tuple[int, int], ends: Sequence[int]) -> tuple[float, float]:
    distance, place = nearest
    if order == "chain":
        return j - i, i
    if order == "hub":
        return i, j
    if order == "sentence" and bisect(ends, place) == bisect(ends, place - distance):
        return 0, place
    return 1, distance // 100


def learn(
    habit: Habit,
    seen: Sequence[UnitSeen],
    candidates: Mapping[str, Sequence[Candidate]],
    features: Mapping[str, Features],
    texts: Mapping[str, str],
) -> Habit:
    """The habit with everything that units read by a model tell about its names and pairs.

    `habit` gives the lengths, which are learnt elsewhere; `features` and `texts` are those of the units. Without units
    it is returned as it is.
    """
    if not seen:
        return habit
    counted = replace(
        habit,
        entities=best_fit([(features[unit.id], len(unit.titles)) for unit in seen], FEATURES),
        pairs=best_fit([(features[unit.id], len(unit.pairs)) for unit in seen], FEATURES),
    )
    target = Counter(title.casefold() for unit in seen for title in unit.titles)
    truth = {unit.id: {title.casefold() for title in unit.titles} for unit in seen}
    best, least = counted, float("inf")
    for order in _ORDERS:
        for supplies in _SUPPLIES:
            for own in _STEPS:
                tried = replace(counted, order=order, supplies=supplies, own=own)
                loss = _loss(tried, seen, candidates, features, target, truth)
                if loss < least - 1e-9:
                    best, least = tried, loss
    orders: tuple[PairOrder, ...] = ("sentence", "near", "chain", "hub")
    return min(
        (replace(best, pair_order=order) for order in orders), key=lambda one: _pair_loss(one, seen, features, texts)
    )


def _pair_loss(
    habit: Habit, seen: Sequence[UnitSeen], features: Mapping[str, Features], texts: Mapping[str, str]
) -> float:
    """How far the links among the titles that were seen are from those that were seen: distinct ones, titles with any,
    parts into which the graph falls, and the links themselves."""
    made: Counter[tuple[str, ...]] = Counter()
    target: Counter[tuple[str, ...]] = Counter()
    right = wanted = 0
    for unit in seen:
        text = texts[unit.id].casefold()
        titles = sorted(unit.titles, key=lambda title: (text.find(title.casefold()) % _FAR, title))
        links = {_pair(pair) for pair in choose_pairs(habit, unit.id, features[unit.id], titles, text)}
        there = {_pair(pair) for pair in unit.pairs}
        made.update(links)
        target.update(there)
        right += len(links & there)
        wanted += len(there)
    distinct = abs(log((len(made) + 2) / (len(target) + 2)))
    apart = abs(log((_components(made) + 2) / (_components(target) + 2)))
    linked = abs(log((len({end for pair in made for end in pair}) + 2) / (len({e for p in target for e in p}) + 2)))
    return distinct + linked + apart + 0.5 * (1 - right / wanted if wanted else 0.0)


def _components(pairs: Iterable[tuple[str, ...]]) -> int:
    leader: dict[str, str] = {}

    def find(node: str) -> str:
        leader.setdefault(node, node)
        while leader[node] != node:
            leader[node] = leader[leader[node]]
            node = leader[node]
        return node

    for pair in pairs:
        first, second = sorted((find(pair[0]), find(pair[-1])))
        leader[second] = first
    return len({find(node) for node in list(leader)})


def _pair(pair: tuple[str, str]) -> tuple[str, ...]:
    return tuple(sorted(end.casefold() for end in pair))


def _loss(
    habit: Habit,
    seen: Sequence[UnitSeen],
    candidates: Mapping[str, Sequence[Candidate]],
    features: Mapping[str, Features],
    target: Counter[str],
    truth: Mapping[str, set[str]],
) -> float:
    """How far a habit is from what was seen: distinct titles, titles in several units, and the titles themselves."""
    made: Counter[str] = Counter()
    right = wanted = 0
    for unit in seen:
        taken = choose_titles(habit, unit.id, features[unit.id], candidates.get(unit.id, ()))
        titles = {title.casefold() for title in taken}
        made.update(titles)
        right += len(titles & truth[unit.id])
        wanted += len(truth[unit.id])
    distinct = abs(log((len(made) + 1) / (len(target) + 1)))
    again = abs(log((_repeated(made) + 2) / (_repeated(target) + 2)))
    return distinct + 0.5 * again + 0.5 * (1 - right / wanted if wanted else 0.0)


def _repeated(counts: Counter[str]) -> int:
    return sum(1 for number in counts.values() if number > 1)


def _rounded(value: float, drawn: random.Random) -> int:
    whole = int(value)
    return whole + (drawn.random() < value - whole)


def _places(text: str, needle: str) -> list[int]:
    places: list[int] = []
    at = text.find(needle)
    while at >= 0 and len(places) < 8:
        places.append(at)
        at = text.find(needle, at + 1)
    return places
