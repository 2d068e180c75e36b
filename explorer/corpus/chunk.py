"""A document → text units: windows of tokens that overlap, cut between characters.

Source of the algorithm: the token chunker of GraphRAG 3 (o200k_base, 1200 tokens, 100 overlap; the start advances by
size − overlap; the window that reaches the end is the last). One thing differs: a token may end inside a character,
and GraphRAG then writes replacement characters at the edge. Here such an edge moves back to the character's start.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

import numpy as np

from explorer.base.errors import InputError
from explorer.base.ids import content_hash
from explorer.base.tokens import encoding
from explorer.corpus.material import Document, TextUnit

SIZE = 1200
OVERLAP = 100


def check_chunking(size: int, overlap: int) -> None:
    """Raise InputError where windows of `size` tokens with `overlap` would never reach the end of a text."""
    if size < 1:
        raise InputError(f"A text unit needs at least 1 token, not {size}; 1200 is the usual size.")
    if overlap < 0:
        raise InputError(f"The overlap of text units cannot be {overlap}; give 0 or more tokens.")
    if overlap >= size:
        raise InputError(
            f"The overlap of text units ({overlap} tokens) must be smaller than their size ({size}): "
            "otherwise the windows never get to the end of a text."
        )


def chunk(document: Document, *, size: int = SIZE, overlap: int = OVERLAP) -> list[TextUnit]:
    """The text units of a document, in order; none for an empty text.

    `document.text[unit.start:unit.end] == unit.text` for each; together they cover the whole text; `n_tokens` is the
    o200k_base count of the unit's own text. Equal units share an id: `distinct_units` tells those of a folder apart.
    Raises InputError as `check_chunking` does.
    """
    check_chunking(size, overlap)
    first_characters = [first for first, _ in document.pages]
    units: list[TextUnit] = []
    for start, end in spans(document.text, size, overlap):
        text = document.text[start:end]
        place = bisect_right(first_characters, start)
        units.append(
            TextUnit(
                id=content_hash(text),
                document_id=document.id,
                text=text,
                n_tokens=len(encoding("o200k_base").encode_ordinary(text)),
                path=document.path,
                start=start,
                end=end,
                page=document.pages[place - 1][1] if place else None,
            )
        )
    return units


def spans(text: str, size: int, overlap: int) -> Iterator[tuple[int, int]]:
    """(first character, one past the last) of each window; the rules are those of `chunk`."""
    # The tokenizer reads half a surrogate pair as U+FFFD; one for one, so that characters keep their places.
    readable = re.sub("[\ud800-\udfff]", "\ufffd", text)
    tokens = encoding("o200k_base").encode_ordinary(readable)
    if not tokens:
        return
    data = np.frombuffer(readable.encode("utf-8"), dtype=np.uint8)
    opens_character = (data & 0xC0) != 0x80
    lengths = np.fromiter(
        (len(piece) for piece in encoding("o200k_base").decode_tokens_bytes(tokens)), dtype=np.int64, count=len(tokens)
    )
    token_starts = np.concatenate(([0], np.cumsum(lengths)))

    def character(token: int) -> int:
        """The character that the token's first byte belongs to, by its place in the text."""
        byte = int(token_starts[token])
        if byte >= len(data):
            return len(readable)
        return int(characters[byte]) - 1

    characters = np.cumsum(opens_character, dtype=np.int64)
    last: tuple[int, int] | None = None
    for first in range(0, len(tokens), size - overlap):
        after = min(first + size, len(tokens))
        span = (character(first), character(after))
        # Windows shorter than a character can shrink to nothing or repeat the one before.
        if span[0] < span[1] and span != last:
            yield span
            last = span
        if after == len(tokens):
            return
