"""Key phrases of a sentence without a model: what stands between function words (RAKE), and what follows an article.

Scripts without spaces have no words to stand between: there every run of two to four characters is a candidate, and
the statistics of the whole corpus decide (see `characters.py`).
"""

from __future__ import annotations

from collections.abc import Iterator

from explorer.analysts.offline.mentions import Kind, Mention
from explorer.analysts.offline.words import FUNCTION_WORDS, WORD, is_capitalised, word_list

_DETERMINERS = word_list("determiners")
_LONGEST = 4


def find_phrases(text: str, sentence: int, start: int, end: int) -> Iterator[Mention]:
    """Phrases of two to four words between function words and punctuation, and single words after a determiner.

    Source of the rule: Rose et al. 2010, Rapid Automatic Keyword Extraction; a noun after a determiner is our own.
    """
    run: list[tuple[int, int]] = []
    led = False  # by a determiner
    previous_end = start
    for match in WORD.finditer(text, start, end):
        word = match.group()
        low = word.casefold()
        broken = bool(text[previous_end : match.start()].strip())
        if run and not broken:  # a name ends where a small letter begins, but for `the Arden family`
            before = is_capitalised(text[run[-1][0] : run[-1][1]])
            broken = before != is_capitalised(word) and not (before and led)
        if broken or low in FUNCTION_WORDS or len(word) < 3 or word.isdigit():
            yield from _close(sentence, run, led)
            run = []
            led = low in _DETERMINERS
        if low not in FUNCTION_WORDS and len(word) >= 3 and not word.isdigit():
            run.append((match.start(), match.end()))
            if len(word) > 2 and word[-2] in "'’" and word[-1] == "s":
                run[-1] = (match.start(), match.end() - 2)
                yield from _close(sentence, run, led)
                run, led = [], True
        previous_end = match.end()
    yield from _close(sentence, run, led)


def _close(sentence: int, run: list[tuple[int, int]], led: bool) -> Iterator[Mention]:
    if not run:
        return
    if led and len(run) <= 2:
        yield Mention(sentence, run[-1][0], run[-1][1], Kind.NOUN)
    if 2 <= len(run) <= _LONGEST:
        yield Mention(sentence, run[0][0], run[-1][1], Kind.PHRASE)
    if len(run) > 2:
        yield Mention(sentence, run[0][0], run[1][1], Kind.PHRASE)
        yield Mention(sentence, run[-2][0], run[-1][1], Kind.PHRASE)
