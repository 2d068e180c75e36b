"""Citations of local ids → citations of the numbers that the index's tables have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from explorer.tables.citations import CitedGroup, Mark, parse_citations

UNRESOLVED = "citations_of_unknown_rows"

_AFTER = ("", " ", ".", ",", ";", ":", "!", "?", ")", "\n")


def map_citations(text: str, numbers: Mapping[str, Sequence[int]], lost: Counter[str]) -> str:
    """The text with the ids of its citations replaced by the numbers they stand for.

    Parameters
    ----------
    numbers: by the name of a section the number of each local id; a section that was not sent is not in it.
    lost: counts the ids that name no row that was sent; they are left out, and with the last one the citation.

    Every citation that stays has the one form [Data: Entities (3, 5, +more); Relationships (2)].
    """
    mapped: set[str] = set()

    def first(mark: Mark, written: str) -> str:
        groups = [group for given in mark.groups if (group := _group(given, numbers, lost))]
        if not groups:
            return ""
        mapped.add(f"[Data: {'; '.join(groups)}]")
        return f"[Data: {'; '.join(groups)}]"

    def again(mark: Mark, written: str) -> str:
        if written in mapped:
            return written
        lost[UNRESOLVED] += sum(len(group.numbers) for group in mark.groups)
        return ""

    text = _replaced(text, first)
    # Where citations stood inside one another, what is left around one may read as another, of ids never mapped.
    while (cleaned := _replaced(text, again)) != text:
        text = cleaned
    return text


def _replaced(text: str, replacement: Callable[[Mark, str], str]) -> str:
    """The text with each citation replaced; where nothing takes its place, the space before it goes too."""
    pieces: list[str] = []
    end = 0
    for mark in parse_citations(text):
        pieces.append(text[end : mark.start])
        end = mark.end
        pieces.append(replacement(mark, text[mark.start : mark.end]))
        if not pieces[-1] and pieces[-2].endswith(" ") and text[end : end + 1] in _AFTER:
            pieces[-2] = pieces[-2][:-1]
    return "".join([*pieces, text[end:]])


def _group(group: CitedGroup, numbers: Mapping[str, Sequence[int]], lost: Counter[str]) -> str:
    known = numbers.get(group.kind, ())
    found = dict.fromkeys(known[local] for local in group.numbers if local < len(known))
    missing = sum(local >= len(known) for local in group.numbers)
    if missing:
        lost[UNRESOLVED] += missing
    if not found:
        return ""
    ids = [str(number) for number in found]
    return f"{group.kind} ({', '.join([*ids, '+more'] if group.more else ids)})"
