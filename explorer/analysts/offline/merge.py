"""From the readings of all units to entities and relationships, each title once."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from explorer.analysts.judgements import ExtractedEntity, ExtractedRelationship, UnitText
from explorer.analysts.offline import choosing
from explorer.analysts.offline.cooccurrence import NAME, Pair, PairCounter
from explorer.analysts.offline.definitions import shorten, worth
from explorer.analysts.offline.entity_types import entity_type, person_names
from explorer.analysts.offline.readings import Reading
from explorer.analysts.offline.repeated import repeated_sentences
from explorer.analysts.offline.tally import Candidate, Tally

_ARTICLES = ("the ", "The ", "THE ")
_POSSESSIVE = ("'s", "’s")
_NOWHERE = (-99.0, 0, 0, 0, 0)  # worth, unit, start and end of the sentence, place in it


@dataclass(frozen=True)
class Merged:
    """What the corpus names, both lists sorted by title, and what was left out by reason."""

    entities: tuple[ExtractedEntity, ...]
    relationships: tuple[ExtractedRelationship, ...]
    dropped: dict[str, int]


def merge(units: Sequence[UnitText], readings: Sequence[Reading], corpus: choosing.Corpus) -> Merged:
    """Choose the entities of all units and link them.

    Parameters
    ----------
    readings: one for each unit, in their order.
    corpus: what is known of all units together.
    """
    skipped = repeated_sentences(units, readings)
    tally = Tally()
    for number, (unit, reading) in enumerate(zip(units, readings, strict=True)):
        tally.add(number, unit.text, reading, skipped[number])
    chosen, dropped = choosing.choose(tally, corpus)
    dropped["repeated_lines"] = sum(len(skip) for skip in skipped)
    scoring = choosing.Scoring(tally, corpus)
    return _Linking(units, readings, tally, chosen, skipped).merged(scoring, dropped)


class _Linking:
    """The chosen candidates in their places: descriptions, pairs, rows."""

    def __init__(
        self,
        units: Sequence[UnitText],
        readings: Sequence[Reading],
        tally: Tally,
        chosen: list[int],
        skipped: Sequence[frozenset[int]],
    ) -> None:
        self._units = units
        self._kept = [
            [n for n in range(len(reading.sentences)) if n not in skip]
            for reading, skip in zip(readings, skipped, strict=True)
        ]
        self._readings = readings
        self._candidates = [tally.candidates[number] for number in chosen]
        self._places = tally.places
        self._entity_of = array("l", [-1]) * len(tally.candidates)
        for entity, number in enumerate(chosen):
            self._entity_of[number] = entity
        self._joins = [" and " in candidate.key or " & " in candidate.key for candidate in self._candidates]
        self._units_of: list[list[int]] = [[] for _ in chosen]
        self._best: list[tuple[float, int, int, int, int]] = [_NOWHERE] * len(chosen)

    def merged(self, scoring: choosing.Scoring, dropped: dict[str, int]) -> Merged:
        names = frozenset(n for n, candidate in enumerate(self._candidates) if choosing.is_name(candidate))
        links = [scoring.strength(candidate) for candidate in self._candidates]
        counter = PairCounter(links)
        for number, spans in self._by_unit():
            found = self._sentences(number, spans)
            counter.add_unit(number, [found.get(sentence, []) for sentence in self._kept[number]])
        pairs, lost = counter.pairs()
        titles = [_title(candidate) for candidate in self._candidates]
        types = person_names(
            {
                one.key: entity_type(
                    one.key, one.labels, one.count, n in names or links[n] == NAME or one.lowered * 5 < one.count
                )
                for n, one in enumerate(self._candidates)
            }
        )
        entities = [self._entity(n, titles[n], types[one.key]) for n, one in enumerate(self._candidates)]
        relationships = [self._relationship(pair, titles) for pair in pairs]
        return Merged(
            tuple(sorted(entities, key=lambda entity: entity.title)),
            tuple(sorted(relationships, key=lambda link: (link.source, link.target))),
            {**dropped, **lost},
        )

    def _by_unit(self) -> Iterator[tuple[int, list[tuple[int, int, int, int]]]]:
        """The places of entities in every unit, as (sentence, start, -end, entity)."""
        places = self._places
        index = 0
        for unit in range(len(self._units)):
            spans: list[tuple[int, int, int, int]] = []
            while index < len(places) and places[index + 1] == unit:
                entity = self._entity_of[places[index]]
                if entity >= 0:
                    spans.append((places[index + 2], places[index + 3], -places[index + 4], entity))
                index += 5
            yield unit, spans

    def _sentences(self, number: int, spans: list[tuple[int, int, int, int]]) -> dict[int, list[int]]:
        """The entities of each sentence of a unit, each once, without those that stand inside longer ones."""
        text = self._units[number].text
        sentences = self._readings[number].sentences
        found: dict[int, list[int]] = {}
        outer_end = -1
        for sentence, start, negative_end, entity in sorted(spans):
            end = -negative_end
            known = self._units_of[entity]
            if not known or known[-1] != number:
                known.append(number)
            begin, stop = sentences[sentence]
            value = worth(text[begin:stop], start - begin, end - begin)
            if value > self._best[entity][0]:
                self._best[entity] = (value, number, begin, stop, start - begin)
            inside = end <= outer_end
            if not self._joins[entity]:
                outer_end = max(outer_end, end)
            if inside and text[end : end + 2] not in _POSSESSIVE:
                continue
            here = found.setdefault(sentence, [])
            if entity not in here:
                here.append(entity)
        return found

    def _entity(self, entity: int, title: str, kind: str) -> ExtractedEntity:
        _, unit, begin, stop, at = self._best[entity]
        description = shorten(self._units[unit].text[begin:stop], at) or title
        ids = tuple(dict.fromkeys(self._units[number].id for number in self._units_of[entity]))
        return ExtractedEntity(title, kind, description, ids, len(ids))

    def _relationship(self, pair: Pair, titles: list[str]) -> ExtractedRelationship:
        source, target = sorted((titles[pair.a], titles[pair.b]))
        unit, first, last = pair.shown
        text = self._units[unit].text
        spans = [self._readings[unit].sentences[n] for n in self._kept[unit][first : last + 1]]
        description = " ".join(shorten(text[begin:stop]) for begin, stop in spans)
        ids = tuple(dict.fromkeys(self._units[number].id for number in pair.units))
        return ExtractedRelationship(source, target, description, pair.weight, ids)


def _title(candidate: Candidate) -> str:
    """The most frequent surface; of equals the one with most capitals, then the first in the alphabet.

    A surface all in capitals stands back where a fifth of the places have it in ordinary letters: it is a heading's.
    """
    surfaces = candidate.surfaces
    ordinary = {surface for surface in surfaces if not (surface.isupper() and len(surface) > 5)}
    if sum(surfaces[surface] for surface in ordinary) * 5 < candidate.count:
        ordinary = set(surfaces)

    def rank(surface: str) -> tuple[int, int, str]:
        return -surfaces[surface], -sum(character.isupper() for character in surface), surface

    title = min(ordinary, key=rank)
    return title[4:] if title.startswith(_ARTICLES) and len(title) > 6 else title
