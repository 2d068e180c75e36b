"""Opening an index off the GUI thread: every table is read and every look-up is made before a view asks for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from explorer.base.cancel import CancelScope
from explorer.base.errors import ExplorerError, OpenError
from explorer.base.events import EventSink, StageProgress
from explorer.base.words import counted

PARTS = (
    "entities", "relationships", "communities", "reports", "text_units", "documents", "spans",
    "entity_by_id", "entity_by_number", "entity_by_title", "relationship_by_id", "relationship_by_number",
    "community_by_number", "report_by_community", "unit_by_id", "unit_by_number", "document_by_id", "span_by_unit",
    "levels",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Target:
    """Something in the index that a person can go to by its name. `key` is an entity's id or a community's number."""

    kind: str  # entity | community | report
    key: str | int
    title: str
    detail: str
    folded: str  # the title in the form that is searched


@dataclass(frozen=True)
class Opened:
    """An index whose tables stand in memory, and the colours' order of its communities.

    `root_rank` gives for a community number the rank by size of its level-0 ancestor; `entity_rank` the same for the
    id of an entity, through its communities (absent: it is in none). `deepest` gives an entity's deepest community.
    `targets` are reports, communities without one, and entities, in that order.
    """

    index: Any
    root_rank: dict[int, int] = field(default_factory=dict)
    entity_rank: dict[str, int] = field(default_factory=dict)
    deepest: dict[str, int] = field(default_factory=dict)
    targets: tuple[Target, ...] = ()

    def without_index(self) -> Opened:
        """The ranks alone, where not all of the index is read."""
        return replace(self, index=None)


class NoIndexYet(ExplorerError):
    """The path is a folder of documents that was not indexed, or not to the end."""


def load(path: Path, opener: Callable[[Path], Any], sink: EventSink, scope: CancelScope) -> Opened:
    """Open the index at `path` and read all of it, a table at a time. Raises what `opener` raises."""
    return read_rows(opener(path), sink, scope)


def read_rows(index: Any, sink: EventSink, scope: CancelScope) -> Opened:
    """Read all of an index that is open, a table at a time, and the settings of its project."""
    getattr(index, "settings", None)  # a file: no view waits for the disk
    for done, part in enumerate(PARTS, start=1):
        scope.checkpoint()
        getattr(index, part)
        sink(StageProgress("open", done, len(PARTS)))
        time.sleep(0.001)  # lets a waiting window have the interpreter
    return replace(rank_communities(index), targets=find_targets(index))


def find_targets(index: Any) -> tuple[Target, ...]:
    """Everything that can be gone to by name: reports first, then communities that have none, then entities."""
    targets = []
    for row in index.communities:
        report = index.report_by_community.get(row.community)
        title = report.title if report is not None else row.title
        detail = f"community {row.community} · level {row.level} · {counted(row.size, 'entity', 'entities')}"
        kind = "report" if report is not None else "community"
        targets.append(Target(kind, row.community, title, detail, title.casefold()))
    targets.sort(key=lambda target: target.kind != "report")
    for position, entity in enumerate(index.entities):
        if position % 2000 == 0:
            time.sleep(0.001)
        detail = f"{entity.type or 'entity'} · {counted(entity.degree, 'relationship')}"
        targets.append(Target("entity", entity.id, entity.title, detail, entity.title.casefold()))
    return tuple(targets)


def open_or_find_documents(path: Path) -> Any:
    """Open the index at `path`. Raises NoIndexYet where it is a folder of documents, OpenError and InputError else."""
    from explorer.tables.index import open_index
    from explorer.tables.locate import leads_elsewhere, locate

    try:
        locate(path)
    except OpenError as error:
        if not path.is_dir() or _old_tables(path) or leads_elsewhere(path):
            raise
        raise NoIndexYet(error.sentence) from error
    return open_index(path)


def _old_tables(path: Path) -> bool:
    return any(next(place.glob("create_final_*.parquet"), None) for place in (path, path / "output") if place.is_dir())


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
