"""Several descriptions of one thing as one, each sentence once."""

from __future__ import annotations

from collections.abc import Iterable

from explorer.analysts.offline.sentences import split_sentences
from explorer.analysts.offline.terms import plain

LONGEST = 1200  # characters


def merge_descriptions(title: str, descriptions: Iterable[str]) -> str:
    """The sentences of all descriptions, those that name `title` first, each once, in the order of their text.

    Whole sentences up to 1,200 characters; at least one where there is any.
    """
    seen: dict[str, str] = {}
    for description in sorted(set(descriptions)):
        for start, end in split_sentences(description):
            text = " ".join(description[start:end].split())
            seen.setdefault(plain(text), text)
    name = plain(title)
    ordered = [text for key, text in seen.items() if name in key] + [t for key, t in seen.items() if name not in key]
    shown: list[str] = []
    length = 0
    for text in ordered:
        length += len(text) + 1
        if shown and length > LONGEST:
            break
        shown.append(text)
    return " ".join(shown)
