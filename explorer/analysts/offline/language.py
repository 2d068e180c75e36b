"""Which language a corpus is in, as far as the rules need it, and its function words, by counting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from explorer.analysts.offline.words import WORD, word_list

_ENGLISH = word_list("common_english")
_GERMAN = word_list("common_german")
_SHARE = 0.09  # of the language itself, prose has 0.3 to 0.45 and tables 0.1 to 0.2; its neighbours have under 0.05
_SAMPLES, _LENGTH = 40, 1500
_FUNCTION_SHARE = 0.0025  # of all words: what is as frequent and mostly without a capital is no subject of the text


def is_english(texts: Sequence[str]) -> bool:
    """Whether at least 9 of 100 words of a sample, taken evenly over the texts, are the commonest words of English."""
    return _share(texts, _ENGLISH) >= _SHARE


def is_german(texts: Sequence[str]) -> bool:
    """Whether at least 9 of 100 words are the commonest of German: there every noun has a capital, not only names."""
    return _share(texts, _GERMAN) >= _SHARE


def function_words(texts: Sequence[str]) -> frozenset[str]:
    """The function words of a corpus in any language: its most frequent words that mostly stand without a capital."""
    lower: Counter[str] = Counter()
    every: Counter[str] = Counter()
    for word in _words(texts):
        every[word.casefold()] += 1
        lower[word] += 1
    least = max(5.0, sum(every.values()) * _FUNCTION_SHARE)
    return frozenset(word for word, count in every.items() if count >= least and lower[word] * 10 >= count * 7)


def _share(texts: Sequence[str], common: frozenset[str]) -> float:
    words = [word.casefold() for word in _words(texts)]
    return sum(word in common for word in words) / len(words) if words else 0.0


def _words(texts: Sequence[str]) -> Iterator[str]:
    """The words of a sample."""
    step = max(1, len(texts) // _SAMPLES)
    for text in texts[::step]:
        middle = max(0, (len(text) - _LENGTH) // 2)
        for match in WORD.finditer(text[middle : middle + _LENGTH]):
            if match.group()[0].isalpha():
                yield match.group()
