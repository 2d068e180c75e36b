"""The reading of one text unit: its sentences and what they name. The part of extraction that is worth storing."""

from __future__ import annotations

import json
from dataclasses import dataclass

from explorer.analysts.offline.mentions import Kind, Mention
from explorer.analysts.offline.names import find_names
from explorer.analysts.offline.phrases import find_phrases
from explorer.analysts.offline.sentences import Span, has_han, split_sentences

VERSION = 8  # of the rules: a reading made by other rules is not served


@dataclass(frozen=True, slots=True)
class Reading:
    """Sentences as (start, end) characters of the unit; mentions by place, each once."""

    sentences: tuple[Span, ...]
    mentions: tuple[Mention, ...]


def read_unit(text: str, grade: str) -> Reading:
    """Read a text unit in a grade: "patterns", or "spacy:" and the name of the model's package."""
    sentences = split_sentences(text)
    mentions: set[Mention] = set()
    spaced = not has_han(text)
    model = grade.partition(":")[2]
    for number, (start, end) in enumerate(sentences):
        mentions.update(find_names(text, number, start, end))
        if spaced and not model:
            mentions.update(find_phrases(text, number, start, end))
    if model:
        from explorer.analysts.offline.tagged import find_tagged, load_model

        mentions.update(find_tagged(text, sentences, load_model(model)))
    ordered = sorted(mentions, key=lambda m: (m.start, m.end, m.kind, m.label))
    return Reading(tuple(sentences), tuple(ordered))


def encode(reading: Reading) -> str:
    """The reading as compact JSON."""
    mentions = [[m.sentence, m.start, m.end, m.kind.value, m.label] for m in reading.mentions]
    return json.dumps({"sentences": reading.sentences, "mentions": mentions}, separators=(",", ":"))


def decode(stored: str) -> Reading:
    """The reading that `encode` wrote. Raises ValueError where the text is none."""
    try:
        value = json.loads(stored)
        sentences = tuple((int(start), int(end)) for start, end in value["sentences"])
        mentions = tuple(
            Mention(int(n), int(a), int(b), Kind(kind), str(label)) for n, a, b, kind, label in value["mentions"]
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"not a reading: {error}") from error
    return Reading(sentences, mentions)
