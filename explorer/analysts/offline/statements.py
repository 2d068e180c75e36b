"""A report's text taken apart into statements: a few sentences and what they cite.

Works on any report in GraphRAG's Markdown form (`# title`, summary, `## finding`, explanation), whoever wrote it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from explorer.analysts.offline.references import References, bracket_ends, read_references, without_references
from explorer.analysts.offline.sentences import split_sentences

LONGEST = 700  # characters; a longer piece is cut between sentences, every part with the piece's references


@dataclass(frozen=True)
class Statement:
    """`heading` is the finding's summary, empty for the report's own summary. `text` holds no references."""

    heading: str
    text: str
    references: References = field(default_factory=dict)


def split_report(content: str) -> tuple[str, list[Statement]]:
    """The title of a report and its statements in order.

    A piece of text ends with its bracket; what follows the last bracket of a paragraph, and paragraphs without any,
    are statements without references.
    """
    title = heading = ""
    statements: list[Statement] = []
    for paragraph in content.split("\n\n"):
        text = paragraph.strip()
        if text.startswith("# ") and not title:
            title = text[2:].strip()
        elif text.startswith("## "):
            heading = text[3:].strip()
        elif text:
            statements.extend(_pieces(heading, text))
    return title, statements


def _pieces(heading: str, text: str) -> list[Statement]:
    found: list[Statement] = []
    begin = 0
    for end in [*bracket_ends(text), len(text)]:
        piece, begin = text[begin:end], end
        words = without_references(piece).strip()
        if words.strip(" .;,"):
            references = read_references(piece)
            found.extend(Statement(heading, part, references) for part in _cut(words))
    return found


def _cut(text: str) -> list[str]:
    if len(text) <= LONGEST:
        return [text]
    parts: list[str] = []
    start = last = 0
    for _, end in split_sentences(text):
        if end - start > LONGEST and last > start:
            parts.append(text[start:last].strip())
            start = last
        last = end
    parts.append(text[start:].strip())
    return [part for part in parts if part]
