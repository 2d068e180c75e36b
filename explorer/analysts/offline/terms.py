"""The terms of a text by which relevance is judged: folded words with their endings cut off, pairs of letters for CJK.

Scripts without spaces (Han, Kana, Thai) and Hangul give overlapping pairs of characters; every other script gives
words. Endings are cut by a few rules that fold English and German inflection; both sides of a comparison go through
the same rules, so a stem need not be a word.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import chain

from explorer.analysts.offline.words import FUNCTION_WORDS

_DENSE = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
_PIECE = re.compile(rf"[{_DENSE}]+|[^\W_{_DENSE}]+")
_DENSE_START = re.compile(rf"[{_DENSE}]")

# Question words and small words of German and of Chinese: they ask or join and are about nothing.
_SMALL_WORDS = frozenset(
    """
    der die das den dem des ein eine einer eines einem einen und oder aber nicht kein keine keinen ist sind war waren
    wird werden wurde wurden hat haben hatte hatten sein seine seinen seiner ihr ihre ihren ihrer es er sie wir ich du
    man sich im in am an auf aus bei mit nach von vom zu zum zur um unter über vor für durch gegen ohne als wie wer was
    wo wann warum wieso welche welcher welches welchen welchem wessen wem wen woher wohin wofür womit wodurch worauf
    auch noch nur schon so dass daß wenn weil denn dann dort hier kann können konnte soll sollte muss musste mehr viel
    viele vielen wieviel
    什么 怎么 为什 为何 哪里 哪个 谁是 如何 多少 几个 是谁 是什
    """.split()
)
# Words of a question that ask for something without being it; "s", "t", "d" and so on are left over by apostrophes.
_ASKING = frozenset(
    """
    s t d ll re ve m tell describe explain list please don isn doesn didn wasn won hasn haven
    according many much long name names named called happen happens happened give gives given
    said say says connect connects connected connection connections
    """.split()
)
# Characters that join or ask in Chinese and Japanese: the pairs of letters across them are in no text.
_HAN_JOINING = re.compile("什么|怎么|怎样|如何|为何|为什么|哪里|哪些|哪个|多少|之间|关系|[的了是在有和与跟吗呢吧谁哪]")
_ENDINGS = (
    "ments",
    "ment",
    "ings",
    "ingly",
    "edly",
    "ness",
    "ing",
    "ern",
    "est",
    "ly",
    "ed",
    "en",
    "em",
    "er",
    "es",
    "e",
    "s",
)


def tokens(text: str) -> list[str]:
    """Folded words in order; a character each for scripts without spaces."""
    found: list[str] = []
    for piece in _PIECE.findall(_fold(text)):
        if _DENSE_START.match(piece):
            found.extend(piece)
        else:
            found.append(piece)
    return found


def plain(text: str) -> str:
    """The tokens of a text between single spaces, one at each end: `plain(name) in plain(text)` finds whole words."""
    return f" {' '.join(tokens(text))} "


def terms(text: str) -> list[str]:
    """The terms of a text in order, repeated as often as they stand there, without small words."""
    return list(chain.from_iterable(map(_KNOWN.__getitem__, _PIECE.findall(_fold(text)))))


def question_terms(question: str) -> list[str]:
    """The distinct terms that a question asks about, in order; words that only ask are left out."""
    found: dict[str, None] = {}
    for piece in _PIECE.findall(_HAN_JOINING.sub(" ", _fold(question))):
        if piece not in _ASKING:
            found.update(dict.fromkeys(_KNOWN[piece]))
    return list(found)


def is_dense(text: str) -> bool:
    """Whether a text has letters of a script that is written without spaces."""
    return _DENSE_START.search(text) is not None


def is_small(word: str) -> bool:
    """Whether a folded word is a function word of English or German."""
    return (word in FUNCTION_WORDS and word not in _ORDINALS) or word in _SMALL_WORDS or word in _LEFT_OVER


def stem(word: str) -> str:
    """A folded word without its ending: `apprenticed` and `apprentice` meet in `apprentic`."""
    if len(word) <= 3 or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    for _ in range(2):
        for ending in _ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= 4 and not (ending == "s" and word.endswith("ss")):
                word = word[: -len(ending)]
                break
        else:
            break
    if len(word) == 4 and word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    if len(word) > 4 and word[-1] == word[-2] and word[-1] not in "sl":
        word = word[:-1]
    return word


_ORDINALS = frozenset("first last next half own".split())  # no part of a name, but what a question may turn on
_LEFT_OVER = frozenset("s t d ll re ve m".split())


class _Pieces(dict[str, tuple[str, ...]]):
    """Folded piece of text → its terms, worked out once: a few thousand words make up most of any text."""

    def __missing__(self, piece: str) -> tuple[str, ...]:
        if _DENSE_START.match(piece):  # a run of a script without spaces is hardly ever met again
            pairs = [piece[at : at + 2] for at in range(len(piece) - 1)] or [piece]
            return tuple(pair for pair in pairs if pair not in _SMALL_WORDS)
        found = () if is_small(piece) else (stem(piece),)
        if len(self) < 500_000:
            self[piece] = found
        return found


def _fold(text: str) -> str:
    return text.casefold() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


_KNOWN = _Pieces()
