"""What reports themselves say of their parent and children: rows of the program take these from the community."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from explorer.base.errors import OpenError
from explorer.tables.convert import integers, maybe_integer
from explorer.tables.rows import ROOT

if TYPE_CHECKING:
    from explorer.tables.index import Index

_COLUMNS = ("community", "parent", "children")


def report_families(index: Index) -> dict[int, dict[str, object]]:
    """By position in `index.reports`, the "parent" (a number) and the "children" (a sorted tuple) that a report names.

    Only what the tables of reports and of communities both tell: a column in which every row has none says nothing.
    """
    reports = _columns(index, "community_reports")
    communities = _columns(index, "communities")
    told = {name for name in _COLUMNS[1:] if _says(name, reports) and _says(name, communities)}
    if not told:
        return {}
    found: dict[int, dict[str, object]] = {}
    kept = [place for place, number in enumerate(reports["community"]) if maybe_integer(number) is not None]
    for position, place in enumerate(kept):
        row: dict[str, object] = {}
        if "parent" in told and (parent := maybe_integer(reports["parent"][place])) is not None:
            row["parent"] = parent
        if "children" in told and not _null(reports["children"][place]):
            row["children"] = tuple(sorted(integers(reports["children"][place])))
        found[position] = row
    return found


def _columns(index: Index, table: str) -> dict[str, Sequence[Any]]:
    """The columns as the file has them, {} where the table cannot be read."""
    found = index.some_columns(table, _COLUMNS)
    if found is not None:
        return dict(found)
    try:
        frame = index.frame(table)
    except OpenError:
        return {}
    return {name: frame[name].tolist() for name in _COLUMNS if name in frame.columns}


def _says(name: str, columns: dict[str, Sequence[Any]]) -> bool:
    values = columns.get(name, ())
    if name == "parent":
        return any(maybe_integer(value) not in (None, ROOT) for value in values)
    return any(integers(value) for value in values if not _null(value))


def _null(value: object) -> bool:
    return value is None or isinstance(value, float)
