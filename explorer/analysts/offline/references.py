"""References in GraphRAG's form, `[Data: Entities (1, 2); Relationships (3); Sources (4)]`: written, read, joined.

Numbers are human_readable_id; in `Reports` they are communities. At most five stand after a name, then `+more`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

MOST = 5
_ORDER = ("Reports", "Entities", "Relationships", "Claims", "Sources")
_BRACKET = re.compile(r"\[Data:\s*([^\[\]]*)\]")
_PART = re.compile(r"([^\W\d_]+)\s*\(([^()]*)\)")
_NUMBER = re.compile(r"-?\d+")

References = dict[str, list[int]]


def write_references(references: Mapping[str, Iterable[int]]) -> str:
    """The bracket for some references, names in a fixed order, numbers as given; empty text for none."""
    parts = []
    for name in sorted((name for name in references), key=_rank):
        numbers = list(dict.fromkeys(references[name]))
        if numbers:
            shown = [str(number) for number in numbers[:MOST]] + (["+more"] if len(numbers) > MOST else [])
            parts.append(f"{name} ({', '.join(shown)})")
    return f"[Data: {'; '.join(parts)}]" if parts else ""


def read_references(text: str) -> References:
    """All references of a text by name, each number once, in the order in which they stand."""
    found: References = {}
    for bracket in _BRACKET.findall(text):
        for name, numbers in _PART.findall(bracket):
            known = found.setdefault(name.capitalize(), [])
            known.extend(number for number in map(int, _NUMBER.findall(numbers)) if number not in known)
    return found


def without_references(text: str) -> str:
    """The text without its brackets and the white space before them."""
    return re.sub(r"\s*\[Data:[^\[\]]*\]", "", text).strip()


def join_references(*several: Mapping[str, Iterable[int]]) -> References:
    """References of several texts as one, each number once, in the order given."""
    joined: References = {}
    for references in several:
        for name, numbers in references.items():
            known = joined.setdefault(name, [])
            known.extend(number for number in dict.fromkeys(numbers) if number not in known)
    return joined


def bracket_ends(text: str) -> list[int]:
    """The characters at which the brackets of a text end, with a full stop that follows."""
    return [match.end() + (1 if text[match.end() : match.end() + 1] == "." else 0) for match in _BRACKET.finditer(text)]


def _rank(name: str) -> tuple[int, str]:
    return (_ORDER.index(name), "") if name in _ORDER else (len(_ORDER), name)
