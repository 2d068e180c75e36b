"""The words that tell one passage from another: rare in the collection, and no part of the names beside them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from explorer.analysts.offline.terms import is_small, stem, tokens

_WORD = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*")


def keywords(texts: Sequence[str], names: Sequence[str], rarity: Callable[[str], float], most: int = 3) -> list[str]:
    """At most `most` words of some texts, rarest and most repeated first, as they stand there.

    Scripts without spaces give none: their words cannot be told apart without a dictionary.
    """
    known = {stem(token) for name in names for token in tokens(name)}
    weights: dict[str, float] = {}
    surface: dict[str, str] = {}
    for text in texts:
        for match in _WORD.finditer(text):
            word = match.group().removesuffix("'s").removesuffix("’s")
            folded = word.casefold()
            contracted = "'" in word or "’" in word
            if (
                len(word) < 4
                or contracted
                or is_small(folded)
                or not _spaced(word)
                or {stem(t) for t in tokens(word)} & known
            ):
                continue
            key = stem(folded)
            weights[key] = weights.get(key, 0.0) + rarity(key)
            surface.setdefault(key, word)
            if word.islower():
                surface[key] = surface[key] if surface[key].islower() else word
    best = sorted(weights, key=lambda key: (-weights[key], key))[:most]
    return [surface[key] for key in best]


def _spaced(word: str) -> bool:
    return len(tokens(word)) <= 3 and max(map(len, tokens(word)), default=0) > 1
