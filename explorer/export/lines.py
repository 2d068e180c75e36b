"""Text in several styles → lines of a width.

fpdf2 breaks lines itself, but measures the whole line again for every letter: a book of 800,000 letters took it three
times as long as this, which measures each word once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

_WIDE = (
    "\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
)
_CLOSING = "、。，．：；！？）」』】》〉”’％"
# White space, a wide letter with the signs that must not begin a line, or a word.
_TOKEN = re.compile(rf"\s+|[{_WIDE}][{_CLOSING}]*|[^\s{_WIDE}]+")
_WIDE_LETTER = re.compile(f"[{_WIDE}]")


@dataclass(frozen=True)
class Run:
    """Text of one style and ink; `link` is a number of fpdf2 or None."""

    text: str
    style: str = ""
    ink: tuple[int, int, int] = (0, 0, 0)
    link: int | None = None


Measure = Callable[[str, str], float]  # (text, style) → its width


def break_lines(runs: Iterable[Run], width: float, measure: Measure) -> list[list[Run]]:
    """Lines no wider than `width`, broken at white space and between wide letters.

    A word that is wider than a line is broken between letters. A run that ends inside a word does not break it.
    """
    lines: list[list[Run]] = []
    line: list[Run] = []
    used = 0.0
    space: Run | None = None
    for word in _words(runs):
        if word[0].text.isspace():
            space = word[0] if line else None
            continue
        size = sum(measure(piece.text, piece.style) for piece in word)
        gap = measure(" ", space.style) if space is not None else 0.0
        if line and used + gap + size > width:
            lines.append(line)
            line, used, space, gap = [], 0.0, None, 0.0
        if space is not None:
            line.append(replace(space, text=" "))
            used += gap
            space = None
        for piece in word if size <= width else _letters(word):
            size = measure(piece.text, piece.style)
            if line and used + size > width:
                lines.append(line)
                line, used = [], 0.0
            line.append(piece)
            used += size
    if line:
        lines.append(line)
    return [list(_joined(pieces)) for pieces in lines]


def _words(runs: Iterable[Run]) -> Iterator[list[Run]]:
    """Words (lists of pieces that stay together) and white space (a list of one piece) in turn."""
    word: list[Run] = []
    for run in runs:
        for token in _TOKEN.findall(run.text):
            piece = replace(run, text=token)
            if not token.isspace() and not _WIDE_LETTER.match(token):
                word.append(piece)
                continue
            if word:
                yield word
                word = []
            yield [piece]
    if word:
        yield word


def _letters(word: list[Run]) -> Iterator[Run]:
    for piece in word:
        for letter in re.findall(r".[\u0300-\u036f\ufe00-\ufe0f\u200d]*", piece.text, re.DOTALL):
            yield replace(piece, text=letter)


def _joined(pieces: list[Run]) -> Iterator[Run]:
    """Neighbours of one style as one run, so that letters of a script that joins are shaped together."""
    current = pieces[0]
    for piece in pieces[1:]:
        if (piece.style, piece.ink, piece.link) == (current.style, current.ink, current.link):
            current = replace(current, text=current.text + piece.text)
        else:
            yield current
            current = piece
    yield current
