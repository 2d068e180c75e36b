"""Citations in the text of a report or an answer: found in every spelling that models write, and taken apart.

The form that GraphRAG's prompts ask for is ``[Data: Entities (1, 2); Relationships (3, +more); Sources (4)]``. Models
also write commas between the groups, square or full-width brackets, singular names, no "Data:", ranges, and a bracket
that never closes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from explorer.tables.rows import ReportRow

KINDS = ("Entities", "Relationships", "Sources", "Reports", "Claims")

_NAMES = {
    "Entities": ("entities", "entity", "entitys", "nodes", "node", "实体", "entitäten", "entités", "entidades"),
    "Relationships": (
        "relationships", "relationship", "relations", "relation", "edges", "edge", "关系", "beziehungen", "relaciones",
    ),
    "Sources": (
        "sources", "source", "text units", "text unit", "textunits", "textunit", "text_units", "text_unit", "chunks",
        "chunk", "来源", "quellen", "fuentes",
    ),
    "Reports": ("reports", "report", "communities", "community", "报告", "berichte", "informes", "rapports"),
    "Claims": ("claims", "claim", "covariates", "covariate", "声明", "aussagen"),
}  # fmt: skip
_KIND_OF = {name: kind for kind, names in _NAMES.items() for name in names}
_NAME = "|".join(sorted((re.escape(name).replace(r"\ ", r"\s+") for name in _KIND_OF), key=len, reverse=True))
_DATA = r"(?:data|daten|datos|données|dati|dados|数据|資料|来源)"
_OPEN = re.compile(
    rf"[\[［【(（]\s*\^?\s*(?:\**{_DATA}\**\s*[:：]\s*|(?=(?:{_NAME})\s*[(（\[:：#]?\s*#?\d))", re.IGNORECASE
)
_GROUP = re.compile(rf"(?<![^\W\d_])({_NAME})(?![^\W\d_])", re.IGNORECASE)
# A group and what parts it from the next, where no bracket says where the citation ends.
_RUN = re.compile(
    rf"[^\S\n]*(?:{_NAME})[^\S\n]*[:：]?[^\S\n]*"
    r"(?:[(（\[［][^()（）\[\]［］\n]*[)）\]］]|#?\d+(?:[^\S\n]*[,，][^\S\n]*#?\d+)*)[^\S\n]*[;,；，]?",
    re.IGNORECASE,
)
_RANGE = re.compile(r"#?(\d{1,9})\s*[-–—]\s*#?(\d{1,9})")
_NUMBER = re.compile(r"\d+")
_MORE = re.compile(r"\+\s*more|and more|etc\.?|…|\.\.\.|\bmore\b|更多", re.IGNORECASE)
_PAIRS = {"[": "]", "［": "］", "【": "】", "(": ")", "（": "）"}
_CLOSERS = frozenset(_PAIRS.values())

# A citation longer than this is text that happens to stand in brackets.
_LONGEST = 2_000
# "12-19" is a range of eight ids; "1-4000" is not a citation of four thousand rows.
_WIDEST = 50
# human_readable_id is a 64-bit integer in the tables.
_BIGGEST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class CitedGroup:
    """The ids that a citation gives of one kind, each once, in order; `more` where it says that there are others."""

    kind: str
    numbers: tuple[int, ...]
    more: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """A citation that stands in a text from character `start` to `end` (exclusive)."""

    start: int
    end: int
    groups: tuple[CitedGroup, ...]


def parse_citations(text: str) -> list[Mark]:
    """All citations of a text, in order; a bracket that names no kind with an id is left as text."""
    marks: list[Mark] = []
    position = 0
    while (opening := _OPEN.search(text, position)) is not None:
        end = _closing(text, opening.start(), opening.end())
        groups = _groups(text[opening.end() : end])
        if groups:
            marks.append(Mark(opening.start(), end, groups))
            position = end
        else:
            position = opening.start() + 1
    return marks


def cited_numbers(text: str) -> dict[str, set[int]]:
    """The ids that a text cites, by kind."""
    found: dict[str, set[int]] = {kind: set() for kind in KINDS}
    for mark in parse_citations(text):
        for group in mark.groups:
            found[group.kind].update(group.numbers)
    return found


def cited_in(report: ReportRow) -> dict[str, set[int]]:
    """The ids that a report cites anywhere, by kind."""
    texts = [report.full_content, report.summary, *(finding.explanation for finding in report.findings)]
    return cited_numbers("\n".join(texts))


def _closing(text: str, start: int, body: int) -> int:
    """One past the bracket that closes the one at `start`; where none does, one past the last group of ids."""
    waiting = [_PAIRS[text[start]]]
    limit = min(len(text), start + _LONGEST)
    for position in range(body, limit):
        letter = text[position]
        if letter in _PAIRS:
            waiting.append(_PAIRS[letter])
        elif letter in _CLOSERS and letter in waiting:
            while waiting.pop() != letter:
                pass
            if not waiting:
                return position + 1
        elif letter == "\n" and len(waiting) == 1:
            break
    end = body
    while (group := _RUN.match(text, end, limit)) is not None:
        end = group.end()
    return len(text[:end].rstrip(" \t;,；，"))


def _groups(body: str) -> tuple[CitedGroup, ...]:
    names = list(_GROUP.finditer(body))
    found: dict[str, tuple[dict[int, None], bool]] = {}
    for place, name in enumerate(names):
        stop = names[place + 1].start() if place + 1 < len(names) else len(body)
        numbers, more = _numbers(body[name.end() : stop])
        if not numbers and not more:
            continue
        kind = _KIND_OF[re.sub(r"\s+", " ", name.group(1).lower())]
        known, knew = found.setdefault(kind, ({}, False))
        known.update(numbers)
        found[kind] = (known, knew or more)
    return tuple(CitedGroup(kind, tuple(numbers), more) for kind, (numbers, more) in found.items() if numbers)


def _numbers(text: str) -> tuple[dict[int, None], bool]:
    more = _MORE.search(text) is not None
    numbers: dict[int, None] = {}

    def spread(match: re.Match[str]) -> str:
        first, last = int(match.group(1)), int(match.group(2))
        if first <= last < first + _WIDEST:
            return " ".join(str(number) for number in range(first, last + 1))
        return f"{first} {last}"

    for match in _NUMBER.finditer(_RANGE.sub(spread, text)):
        if len(match.group()) <= 19 and int(match.group()) <= _BIGGEST:
            numbers[int(match.group())] = None
    return numbers, more
