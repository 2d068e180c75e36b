"""Texts of replies made fit for a table: names folded so that equal ones meet, control characters out, numbers read."""

from __future__ import annotations

import html
import math
import re
import unicodedata

from explorer.base.valid_text import valid_text

LONGEST_TITLE = 300  # characters; a longer "name" is a sentence that lost its way
LONGEST_TEXT = 20_000  # characters of one description; a reply that says more of one thing is broken

# C0 and C1 without white space, the marks that turn the direction of writing, and the byte order mark.
_CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ufeff]")
_SPACES = re.compile(r"[^\S\n]+")
_PARAGRAPHS = re.compile(r" ?\n[ \n]*")
_NUMBER = re.compile(r"([+-]?\d{1,300}(?:[.,]\d{1,300})?)(?:\s*(?:/|out of)\s*\d+)?\s*%?\.?")


def one_line(text: str) -> str:
    """A text as it is, on one line: control characters out, white space single. For rows of a prompt."""
    return " ".join(_CONTROL.sub("", valid_text(text)).split())


def clean_line(text: str) -> str:
    """A text as one line: HTML escapes undone once, control characters out, white space single, composed (NFC).

    GraphRAG undoes and removes the same; it joins the words around a removed line feed, we part them with a space.
    """
    return unicodedata.normalize("NFC", " ".join(_bare(text).split()))


def clean_paragraphs(text: str) -> str:
    """As `clean_line`, but paragraphs stay apart, with one blank line between them."""
    lines = _bare(text).replace("\r\n", "\n").replace("\r", "\n")
    return unicodedata.normalize("NFC", _PARAGRAPHS.sub(_break, _SPACES.sub(" ", lines)).strip())


def fold_title(text: str) -> str:
    """The name under which an entity is kept: one clean line in upper case, as GraphRAG folds names and types.

    A model writes one name in many ways over hundreds of passages; upper case lets them meet, and tables that
    GraphRAG reads must have it, because its clustering puts names into upper case and would not find others again.
    Quotation marks around the whole name are left out.
    """
    line = clean_line(text)
    if len(line) > 2 and line[0] == line[-1] == '"' and '"' not in line[1:-1]:
        line = line[1:-1].strip()
    return unicodedata.normalize("NFC", line.upper())


def read_number(value: object) -> float | None:
    """A finite number from a number or the text of one ("7", "7.5", "7,5", "7/10"), else None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        found = _NUMBER.fullmatch(value.strip())
        value = float(found.group(1).replace(",", ".")) if found else None
    if isinstance(value, int):
        try:
            return float(value)
        except OverflowError:
            return None
    return value if isinstance(value, float) and math.isfinite(value) else None


def _bare(text: str) -> str:
    return _CONTROL.sub("", html.unescape(valid_text(text)))


def _break(gap: re.Match[str]) -> str:
    return "\n\n" if gap.group().count("\n") > 1 else "\n"
