"""The reduce judgement without a language model: the kept points as an answer that can be read from top to bottom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from explorer.analysts.judgements import KeptPoint
from explorer.analysts.offline.passages import fragments
from explorer.analysts.offline.references import (
    References,
    join_references,
    read_references,
    without_references,
    write_references,
)

NOTHING = "The points do not answer this question."


@dataclass
class _Paragraph:
    text: str
    references: References
    parts: frozenset[str]


def write_answer(question: str, points: Sequence[KeptPoint], max_length: int = 2000) -> str:
    """The points in the order of their rank, a paragraph each, with their references.

    What two points both say is said once, with the references of both. Ends before `max_length` words and says how
    many points were left out.
    """
    paragraphs: list[_Paragraph] = []
    for point in sorted(points, key=lambda point: point.rank):
        text, references = without_references(point.text), read_references(point.text)
        parts = frozenset(fragments(text)) or frozenset([text])
        same = next((known for known in paragraphs if _same(parts, known.parts)), None)
        if same is None:
            paragraphs.append(_Paragraph(text, references, parts))
            continue
        if len(parts) > len(same.parts):
            same.text, same.parts = text, parts
        same.references = join_references(same.references, references)
    return _join(question, paragraphs, max_length) if paragraphs else NOTHING


def _same(first: frozenset[str], second: frozenset[str]) -> bool:
    """Whether most of the shorter of two texts stands in the other."""
    return 2 * len(first & second) > min(len(first), len(second))


def _join(question: str, paragraphs: Sequence[_Paragraph], max_length: int) -> str:
    words = 0
    shown: list[str] = []
    for paragraph in paragraphs:
        words += len(paragraph.text.split())
        if shown and words > max_length:
            break
        shown.append(f"{paragraph.text} {write_references(paragraph.references)}".rstrip())
    count = "One passage" if len(paragraphs) == 1 else f"{len(paragraphs)} passages"
    asked = " ".join(question.split())
    opening = f"{count} in the reports {'comes' if len(paragraphs) == 1 else 'come'} closest to “{asked}”, best first."
    left = len(paragraphs) - len(shown)
    closing = [f"Left out for length: {left} more."] if left else []
    return "\n\n".join([opening, *shown, *closing])
