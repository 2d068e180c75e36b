"""Opening an index off the GUI thread: every table is read and every look-up is made before a view asks for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from explorer.base.cancel import CancelScope
from explorer.base.events import EventSink, StageProgress

PARTS = (
    "entities", "relationships", "communities", "reports", "text_units", "documents", "spans",
    "entity_by_id", "entity_by_number", "entity_by_title", "relationship_by_id", "relationship_by_number",
    "community_by_number", "report_by_community", "unit_by_id", "unit_by_number", "document_by_id", "span_by_unit",
    "levels",
)  # fmt: skip


@dataclass(frozen=True)
class Opened:
    """An index whose tables stand in memory, and the colours' order of its communities.

    `root_rank` gives for a community number the rank by size of its level-0 ancestor; `entity_rank` the same for the
    id of an entity, through its communities (absent: it is in none). `deepest` gives an entity's deepest community.
    """

    index: Any
    root_rank: dict[int, int] = field(default_factory=dict)
    entity_rank: dict[str, int] = field(default_factory=dict)
    deepest: dict[str, int] = field(default_factory=dict)


def load(path: Path, opener: Callable[[Path], Any], sink: EventSink, scope: CancelScope) -> Opened:
    """Open the index at `path` and read all of it, a table at a time. Raises what `opener` raises."""
    index = opener(path)
    for done, part in enumerate(PARTS, start=1):
        scope.checkpoint()
        getattr(index, part)
        sink(StageProgress("open", done, len(PARTS)))
        time.sleep(0.001)  # lets a waiting window have the interpreter
    return rank_communities(index)


def rank_communities(index: Any) -> Opened:
    """Rank the level-0 communities by size (ties by number) and give every community and entity its root's rank."""
    parents = {row.community: row.parent for row in index.communities}
    roots = [row for row in index.communities if row.parent not in parents]
    roots.sort(key=lambda row: (-row.size, row.community))
    rank = {row.community: place for place, row in enumerate(roots)}
    for number in parents:
        trail, at, seen = [], number, set()
        while at not in rank and at in parents and at not in seen:
            seen.add(at)
            trail.append(at)
            at = parents[at]
        for step in trail:
            rank[step] = rank.get(at, len(roots))  # a circle of parents has no root: it gets a colour of its own
    deepest: dict[str, tuple[int, int]] = {}
    for row in index.communities:
        for entity in row.entity_ids:
            if entity not in deepest or row.level > deepest[entity][0]:
                deepest[entity] = (row.level, row.community)
    return Opened(
        index,
        rank,
        {entity: rank[number] for entity, (_level, number) in deepest.items()},
        {entity: number for entity, (_level, number) in deepest.items()},
    )
