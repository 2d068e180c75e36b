"""Citations of local ids → citations of the numbers that the index's tables have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from explorer.tables.citations import CitedGroup, parse_citations

UNRESOLVED = "citations_of_unknown_rows"


def map_citations(text: str, numbers: Mapping[str, Sequence[int]], lost: Counter[str]) -> str:
    """The text with the ids of its citations replaced by the numbers they stand for.

    Parameters
    ----------
    numbers: by the name of a section the number of each local id; a section that was not sent is not in it.
    lost: counts the ids that name no row that was sent; they are left out, and with the last one the citation.

    Every citation that stays has the one form [Data: Entities (3, 5, +more); Relationships (2)].
    """
    pieces: list[str] = []
    end = 0
    for mark in parse_citations(text):
        pieces.append(text[end : mark.start])
        end = mark.end
        groups = [mapped for group in mark.groups if (mapped := _group(group, numbers, lost))]
        if groups:
            pieces.append(f"[Data: {'; '.join(groups)}]")
        elif pieces[-1].endswith(" ") and text[end : end + 1] in ("", " ", ".", ",", ";", ":", "!", "?", ")", "\n"):
            pieces[-1] = pieces[-1][:-1]
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
