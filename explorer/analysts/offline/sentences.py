"""Sentences of a text unit, as places in it.

Blank lines, headings, list items, table rows and `Key: value` lines end a sentence whatever the punctuation; inside a
paragraph nupunkt finds the ends (it knows abbreviations), and for scripts without spaces the full stops of that script.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

Span = tuple[int, int]

LONGEST = 900  # characters; what has no full stop for longer than that (a table, a list of names) is cut at white space

_LINE = re.compile(r"[^\n]*(?:\n|\Z)")
_OWN_LINE = re.compile(r"\s*(?:#{1,6}\s|[-*•–]\s|\d{1,3}[.)]\s|\||[=\-_*~]{4,}\s*$)")
_KEYED = re.compile(r"\s*(?:\*\*[^*\n]{1,60}\*\*|[A-Z][\w /-]{0,30}|[a-z_][\w-]{0,30})\s*:\s")
_HAN_STOP = re.compile(r"[。！？!?；;…]+[”’」』）)]*")
_HAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


def has_han(text: str) -> bool:
    """Whether at least a fifth of the characters that are not white space are Han or Kana."""
    sample = text[:20000]
    solid = sum(1 for character in sample if not character.isspace())
    return solid > 0 and len(_HAN.findall(sample)) * 5 >= solid


def split_sentences(text: str) -> list[Span]:
    """The sentences of a text as (start, end) characters, ascending, without the white space around them."""
    spans: list[Span] = []
    for start, end in _blocks(text):
        block = text[start:end]
        inner = _han_sentences(block) if has_han(block) else _spaced_sentences(block)
        for a, b in inner:
            spans.extend(_shorten(text, start + a, start + b))
    return spans


def _blocks(text: str) -> Iterator[Span]:
    """Paragraphs, and lines that stand for themselves."""
    begin = at = 0
    for match in _LINE.finditer(text):
        line = match.group()
        if not line:
            break
        alone = _OWN_LINE.match(line)
        if not line.strip() or alone or _KEYED.match(line):
            if at > begin:
                yield begin, at
            begin = at
            if alone and "#" in line[: line.find(" ") + 1]:  # a heading ends with its line
                yield at, match.end()
                begin = match.end()
        at = match.end()
    if at > begin:
        yield begin, at


def _han_sentences(block: str) -> Iterator[Span]:
    begin = 0
    for match in _HAN_STOP.finditer(block):
        yield begin, match.end()
        begin = match.end()
    if begin < len(block):
        yield begin, len(block)


def _spaced_sentences(block: str) -> Iterator[Span]:
    if len(block) < 60 and not re.search(r"[.!?]\s+\S", block):
        yield 0, len(block)
        return
    from nupunkt import sent_spans  # 0.2 s to load: only who splits pays for it

    yield from sent_spans(block)


def _shorten(text: str, start: int, end: int) -> Iterator[Span]:
    """Trim white space; cut what is too long at white space (or anywhere, where there is none)."""
    while start < end:
        while start < end and text[start].isspace():
            start += 1
        stop = end
        if stop - start > LONGEST:
            cut = max(text.rfind(" ", start, start + LONGEST), text.rfind("\n", start, start + LONGEST))
            stop = cut if cut > start else start + LONGEST
        last = stop
        while last > start and text[last - 1].isspace():
            last -= 1
        if last > start:
            yield start, last
        start = stop
