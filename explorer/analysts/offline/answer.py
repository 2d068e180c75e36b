"""An answer from rows of an index: the sentences of the context that answer to the question."""

from __future__ import annotations

from explorer.analysts.offline.passages import fragments, tidy
from explorer.analysts.offline.reduce import NOTHING
from explorer.analysts.offline.relevance import LEAST, weigh_within
from explorer.analysts.offline.sentences import split_sentences

MOST = 8  # sentences


def answer_from_context(question: str, context: str) -> str:
    """The sentences of the context that cover most of the question, the closest first; a plain no where none does."""
    sentences = [" ".join(context[start:end].split()) for start, end in split_sentences(context)]
    weighted = weigh_within(question, sentences)
    scored = [(weighted.coverage(sentence), at) for at, sentence in enumerate(sentences)]
    shown: list[str] = []
    said: set[str] = set()
    for coverage, at in sorted(scored, key=lambda pair: (-pair[0], pair[1])):
        parts = fragments(sentences[at])
        if coverage >= LEAST and said.isdisjoint(parts) and len(shown) < MOST:
            said.update(parts)
            shown.append(tidy(sentences[at]))
    return "\n\n".join(shown) or NOTHING
