"""Which relationships stood in the prompts that GraphRAG writes its community reports from."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from explorer.base.token_cache import TokenCounter
from explorer.tables.index import Index
from explorer.tables.rows import CommunityRow, EntityRow, RelationshipRow

LIMIT = 8_000  # tokens: GraphRAG's community_reports.max_input_length
_ENTITIES = "-----Entities-----\nhuman_readable_id,title,description,degree\n"
_RELATIONSHIPS = "-----Relationships-----\nhuman_readable_id,source,target,description,combined_degree\n"
_EMPTY = "No Description"


@dataclass
class LeftOut:
    """Relationships `inside` the communities of all levels (one in two communities counts twice), those of them that
    no place was for (`crowded`, with one as `example`), and those that the limit of tokens cut off (`cut`)."""

    inside: int = 0
    crowded: int = 0
    cut: int = 0
    example: str = ""


def left_out(index: Index, limit: int | None) -> LeftOut:
    """Compare each community's own relationships with those that its prompt held; `limit` None cuts nothing.

    Source: graph_context/context_builder.py and sort_context.py of graphrag 3.3.0: of the relationships with both
    ends at the level, an entity carries the first in which it is the source, else the first in which it is the
    target; a community's prompt takes those of its entities by falling degree, until the next passes the limit.
    """
    found = LeftOut()
    prompts = _Prompts(index, limit) if limit is not None else None
    titles = {entity.id: entity.title for entity in index.entities}
    for level in index.levels:
        here = [row for row in index.communities if row.level == level]
        members = {row.community: dict.fromkeys(titles[key] for key in row.entity_ids if key in titles) for row in here}
        _compare(index, here, members, prompts, found)
    return found


def _compare(
    index: Index,
    communities: Sequence[CommunityRow],
    members: dict[int, dict[str, None]],
    prompts: _Prompts | None,
    found: LeftOut,
) -> None:
    at_level = {title for names in members.values() for title in names}
    as_source: dict[str, RelationshipRow] = {}
    as_target: dict[str, RelationshipRow] = {}
    for row in index.relationships:
        if row.source in at_level and row.target in at_level:
            as_source.setdefault(row.source, row)
            as_target.setdefault(row.target, row)
    for community in communities:
        names = members[community.community]
        found_rows = (as_source.get(name) or as_target.get(name) for name in names)
        carried = {row.id: row for row in found_rows if row is not None}
        inner = dict.fromkeys(community.relationship_ids)
        lost = [key for key in inner if key not in carried]
        sent = prompts.within_limit(list(carried.values()), names) if prompts is not None else set(carried)
        found.inside += len(inner)
        found.crowded += len(lost)
        found.cut += sum(key in carried and key not in sent for key in inner)
        if lost and not found.example and lost[0] in index.relationship_by_id:
            first = index.relationship_by_id[lost[0]]
            found.example = f"{first.source} – {first.target}"


class _Prompts:
    """Counts prompts by their rows: each is written and counted once, and the counts of rows add up, for a row begins
    with a digit and ends with one."""

    def __init__(self, index: Index, limit: int) -> None:
        self._entities = index.entity_by_title
        self._limit = limit
        self._counter = TokenCounter("cl100k_base")  # as graphrag's command line counts
        self._tokens: dict[str, int] = {}
        self._lines: dict[str, str] = {}

    def within_limit(self, rows: list[RelationshipRow], names: dict[str, None]) -> set[str]:
        """The ids of the relationships that a prompt holds."""
        rows.sort(key=lambda row: (-row.combined_degree, row.number))
        steps: list[list[str]] = []
        seen: set[str] = set()
        for row in rows:
            ends = [end for end in dict.fromkeys((row.source, row.target)) if end in names and end not in seen]
            seen.update(ends)
            steps.append([*(self._entity(self._entities[end]) for end in ends), self._relationship(row)])
        if sum(len(line.encode("utf-8", "replace")) for step in steps for line in step) <= self._limit - 200:
            return {row.id for row in rows}  # a token has a byte at the least
        new = dict.fromkeys(line for step in steps for line in step if line not in self._tokens)
        self._tokens.update(zip(new, self._counter.count_all(list(new)), strict=True))
        total = self._counter.count(_ENTITIES) + self._counter.count(_RELATIONSHIPS)
        kept: list[str] = []
        for row, step in zip(rows, steps, strict=True):
            total += sum(self._tokens[line] for line in step)
            if total > self._limit:
                break
            kept.append(row.id)
        return set(kept or [row.id for row in rows[:1]])  # what does not fit even alone is sent all the same

    def _entity(self, row: EntityRow) -> str:
        return self._line(f"e{row.id}", row.number, row.title, row.description or _EMPTY, row.degree)

    def _relationship(self, row: RelationshipRow) -> str:
        return self._line(
            f"r{row.id}", row.number, row.source, row.target, row.description or _EMPTY, row.combined_degree
        )

    def _line(self, key: str, *cells: object) -> str:
        if key not in self._lines:
            text = io.StringIO()
            csv.writer(text, lineterminator="\n").writerow(cells)
            self._lines[key] = text.getvalue()
        return self._lines[key]
