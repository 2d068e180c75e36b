"""The words that tell one passage from another: rare in the collection, and no part of the names beside them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from explorer.analysts.offline.terms import is_dense, terms

_WORD = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*")


def keywords(texts: Sequence[str], known: frozenset[str], rarity: Callable[[str], float], most: int = 3) -> list[str]:
    """At most `most` words of some texts, rarest and most repeated first, as they stand there; `known` are the terms of
    words that are not told again.

    Scripts without spaces give none: their words cannot be told apart without a dictionary.
    """
    weights: dict[str, float] = {}
    surface: dict[str, str] = {}
    for text in texts:
        for match in _WORD.finditer(text):
            word = match.group().removesuffix("'s").removesuffix("’s")
            found = terms(word)
            if (
                len(word) < 4
                or "'" in word
                or "’" in word
                or not found
                or not known.isdisjoint(found)
                or is_dense(word)
            ):
                continue
            key = found[0] if len(found) == 1 else word.casefold()
            weights[key] = weights.get(key, 0.0) + rarity(key)
            surface.setdefault(key, word)
            if word.islower():
                surface[key] = surface[key] if surface[key].islower() else word
    best = sorted(weights, key=lambda key: (-weights[key], key))[:most]
    return [surface[key] for key in best]
