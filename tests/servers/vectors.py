"""Embeddings of the scripted server: hashed words, signed and summed, of length one; the same for the same text.

Or those of the program's own offline model, where the settings say so.
"""

from __future__ import annotations

import array
import base64
import hashlib
import math
import re
import sys
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

_WORD = re.compile(r"\w+")


@lru_cache(maxsize=200_000)
def _place(word: str) -> tuple[int, float]:
    number = int.from_bytes(hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
    return number >> 1, 1.0 if number & 1 else -1.0


def embed(text: str, dimension: int) -> list[float]:
    """A unit vector of `dimension` numbers. Texts that share words are near each other."""
    vector = [0.0] * dimension
    for word in _WORD.findall(text.lower()) or ["\0"]:
        place, sign = _place(word)
        vector[place % dimension] += sign
    length = math.sqrt(sum(value * value for value in vector))
    if length == 0.0:  # signs that cancel each other: never the zero vector
        vector[_place(text)[0] % dimension] = length = 1.0
    return [value / length for value in vector]


def embed_all(texts: Sequence[str], dimension: int, embedder: str) -> list[Sequence[float]]:
    """A vector of each text. `embedder` is "words" or "offline"; the offline model has a dimension of its own."""
    if embedder != "offline":
        return [embed(text, dimension) for text in texts]
    from explorer.base.cancel import CancelScope
    from explorer.base.events import ignore

    found = _offline_model().embed(texts, sink=ignore, scope=CancelScope())
    return [vector for vector in found if vector is not None]


@lru_cache(maxsize=1)
def _offline_model() -> Any:
    from explorer.analysts.offline.vectors import OfflineEmbedder

    return OfflineEmbedder()


def encoded(vector: Sequence[float], form: str) -> Any:
    """As a list of numbers, or as base64 of little-endian 32-bit floats."""
    if form != "base64":
        return [round(value, 12) for value in vector]
    packed = array.array("f", vector)
    if sys.byteorder == "big":
        packed.byteswap()
    return base64.b64encode(packed.tobytes()).decode("ascii")


def texts_of(value: Any) -> list[str] | None:
    """The texts of an `input`: one text, several, one list of tokens, several; None where it is none of these."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list) and value:
        if all(isinstance(item, str) for item in value):
            return value
        if all(isinstance(item, int) for item in value):
            return [" ".join(map(str, value))]
        if all(isinstance(item, list) for item in value):
            return [" ".join(map(str, item)) for item in value]
    return None
