"""What a report of this program was written from: its context, built again as indexing built it. No Qt here.

Only for indexes that this program made: of another's reports nobody kept what its model was sent.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from explorer.gui.words import count as counted


@dataclass(frozen=True, slots=True)
class WrittenFrom:
    """Of how many entities and relationships of the community a report's context held how many, and its size."""

    entities: int
    entities_of: int
    relationships: int
    relationships_of: int
    tokens: int
    budget: int
    children: int  # how many reports of children stood in it, 0 where the members themselves fitted

    def words(self) -> str:
        """ "Written from 14 of 14 entities and 31 of 38 relationships (7,412 of 8,000 tokens)."."""
        also = f", and the reports of {counted(self.children, 'child', 'children')}" if self.children else ""
        return (
            f"Written from {self.entities:,} of {counted(self.entities_of, 'entity', 'entities')} and "
            f"{self.relationships:,} of {counted(self.relationships_of, 'relationship')}{also} "
            f"({self.tokens:,} of {self.budget:,} tokens)."
        )


def written_later(index: Any, number: int) -> WrittenFrom | None:
    """The same a moment later: the report is painted first."""
    time.sleep(0.1)
    return written_from(index, number)


def written_from(index: Any, number: int) -> WrittenFrom | None:
    """The context of a community's report; None for an index made elsewhere or a community without a report.

    Counts tokens of the community's members: call it off the GUI thread.
    """
    community, info = index.community_by_number.get(number), index.info
    if index.foreign or info is None or community is None or number not in index.report_by_community:
        return None
    from explorer.analysts.judgements import WrittenReport
    from explorer.corpus.material import TextUnit
    from explorer.indexing.contexts import ContextBuilder
    from explorer.indexing.rows import GraphRows

    written = {}
    for child in community.children:
        report = index.report_by_community.get(child)
        if report is not None and child in index.community_by_number:
            written[child] = WrittenReport(
                child, report.title, report.summary, (), report.rank or 0.0, report.rating_explanation
            )
    members = tuple(index.entity_by_id[id] for id in community.entity_ids if id in index.entity_by_id)
    inner = tuple(index.relationship_by_id[id] for id in community.relationship_ids if id in index.relationship_by_id)
    if len(members) < len(community.entity_ids) or len(inner) < len(community.relationship_ids):
        return None  # tables that do not fit together: what was sent cannot be told from them
    # Text units stand beside the budget: their texts are of no matter here.
    units = [TextUnit(id, "", "", 0, "", 0, 0) for id in sorted({id for row in members for id in row.text_unit_ids})]
    family = [community, *(index.community_by_number[child] for child in written)]
    builder = ContextBuilder(GraphRows(members, inner), family, units, info.max_input_tokens)
    level = builder.build([community], written)
    (context,) = level.contexts
    return WrittenFrom(
        len(context.entities), len(members), len(context.relationships), len(inner), level.tokens[number],
        info.max_input_tokens, len(context.children) if context.from_children else 0,
    )  # fmt: skip
