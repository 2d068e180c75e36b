"""Terms of scripts without spaces, by statistics alone: strings of characters that hold together and stand freely.

A string is a term where its characters come together far more often than chance has it (its weakest cut decides), and
where many different characters stand before and after it (branching entropy). Source of the method: Sproat and Shih
1990 (mutual information), Jin and Tanaka-Ishii 2006 (branching entropy); the thresholds are our own.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from math import log2

from explorer.analysts.offline.mentions import Kind, Mention
from explorer.analysts.offline.readings import Reading
from explorer.analysts.offline.words import word_list

LONGEST = 5
FEWEST = 4  # times a string must stand in the corpus
COHESION = 4.0  # bits: log2 of how much likelier the string is than its two parts side by side, at the weakest cut
FREEDOM = 1.2  # bits of entropy of the characters before it, and of those after it

_RUN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff々]+|[\u30a0-\u30ff]{2,}")
_EDGES = word_list("han_edges")
_KATAKANA = re.compile(r"[\u30a0-\u30ff]+\Z")


def with_terms(texts: Sequence[str], readings: Sequence[Reading]) -> list[Reading]:
    """The readings with the mentions of the terms that the whole corpus has, where a text has such a script at all."""
    terms = find_terms(texts)
    if not terms:
        return list(readings)
    return [
        Reading(reading.sentences, tuple(_merged(reading.mentions, _mentions(text, reading, terms))))
        for text, reading in zip(texts, readings, strict=True)
    ]


def find_terms(texts: Sequence[str]) -> frozenset[str]:
    """The terms of a corpus."""
    runs: Counter[str] = Counter()
    for text in texts:
        runs.update(_RUN.findall(text))
    characters = sum(len(run) * count for run, count in runs.items())
    if characters < 200:
        return frozenset()
    fewest = max(FEWEST, characters // 60000)
    counts = _strings(runs, fewest)
    before: dict[str, Counter[str]] = defaultdict(Counter)
    after: dict[str, Counter[str]] = defaultdict(Counter)
    for run, count in runs.items():
        for start in range(len(run)):
            for length in range(2, min(LONGEST, len(run) - start) + 1):
                string = run[start : start + length]
                if counts.get(string, 0) < fewest:
                    break
                before[string][run[start - 1] if start else "^"] += count
                after[string][run[start + length] if start + length < len(run) else "$"] += count
    return frozenset(
        string
        for string, count in counts.items()
        if len(string) >= 2
        and count >= fewest
        and (
            _KATAKANA.match(string)
            or (
                string[0] not in _EDGES
                and string[-1] not in _EDGES
                and _cohesion(string, counts, characters) >= COHESION
                and min(_entropy(before[string]), _entropy(after[string])) >= FREEDOM
            )
        )
    )


def _strings(runs: Counter[str], fewest: int) -> dict[str, int]:
    """How often each string of up to LONGEST characters stands; a longer one only where both its parts are frequent."""
    counts: Counter[str] = Counter()
    for run, count in runs.items():
        for character in run:
            counts[character] += count
    for length in range(2, LONGEST + 1):
        found: Counter[str] = Counter()
        for run, count in runs.items():
            for start in range(len(run) - length + 1):
                string = run[start : start + length]
                if length == 2 or (counts[string[:-1]] >= fewest and counts[string[1:]] >= fewest):
                    found[string] += count
        counts.update({string: count for string, count in found.items() if count >= fewest})
    return dict(counts)


def _cohesion(string: str, counts: dict[str, int], total: int) -> float:
    share = counts[string] / total
    return min(
        log2(share / (counts[string[:cut]] / total * (counts[string[cut:]] / total))) for cut in range(1, len(string))
    )


def _entropy(neighbours: Counter[str]) -> float:
    """In bits; the edge of a run is a neighbour of its own each time, for anything may stand there."""
    total = sum(neighbours.values())
    edges = neighbours.get("^", 0) + neighbours.get("$", 0)
    bits = -sum(n / total * log2(n / total) for one, n in sorted(neighbours.items()) if one not in "^$")
    return bits + (edges / total * log2(total) if edges else 0.0)


def _mentions(text: str, reading: Reading, terms: frozenset[str]) -> Iterator[Mention]:
    """The longest terms of each sentence, from left to right."""
    for number, (start, end) in enumerate(reading.sentences):
        for run in _RUN.finditer(text, start, end):
            at = run.start()
            while at < run.end() - 1:
                length = next((n for n in range(min(LONGEST, run.end() - at), 1, -1) if text[at : at + n] in terms), 0)
                if length:
                    yield Mention(number, at, at + length, Kind.TERM)
                at += length or 1


def _merged(mentions: Sequence[Mention], more: Iterator[Mention]) -> list[Mention]:
    return sorted({*mentions, *more}, key=lambda m: (m.start, m.end, m.kind, m.label))
