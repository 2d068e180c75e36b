"""An index that reads of its reports and communities only what a plan asks for."""

from __future__ import annotations

import copy
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from explorer.tables import convert
from explorer.tables.rows import DEEPEST, ROOT, CommunityRow, ReportRow
from explorer.tables.whole import damaged_tables

if TYPE_CHECKING:
    from explorer.tables.index import Index

_COMMUNITY = ("community", "level", "parent", "children", "title")
_ENTITY = ("id", "text_unit_ids")
_ROWS = {"community_reports": "reports"}  # the table whose rows bear another name
_REPORT = ("id", "community", "level", "title", "rank")


def lean(index: Index, *, summaries: bool = False) -> Index:
    """The same index with rows that lack what no plan asks for: members (which `memberships` has), findings, dates;
    of each report either the full content or, with `summaries`, the summary.

    The index itself where its tables are not plain, so that anything would have to be derived, left out or said.
    """
    if {"reports", "communities"} & set(vars(index)):
        return index
    body = "summary" if summaries else "full_content"
    # The texts of reports are the most of it, and Arrow unpacks them while the interpreter reads the rest.
    with ThreadPoolExecutor(1, "reports") as beside, ThreadPoolExecutor(1, "whole") as aside:
        reading = beside.submit(index.some_columns, "community_reports", (*_REPORT, body))
        read = {"entities": _ENTITY, "communities": (*_COMMUNITY, "entity_ids"), "community_reports": (*_REPORT, body)}
        looking = aside.submit(damaged_tables, index, read)
        communities = _communities(index) if index.memberships is not None else None
        columns = reading.result()
        damaged = looking.result()
    if damaged:  # in columns that no plan asks for: whoever reads the table whole says that it cannot be used
        for name in damaged:
            getattr(index, _ROWS.get(name, name))
        vars(index).pop("memberships", None)
        return index
    reports = None if communities is None or columns is None else _reports(columns, body)
    if communities is None or reports is None:
        return index
    light = copy.copy(index)
    vars(light).update(communities=communities, reports=reports)
    return light


def _communities(index: Index) -> list[CommunityRow] | None:
    columns = index.some_columns("communities", _COMMUNITY)
    if columns is None or not all(_whole(columns.get(name)) for name in _COMMUNITY[:3]):
        return None
    levels = dict(zip(columns["community"], columns["level"], strict=True))
    rows = list(zip(*(columns[name] for name in _COMMUNITY[:3]), strict=True))
    if any(levels.get(parent, level - 1) >= level for _, level, parent in rows):
        return None  # parents may run in a circle
    if not all(0 <= level <= DEEPEST for level in levels.values()):
        return None  # levels that are derived, as they are no depth
    if ROOT in levels or (len(set(levels.values())) > 1 and all(parent == ROOT for _, _, parent in rows)):
        return None  # the number of no community, or parents that say nothing
    children = columns.get("children")
    if not (children and any(children)) and any(parent != ROOT for _, _, parent in rows):
        return None  # children are derived, which is said
    titles = columns.get("title") or [None] * len(rows)
    return [
        CommunityRow(str(number), number, level, parent, (), convert.community_title(title, number))
        for (number, level, parent), title in zip(rows, titles, strict=True)
    ]


def _reports(columns: dict[str, list[Any]], body: str) -> list[ReportRow] | None:
    if not all(_whole(columns.get(name)) for name in ("community", "level")):
        return None
    nothing: list[Any] = [None] * len(columns["community"])
    return [
        ReportRow(
            convert.text(id) or str(number), number, level, ROOT, (), convert.text(title),
            convert.text(text) if body == "summary" else "", "" if body == "summary" else convert.text(text),
            convert.maybe_float(rank),
        )
        for id, number, level, title, rank, text in zip(
            *(columns.get(name, nothing) for name in (*_REPORT, body)), strict=True
        )
    ]  # fmt: skip


def _whole(column: list[Any] | None) -> bool:
    """Whether a column is there and holds whole numbers alone."""
    return column is not None and set(map(type, column)) <= {int}
