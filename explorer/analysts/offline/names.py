"""Names in a sentence by how they are written: runs of capitalised words, addresses, quoted terms, abbreviations.

No model and no list of names: what tells a name is its capitals inside a sentence. Where capitals tell nothing (at
the start of a sentence, in a line of capitals) the mention is marked, and the whole corpus decides later.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from explorer.analysts.offline.mentions import Kind, Mention
from explorer.analysts.offline.words import (
    FUNCTION_WORDS,
    WORD,
    is_capitalised,
    is_coined,
    is_contraction,
    word_list,
)

# Small words inside names of places, offices and works (Bank of the West, Gulf of Mexico, Leonardo da Vinci) …
_JOINING = word_list("joining")
# … and those that only titles of works and pairs have.
_WIDE = _JOINING | word_list("joining_in_titles")
_ABBREVIATED = word_list("abbreviated")
_PRONOUNS = frozenset({"i", "we", "you", "he", "she", "it", "they", "who", "this", "that", "there"})
_LONGEST = 16  # words of a title

_STOPS = re.compile(r"[。，！？；：、]|[.,;:!?]\s|[\u3040-\u9fff]{9}")
_QUOTED = re.compile(r"[\"“„«]([^\"“”„«»\n]{2,60})[\"”“»]")
_HEADLINE = re.compile(r"(?:#{1,6}\s+|(?:title|name|subject)\s*:\s+)(?P<text>[^\n]*\S)\s*\Z", re.IGNORECASE)
_DEFINED = re.compile(r"\(\s*([A-Za-z0-9][\w.+/-]{1,11})\s*(?:[;,][^)]{0,40})?\)")


class _Token:
    """A word of a sentence; `owner`: a possessive ending was cut off; `cap`: it is written as names are."""

    __slots__ = ("address", "cap", "end", "low", "owner", "start", "word")

    def __init__(self, word: str, start: int, end: int) -> None:
        self.word = word
        self.start = start
        self.end = end
        self.owner = False
        if len(word) > 2 and word[-1] == "s" and word[-2] in "'’":
            self.owner = True
            self.word = word[:-2]
            self.end = end - 2
        self.low = self.word.casefold()
        self.address = "@" in self.word[1:-1] or "://" in self.word or self.low.startswith("www.")
        self.cap = is_capitalised(self.word) and not is_contraction(self.word)


def find_names(text: str, sentence: int, start: int, end: int) -> Iterator[Mention]:
    """The names of one sentence of a text, nested ones too, in no particular order."""
    tokens = [_Token(match.group(), match.start(), match.end()) for match in WORD.finditer(text, start, end)]
    if not tokens:
        return
    heading = _is_heading(text, start, end, tokens)
    shouting = sum(token.word.isupper() and len(token.word) > 1 and token.low in FUNCTION_WORDS for token in tokens) > 1
    for token in tokens:
        if token.address:
            yield Mention(sentence, token.start, _address_end(token), Kind.ADDRESS)
    yield from _runs(text, sentence, tokens, heading, shouting)
    yield from _headline(text, sentence, start, end, tokens)
    for match in _QUOTED.finditer(text, start, end):
        words = match.group(1).split()
        if (
            len(words) <= 5
            and not _STOPS.search(match.group(1))
            and match.group(1)[-1] not in ".,!?;:…"
            and not text[match.start() - 1 : match.start()].isalnum()
        ):
            yield Mention(sentence, match.start(1), match.end(1), Kind.QUOTED)
    yield from _defined(text, sentence, start, end, tokens)


def _headline(text: str, sentence: int, start: int, end: int, tokens: list[_Token]) -> Iterator[Mention]:
    """The text of a heading (`# …`), or what a line like `Title: …` says, where it is short and no sentence."""
    match = _HEADLINE.match(text, start, end)
    if match is None:
        return
    begin, stop = match.span("text")
    inside = [token for token in tokens if begin <= token.start]
    if 2 <= len(inside) <= _LONGEST and inside[0].cap and text[stop - 1] not in ".,;:":
        yield Mention(sentence, begin, stop, Kind.HEADING)


def _is_heading(text: str, start: int, end: int, tokens: list[_Token]) -> bool:
    """Whether capitals say nothing here: most words have one, and there is no small word but the joining ones."""
    long = [token for token in tokens if token.low not in _WIDE and token.low not in FUNCTION_WORDS]
    capitals = sum(1 for token in long if token.cap)
    shouting = sum(1 for character in text[start:end] if character.isupper())
    letters = sum(1 for character in text[start:end] if character.isalpha())
    return len(long) >= 2 and (capitals == len(long) or (letters > 0 and shouting * 10 >= letters * 7))


def _address_end(token: _Token) -> int:
    return token.end - (len(token.word) - len(token.word.rstrip(".,;:!?/")))


def _runs(text: str, sentence: int, tokens: list[_Token], heading: bool, shouting: bool) -> Iterator[Mention]:
    """Every maximal run of capitalised words, alone, with `of` and its like, and with all small words."""
    index = 0
    while index < len(tokens):
        token = tokens[index]
        opening = index == 0 or (_opens(text, token.start) and not token.word.isupper())
        small = token.low in FUNCTION_WORDS and ((opening and not token.word.isupper()) or not heading)
        initial = len(token.word) == 1 and text[token.end : token.end + 1] == "."
        if not token.cap or token.address or (small and not initial):
            index += 1
            continue
        stop = _run_end(text, tokens, index)
        doubtful = opening or heading or (shouting and token.word.isupper())
        yield from _emit(sentence, tokens, index, stop, doubtful)
        if shouting:
            index = stop + 1
            continue
        wide = _extend(text, tokens, stop, _JOINING)
        if stop < wide < index + _LONGEST:
            yield Mention(sentence, token.start, tokens[wide].end, Kind.TITLE if heading else Kind.NAME)
        widest = _extend(text, tokens, stop, _WIDE)
        if wide < widest < index + _LONGEST:
            yield Mention(sentence, token.start, tokens[widest].end, Kind.TITLE)
        if tokens[stop].owner:
            yield from _owned(text, sentence, tokens, index, stop)
        index = stop + 1


def _run_end(text: str, tokens: list[_Token], index: int) -> int:
    while index + 1 < len(tokens) and tokens[index + 1].cap and _follows(text, tokens[index], tokens[index + 1]):
        index += 1
    return index


def _emit(sentence: int, tokens: list[_Token], start: int, stop: int, doubtful: bool) -> Iterator[Mention]:
    """A run; where its first word may have its capital from the sentence, marked, and once more without that word."""
    coined = any(is_coined(token.word) for token in tokens[start : stop + 1])
    while stop > start and tokens[stop].low in FUNCTION_WORDS and not tokens[stop].word.isupper():
        stop -= 1
    if stop - start < 8:
        yield Mention(
            sentence, tokens[start].start, tokens[stop].end, Kind.OPENING if doubtful and not coined else Kind.NAME
        )
    if doubtful and stop > start:
        kind = Kind.OPENING if stop == start + 1 else Kind.NAME
        yield Mention(sentence, tokens[start + 1].start, tokens[stop].end, kind)


def _owned(text: str, sentence: int, tokens: list[_Token], start: int, stop: int) -> Iterator[Mention]:
    """What the owner at `stop` has: the next word, or the run of capitalised words that follows."""
    if stop + 1 >= len(tokens) or not text[tokens[stop].end + 2 : tokens[stop + 1].start].isspace():
        return
    last = _run_end(text, tokens, stop + 1) if tokens[stop + 1].cap else stop + 1
    if tokens[last].low not in FUNCTION_WORDS:
        yield Mention(sentence, tokens[start].start, tokens[last].end, Kind.OWNED)


def _extend(text: str, tokens: list[_Token], stop: int, small: frozenset[str]) -> int:
    """The last token of the run that begins before `stop` when small words may stand between its parts."""
    last = stop
    index = stop
    while index + 1 < len(tokens) and _follows(text, tokens[index], tokens[index + 1], colon=small is _WIDE):
        index += 1
        token = tokens[index]
        if token.cap:
            if token.low in _PRONOUNS or (token.low in FUNCTION_WORDS and text[token.start - 2] == ":"):
                break
            last = index if token.low not in FUNCTION_WORDS or small is _WIDE else last
        elif token.low not in small or index - last > 3:
            break
    return last


def _follows(text: str, left: _Token, right: _Token, colon: bool = False) -> bool:
    """Whether two tokens stand side by side: white space (one line end at most), a full stop after an abbreviation."""
    if left.owner:
        return False
    between = text[left.end : right.start]
    if between.startswith(".") and (left.low in _ABBREVIATED or (len(left.word) == 1 and left.word.isupper())):
        between = between[1:]
        return between == "" or (between.isspace() and between.count("\n") < 2)
    if colon and between == ": ":
        return True
    return between.isspace() and between.count("\n") < 2


def _opens(text: str, start: int) -> bool:
    """Whether a word stands where any word has a capital: after a quote, a colon, a dash, a bullet, a line break."""
    before = text[max(0, start - 3) : start].rstrip(" ")
    return before[-1:] in ('"', "“", "'", "‘", ":", "—", "#", "*", "|", "«", "„", "(", "[", ".", "!", "?")


def _defined(text: str, sentence: int, start: int, end: int, tokens: list[_Token]) -> Iterator[Mention]:
    """`Full Name (FN)`: the full name, and the full name with its abbreviation."""
    for match in _DEFINED.finditer(text, start, end):
        short = match.group(1)
        letters = [character.casefold() for character in short if character.isalnum()]
        if not any(character.isupper() for character in short) or len(letters) < 2:
            continue
        if short[-1] == "s" and len(letters) > 2:
            letters.pop()
        before = [token for token in tokens if token.end <= match.start()][-len(letters) * 2 - 2 :]
        begin = _spelled(text, before, letters, match.start())
        if begin is not None:
            yield Mention(sentence, begin, before[-1].end, Kind.DEFINED)
            close = text.find(")", match.start()) + 1
            if close - match.start() == len(short) + 2:
                yield Mention(sentence, begin, close, Kind.DEFINED)


def _spelled(text: str, before: list[_Token], letters: list[str], bracket: int) -> int | None:
    """Where the words begin whose letters make the abbreviation, taken from the right; None where they do not."""
    if not before or text[before[-1].end : bracket].strip():
        return None
    for count in range(1, len(before) + 1):
        words = before[-count:]
        if words[0].low[:1] != letters[0] or words[0].low in FUNCTION_WORDS:
            continue
        joined = " ".join(token.low for token in words)
        at = 0
        for letter in letters:
            at = joined.find(letter, at) + 1
            if at == 0:
                break
        initials = sum(1 for token in words for part in re.split(r"[-‐/]", token.low) if part[:1] in letters)
        if at and initials * 2 >= len(letters) and count <= len(letters) + 3:
            if re.search(r"[.;:!?()]", text[words[0].start : before[-1].end]):
                return None
            return words[0].start
    return None
