"""The context of basic search: the text units nearest to the question, in the order of their table.

Source: BasicSearchContext of graphrag 3.3.0 (rows stand in file order, whatever their distance; the walk ends at the
first that does not fit; CSV with "|" and a backslash before backslashes).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from explorer.base.fates import RowFate
from explorer.base.token_cache import TokenCounter
from explorer.search.trace import RowEntry
from explorer.tables.empty_cells import as_graphrag_reads

if TYPE_CHECKING:
    from explorer.tables.index import Index

_SPECIAL = re.compile(r'[|"\n\r]')


def basic_context(
    index: Index, unit_ids: Sequence[str], *, max_context_tokens: int = 12_000, counter: TokenCounter
) -> tuple[str, list[RowEntry]]:
    """The text that is sent, and the fate of every text unit that was found.

    Parameters
    ----------
    unit_ids: ids of the text units that the vectors named.
    """
    wanted = set(unit_ids)
    # A text unit is cited by its row in the table, not by its human_readable_id.
    units = as_graphrag_reads(index, "text_units", index.text_units, ("text",))
    found = [(str(place), unit) for place, unit in enumerate(units) if unit.id in wanted]
    tokens = counter.count("id|text\n")
    counts = counter.count_all([f"{place}|{unit.text}\n" for place, unit in found])
    lines = ["id|text"]
    rows: list[RowEntry] = []
    full = False
    for (place, unit), count in zip(found, counts, strict=True):
        full = full or tokens + count > max_context_tokens
        if not full:
            tokens += count
            lines.append(f"{_cell(place)}|{_cell(unit.text)}")
        fate = RowFate.CUT_BY_BUDGET if full else RowFate.IN_CONTEXT
        rows.append(RowEntry(table="sources", id=unit.id, tokens=count, fate=fate))
    return "\n".join(lines if found else [""]) + "\n", rows


def _cell(cell: str) -> str:
    escaped = cell.replace("\\", "\\\\")
    return '"' + escaped.replace('"', '""') + '"' if _SPECIAL.search(cell) else escaped
