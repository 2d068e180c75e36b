"""A text as word pieces in windows that a small model can read: nothing is cut off, no word is cut in two.

Word pieces: Wu et al., "Google's Neural Machine Translation System" (2016), with BERT's uncased vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.base.paths import resource

if TYPE_CHECKING:
    from tokenizers import Tokenizer

LONGEST = 256  # word pieces in a window, the two that mark its start and end among them
_MARKS = 2
_START, _END, _UNKNOWN = "[CLS]", "[SEP]", "[UNK]"


@dataclass(frozen=True)
class Windows:
    """A text's windows as ids of word pieces; `pieces` in all of them, of which `unknown` are not in the vocabulary."""

    ids: tuple[tuple[int, ...], ...]
    pieces: int
    unknown: int


class WordPieces:
    """BERT's uncased word pieces, from the vocabulary that ships with the program."""

    def __init__(self) -> None:
        from tokenizers import BertWordPieceTokenizer

        whole: Tokenizer = BertWordPieceTokenizer(str(resource("tokenizers", "bert-uncased-vocab.txt")), lowercase=True)
        self._tokenizer = whole
        self._start, self._end, self._unknown = (int(whole.token_to_id(mark) or 0) for mark in (_START, _END, _UNKNOWN))

    def windows(self, text: str) -> Windows:
        """Cut a text into windows of at most 256 word pieces, of nearly the same length, at least one."""
        encoded = self._tokenizer.encode(text, add_special_tokens=False)
        ids = encoded.ids
        spans = cut(encoded.word_ids, LONGEST - _MARKS)
        framed = tuple((self._start, *ids[start:end], self._end) for start, end in spans)
        return Windows(framed, len(ids), ids.count(self._unknown))


def cut(words: Sequence[int | None], longest: int) -> list[tuple[int, int]]:
    """Spans (start, end) that cover all pieces, none longer than `longest`, cut where a word begins.

    `words` names the word of each piece. Spans are as equal as words allow, so that the mean of their vectors weighs
    every part of the text the same. A word longer than a window is cut inside.
    """
    spans: list[tuple[int, int]] = []
    start, total = 0, len(words)
    while start < total:
        left = total - start
        end = start + -(-left // -(-left // longest))
        edge = end
        while start < edge < total and words[edge] == words[edge - 1]:
            edge -= 1
        end = edge if edge > start else end
        spans.append((start, end))
        start = end
    return spans or [(0, 0)]
