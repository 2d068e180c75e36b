"""The outline of a large index: its communities by number, level, parent, size and title, and nothing else.

What level 0 needs is some columns of two tables. They are read in a tenth of a second where the rows of all tables
take many: a window shows them first, and the rest when it is there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.tables import convert
from explorer.tables.rows import DEEPEST, ROOT, CommunityRow, ReportRow

if TYPE_CHECKING:
    from explorer.tables.index import Index

LARGE = 250_000  # rows of entities and relationships together; below it all is read before the first page
_COMMUNITY = ("community", "level", "parent", "title", "size")
_REPORT = ("community", "title", "rank")


@dataclass(frozen=True)
class Outline:
    """As much of an index as its hierarchy shows. It answers where a view asks an index for its communities.

    `communities` have no members, `reports` no texts; `entities` and `relationships` are empty: they are not read.
    `counts` are the rows of the tables by name, as their files say.
    """

    name: str
    output: Path
    communities: list[CommunityRow]
    reports: list[ReportRow]
    counts: dict[str, int]
    entities: list[Any] = field(default_factory=list)
    relationships: list[Any] = field(default_factory=list)

    @cached_property
    def community_by_number(self) -> dict[int, CommunityRow]:
        return {row.community: row for row in reversed(self.communities)}

    @cached_property
    def report_by_community(self) -> dict[int, ReportRow]:
        """The first report of each community in file order."""
        return {row.community: row for row in reversed(self.reports)}

    @cached_property
    def levels(self) -> list[int]:
        return sorted({row.level for row in self.communities})


def is_large(index: Index) -> bool:
    """Whether reading all of an index takes so long that its outline should be shown first."""
    states = [index.state(name) for name in ("entities", "relationships")]
    return sum(state.rows for state in states if state.state == "read") >= LARGE


def read_outline(index: Index) -> Outline | None:
    """The outline of an index, or None where its tables do not have it: old schemas, csv, no levels, no sizes.

    Numbers, levels, parents and titles are those that the rows of the index have when they are read.
    """
    columns = index.some_columns("communities", _COMMUNITY)
    reports = index.some_columns("community_reports", _REPORT)
    if columns is None or reports is None:
        return None
    # Where one is missing it is told from the members, which are the larger part of the table.
    if not all(_whole(columns.get(name)) for name in ("community", "level", "parent", "size")):
        return None
    flat = set(columns["parent"]) <= {ROOT} and len(set(columns["level"])) > 1
    if flat or ROOT in columns["community"] or not all(0 <= level <= DEEPEST for level in columns["level"]):
        return None  # parents that say nothing, the number of no community, levels that are no depth
    rows = [
        CommunityRow("", number, level, parent, (), convert.text(title) or f"Community {number}", size=size)
        for number, level, parent, title, size in zip(
            *(columns[name] for name in ("community", "level", "parent")),
            columns.get("title") or repeat(None),
            columns["size"],
            strict=False,
        )
    ]
    titles = _titles(reports)
    names = ("entities", "relationships", "communities", "community_reports", "text_units", "documents")
    return Outline(index.name, index.output, rows, titles, {name: index.state(name).rows for name in names})


def _titles(columns: convert.Columns) -> list[ReportRow]:
    """The reports with community, title and rank; rows without a community's number are left out."""
    titles = columns.get("title") or repeat(None)
    ranks = columns.get("rank") or repeat(None)
    return [
        ReportRow("", number, 0, ROOT, (), convert.text(title), "", "", convert.maybe_float(rank))
        for given, title, rank in zip(columns["community"], titles, ranks, strict=False)
        if (number := convert.maybe_integer(given)) is not None
    ]


def _whole(column: list[Any] | None) -> bool:
    """Whether a column is there and holds whole numbers alone."""
    return column is not None and set(map(type, column)) <= {int}
