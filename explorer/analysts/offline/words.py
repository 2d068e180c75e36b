"""Words of a text as places in it, their folded form, and the words that name nothing.

The fold is the identity of an entity: case, white space, quotes and a leading a, an or the do not count.
"""

from __future__ import annotations

import re

from explorer.base.paths import resource

WORD = re.compile(
    r"(?:https?://|www\.)[^\s<>\"')\]]+"  # addresses
    r"|[\w.+-]+@[\w-]+\.[\w.-]*\w"
    r"|(?:[A-Z]\.){2,}"  # U.S.
    r"|[^\W_]+(?:(?:['’\-‐‑&@+^/·]|\.(?=\d)|_)[^\W_]+)*\+{0,2}"
)
_EDGE = " \t\n,;:!?\"'“”‘’«»„‚`*_"
_FOLDED = str.maketrans({"’": "'", "‘": "'", **dict.fromkeys('"“”«»„`', "")})
_ARTICLE = re.compile(r"\A(?:the|an|a)\s+(?=\S)")


def word_list(name: str) -> frozenset[str]:
    """The words of resources/words/<name>.txt; lines that begin with # are remarks."""
    lines = resource("words", f"{name}.txt").read_text("utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


FUNCTION_WORDS = word_list("function")

PALE_NOUNS = word_list("pale_nouns")

CALENDAR = word_list("calendar")


def clean(surface: str) -> str:
    """A surface with single spaces and without quotes and punctuation around it."""
    return " ".join(surface.split()).strip(_EDGE).lstrip("%#$•–—=/>)]} ")


def fold(surface: str) -> str:
    """The identity of a title: case folded, white space single, no quotes, no leading a, an or the."""
    text = " ".join(surface.split()).casefold().translate(_FOLDED).strip(" '")
    return _ARTICLE.sub("", text, count=1)


def is_capitalised(word: str) -> bool:
    """Whether a word looks like a name: an upper-case letter first, or one anywhere (nuScenes, 3D, iPhone)."""
    return word[:1].isupper() or (word.lower() != word and "://" not in word)


def is_coined(word: str) -> bool:
    """Whether no sentence gives a word this form: capitals inside (nuScenes, McCoy), or with digits (3D, GPT-4)."""
    inner = word[1:]
    return (any(c.isupper() for c in inner) and not word.isupper()) or (
        any(c.isdigit() for c in word) and any(c.isupper() for c in word)
    )


def is_contraction(word: str) -> bool:
    """I'm, we've, don't, he'll: a function word with what was cut off after the apostrophe."""
    stem, mark, rest = word.casefold().replace("’", "'").partition("'")
    return bool(mark) and (stem in FUNCTION_WORDS or rest == "t") and len(rest) <= 2
