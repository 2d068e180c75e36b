"""Whether a corpus is English, by the share of its commonest function words."""

from __future__ import annotations

from collections.abc import Sequence

from explorer.analysts.offline.words import WORD, word_list

_COMMON = word_list("common_english")
_SHARE = 0.18  # English prose has 0.3 to 0.45, tables and lists in English 0.2, other European languages under 0.1
_SAMPLES, _LENGTH = 40, 1500


def is_english(texts: Sequence[str]) -> bool:
    """Whether at least 18 of 100 words of a sample, taken evenly over the texts, are the commonest words of English."""
    step = max(1, len(texts) // _SAMPLES)
    words = common = 0
    for text in texts[::step]:
        middle = max(0, (len(text) - _LENGTH) // 2)
        for match in WORD.finditer(text[middle : middle + _LENGTH].casefold()):
            if match.group()[0].isalpha():
                words += 1
                common += match.group() in _COMMON
    return words > 0 and common >= _SHARE * words
