"""What stands in rows that say nothing themselves: an empty number, id or size, and what this program put there.

Nothing of it is silent: it is said in the table's line, and what could not be told from other columns is counted as a
defect. A column that the whole table does not have is one remark, as older versions did not write some of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from explorer.base.words import share
from explorer.tables.convert import community_title, key, maybe_float, maybe_integer, text

NUMBER = "human_readable_id"  # citations go by it
_PLACE = "a row goes by its place in the table, counted from 0"
_ZERO = "0 stands for it"
_LARGEST = 2**63
_EXAMPLE = 60  # letters of a title
Columns = Mapping[str, list[Any]]


@dataclass(frozen=True)
class Filled:
    """A column of a table, in how many rows it says nothing, the first of these in words, and what stands there.

    `absent` says that the table has no such column, `derived` that other columns tell the value.
    """

    table: str
    column: str
    count: int
    of: int
    example: str
    stands: str
    absent: bool = False
    derived: bool = False


@dataclass(frozen=True)
class _Rule:
    column: str
    stands: str
    empty: Callable[[Any], bool]
    derived: bool = False
    remark: bool = True  # whether a table without the column is worth a remark
    below_the_top: bool = False  # a community of level 0 has no parent to tell


def _no_number(value: Any) -> bool:
    """Whether nothing in it can be taken for a number."""
    if maybe_integer(value) is not None:
        return False
    number = maybe_float(value)
    return number is None or abs(number) >= _LARGEST


def _no_whole_number(value: Any) -> bool:
    return maybe_integer(value) is None


def _no_id(value: Any) -> bool:
    return not key(value)


_NUMBERED = _Rule(NUMBER, _PLACE, _no_whole_number)
_OF_ROW = _Rule("id", "the place of the row stands for it", _no_id, remark=False)
_LOST = _Rule("id", "nothing leads to the row", _no_id, remark=False)
_OF_COMMUNITY = "what its community says stands for it, and where there is none level and size are 0"
_BY_NUMBER = _Rule("id", "the number of the community stands for it", _no_id, derived=True, remark=False)

_RULES: dict[str, tuple[_Rule, ...]] = {
    "documents": (_LOST, _Rule(NUMBER, _PLACE, _no_whole_number, remark=False)),
    "text_units": (_LOST, _NUMBERED, _Rule("n_tokens", _ZERO, _no_number)),
    "entities": (
        _OF_ROW, _NUMBERED,
        _Rule("frequency", "it is counted from the text units", _no_number, derived=True),
        _Rule("degree", _ZERO, _no_number),
    ),
    "relationships": (_OF_ROW, _NUMBERED, _Rule("combined_degree", _ZERO, _no_number)),
    "communities": (
        _BY_NUMBER,
        _Rule("parent", "the community stands at the top", _no_whole_number, remark=False, below_the_top=True),
        _Rule("title", "the number of the community stands for it", lambda value: not text(value), derived=True),
        _Rule("size", "it is counted from the members", _no_number, derived=True),
    ),
    "community_reports": (
        _BY_NUMBER,
        _Rule("level", _OF_COMMUNITY, _no_whole_number, derived=True),
        _Rule("parent", _OF_COMMUNITY, _no_number, derived=True, below_the_top=True),
        _Rule("size", _OF_COMMUNITY, _no_number, derived=True),
    ),
    "covariates": (_OF_ROW, _NUMBERED),
}  # fmt: skip


def filled_in(table: str, columns: Columns) -> list[Filled]:
    """What the rows of a table do not say and this program fills in, by column; [] for a table that says it all.

    `columns` are those of the file under today's names.
    """
    length = len(next(iter(columns.values()), []))
    found = []
    for rule in _RULES.get(table, ()) if length else ():
        values = columns.get(rule.column)
        if values is None:
            if rule.remark:
                found.append(Filled(table, rule.column, length, length, "", rule.stands, True, rule.derived))
            continue
        if set(map(type, values)) <= {int}:
            continue
        # A table whose parents are all empty says nothing of parents: they are derived, which is said elsewhere.
        if rule.below_the_top and all(map(rule.empty, values)):
            continue
        places = [place for place, value in enumerate(values) if rule.empty(value)]
        if rule.below_the_top:
            levels = columns.get("level") or [None] * length
            places = [place for place in places if maybe_integer(levels[place]) not in (0, None)]
        if places:
            example = _row(table, columns, places[0])
            found.append(Filled(table, rule.column, len(places), length, example, rule.stands, derived=rule.derived))
    return found


def filled_notes(filled: Sequence[Filled]) -> list[str]:
    """What is said of it in the table's line: columns that are not there and have one thing in their place together."""
    absent: dict[str, list[str]] = {}
    for fill in filled:
        if fill.absent:
            absent.setdefault(fill.stands, []).append(fill.column)
    notes = [f"there is no column {', '.join(names)}: {stands}" for stands, names in absent.items()]
    notes += [
        f"{fill.column} says nothing in {share(fill.count, fill.of, 'row')} (first in {fill.example}): {fill.stands}"
        + (", or past the largest number where another row bears that" if fill.column == NUMBER else "")
        for fill in filled
        if not fill.absent
    ]
    return notes


def _row(table: str, columns: Columns, place: int) -> str:
    """How a row is named in a sentence: its title, its ends, its community, else its place."""

    def cell(name: str) -> str:
        values = columns.get(name)
        found = " ".join(text(values[place]).split()) if values is not None else ""
        return found if len(found) <= _EXAMPLE else f"{found[:_EXAMPLE]}…"

    if table == "relationships":
        return f"{cell('source')} – {cell('target')}"
    if table in ("communities", "community_reports"):
        number = maybe_integer(columns["community"][place])
        return f"row {place}" if number is None else cell("title") or community_title(None, number)
    return cell("title") or (f"id {cell('id')}" if cell("id") else f"row {place}")
