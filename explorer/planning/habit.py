"""How a model reads: how many things it names in a text, which ones, how much it says of each.

Before a pilot a habit is assumed, after one it is learnt: of some simple rules by which a reader may choose among the
names of a text, the one is taken that comes closest to what the model named in the pilot's units and to how often it
named the same things again; names that no text offers are added where the model's names repeat themselves less.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Literal

from explorer.planning.candidates import Candidate

Order = Literal["place", "count", "spread"]
_ORDERS: Mapping[Order, Callable[[Candidate], tuple[float, float]]] = {
    "place": lambda one: (one.at, -one.count),
    "count": lambda one: (-one.count, one.at),
    "spread": lambda one: (-one.spread, one.at),
}
_STEPS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8, 1.0)  # shares of own names that are tried


@dataclass(frozen=True)
class Line:
    """A number that grows with the tokens of a unit: `base + slope × tokens`, never below `least`."""

    base: float
    slope: float
    least: float = 0.0

    def at(self, tokens: int) -> float:
        return max(self.least, self.base + self.slope * tokens)


@dataclass(frozen=True)
class Habit:
    """`entities` and `pairs` by the tokens of a unit; `order` in which names are taken from a text, `names_only`
    whether only those that are written as names; `own` the share of titles that stand in no list of candidates. The
    sizes of descriptions, of a joined description and of a report are in tokens."""

    entities: Line
    pairs: Line
    order: Order = "count"
    names_only: bool = False
    own: float = 0.0
    entity_tokens: int = 25
    pair_tokens: int = 17
    joined_tokens: int = 150
    report_tokens: int = 900
    claims: Line = Line(0.0, 0.0)
    gleaned: float = 0.15  # share of the entities and pairs that only a gleaning gives


@dataclass(frozen=True)
class UnitSeen:
    """What a model found in a unit: titles, pairs of titles; `tokens` are those of the unit's text."""

    id: str
    tokens: int
    titles: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]


def choose_titles(habit: Habit, unit: str, tokens: int, candidates: Sequence[Candidate]) -> list[str]:
    """The titles that a reader with this habit names in a unit, the first named first."""
    drawn = random.Random(unit)
    wanted = _rounded(habit.entities.at(tokens), drawn)
    own = sum(drawn.random() < habit.own for _ in range(wanted))
    offered = [one for one in candidates if one.is_name] if habit.names_only else candidates
    taken = [one.title for one in sorted(offered, key=_ORDERS[habit.order])[: wanted - own]]
    return taken + [f"{unit[:6]} {number}" for number in range(wanted - len(taken))]


def choose_pairs(habit: Habit, unit: str, tokens: int, titles: Sequence[str], text: str) -> list[tuple[str, str]]:
    """The pairs that it links: those that stand closest to each other in the text first."""
    drawn = random.Random(unit + "pairs")
    wanted = _rounded(habit.pairs.at(tokens), drawn)
    folded = text.casefold()
    places = [_places(folded, title.casefold()) for title in titles]
    scored = []
    for i, source in enumerate(titles):
        for j in range(i + 1, len(titles)):
            near = min((abs(a - b) for a in places[i] for b in places[j]), default=10**6 + 100 * (i + 1) * j)
            scored.append((near // 100, i, j, source, titles[j]))
    return [(source, target) for *_, source, target in sorted(scored)[:wanted]]


def learn(habit: Habit, seen: Sequence[UnitSeen], candidates: Mapping[str, Sequence[Candidate]]) -> Habit:
    """The habit with everything that units read by a model tell about its names and pairs.

    `habit` gives the lengths, which are learnt elsewhere. Without units it is returned as it is.
    """
    read = [unit for unit in seen if unit.tokens > 0]
    if not read:
        return habit
    counted = replace(
        habit,
        entities=fit_line([(unit.tokens, len(unit.titles)) for unit in read]),
        pairs=fit_line([(unit.tokens, len(unit.pairs)) for unit in read]),
    )
    target = Counter(title.casefold() for unit in read for title in unit.titles)
    truth = {unit.id: {title.casefold() for title in unit.titles} for unit in read}
    best, least = counted, float("inf")
    for order in _ORDERS:
        for names_only in (True, False):
            for own in _STEPS:
                tried = replace(counted, order=order, names_only=names_only, own=own)
                loss = _loss(tried, read, candidates, target, truth)
                if loss < least - 1e-9:
                    best, least = tried, loss
    return best


def fit_line(points: Sequence[tuple[int, float]]) -> Line:
    """The least-squares line through (tokens, number); a flat one where the tokens hardly differ or it would fall."""
    n = len(points)
    mean_x = sum(x for x, _ in points) / n
    mean_y = sum(y for _, y in points) / n
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    if n < 5 or spread / n < (0.1 * mean_x) ** 2:
        return Line(mean_y, 0.0)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread
    slope = min(max(slope, 0.0), mean_y / mean_x if mean_x else 0.0)  # neither falling nor below nothing at nothing
    return Line(mean_y - slope * mean_x, slope)


def _loss(
    habit: Habit,
    seen: Sequence[UnitSeen],
    candidates: Mapping[str, Sequence[Candidate]],
    target: Counter[str],
    truth: Mapping[str, set[str]],
) -> float:
    """How far a habit is from what was seen: distinct titles, titles in several units, and the titles themselves."""
    made: Counter[str] = Counter()
    right = wanted = 0
    for unit in seen:
        titles = {title.casefold() for title in choose_titles(habit, unit.id, unit.tokens, candidates.get(unit.id, ()))}
        made.update(titles)
        right += len(titles & truth[unit.id])
        wanted += len(truth[unit.id])
    distinct = abs(log((len(made) + 1) / (len(target) + 1)))
    again = abs(log((_repeated(made) + 2) / (_repeated(target) + 2)))
    return distinct + 0.5 * again + 0.25 * (1 - right / wanted if wanted else 0.0)


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
