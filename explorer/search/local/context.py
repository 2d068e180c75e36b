"""The context of local search: reports, entities, relationships, claims and sources around the entities found.

Source: LocalSearchMixedContext of graphrag 3.3.0, as its command line calls it. Its losses are fates here: an entity
table that fills the whole budget starves the relationships, and the first row that does not fit ends its table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import UUID

from explorer.base.errors import InputError
from explorer.base.fates import RowFate
from explorer.base.token_cache import TokenCounter
from explorer.search.local.options import LocalOptions
from explorer.search.local.relationships import RelationshipChooser
from explorer.search.local.reports import communities_of, rank_reports, reports_section
from explorer.search.local.table import Section, build_section
from explorer.search.trace import RowEntry
from explorer.tables.empty_cells import as_graphrag_reads
from explorer.tables.rows import EntityRow, RelationshipRow, UnitRow

if TYPE_CHECKING:
    from explorer.tables.index import Index

_ENTITY_HEADER = ("id", "entity", "description", "number of relationships")
_CLAIM_HEADER = ("id", "entity", "object_id", "status", "start_date", "end_date", "description")
_CLAIM_COLUMNS = ("object_id", "status", "start_date", "end_date", "description")


@dataclass(frozen=True)
class LocalContext:
    """The text that is sent, the fate of every row that was a candidate, and what to know about it."""

    text: str
    rows: tuple[RowEntry, ...]
    notes: tuple[str, ...] = ()


@dataclass
class _Rows:
    entries: list[RowEntry] = field(default_factory=list)

    def add(self, table: str, keys: Sequence[str], tokens: Sequence[int], kept: int) -> None:
        for place, (key, count) in enumerate(zip(keys, tokens, strict=True)):
            fate = RowFate.IN_CONTEXT if place < kept else RowFate.CUT_BY_BUDGET
            self.entries.append(RowEntry(table=table, id=key, tokens=count, fate=fate))


def local_context(
    index: Index, entity_ids: Sequence[str], options: LocalOptions | None = None, *, counter: TokenCounter
) -> LocalContext:
    """Build the context for the entities that the vectors named, nearest first.

    Entities in no community at or below the level take no part (`not_a_candidate`), as in GraphRAG. Raises InputError
    where the two shares leave less than nothing.
    """
    options = options or LocalOptions()
    if options.community_prop + options.text_unit_prop > 1:
        raise InputError("community_prop and text_unit_prop are more than 1 together; nothing was asked.")
    homes = communities_of(index, options.level)
    rows = _Rows()
    selected: list[EntityRow] = []
    described = as_graphrag_reads(index, "entities", index.entities, ("title", "description"))
    by_id = index.entity_by_id if described is index.entities else {row.id: row for row in reversed(described)}
    for key in entity_ids:
        entity = by_id.get(key) or by_id.get(_plain(key))
        if entity is None or entity.id not in homes:
            rows.entries.append(RowEntry(table="entities", id=key, tokens=0, fate=RowFate.NOT_A_CANDIDATE))
        else:
            selected.append(entity)
    chooser = RelationshipChooser(index, options.top_k_relationships)
    budget = options.max_context_tokens
    parts = [_reports(index, selected, homes, options, max(int(budget * options.community_prop), 0), rows, counter)]
    local = max(int(budget * (1 - options.community_prop - options.text_unit_prop)), 0)
    parts.append(_entities(index, selected, chooser, local, rows, counter))
    parts.append(_sources(index, selected, chooser, max(int(budget * options.text_unit_prop), 0), rows, counter))
    text = "\n\n".join(part for part in parts if part.strip())
    return LocalContext(text, tuple(rows.entries), _notes(rows.entries, selected))


def _plain(key: str) -> str:
    """A UUID without its dashes; any other id as it is."""
    try:
        UUID(key)
    except ValueError:
        return key
    return key.replace("-", "")


def _reports(
    index: Index,
    selected: Sequence[EntityRow],
    homes: dict[str, list[int]],
    options: LocalOptions,
    budget: int,
    rows: _Rows,
    counter: TokenCounter,
) -> str:
    if not selected:
        return ""
    ranked = rank_reports(index, selected, homes, options.level)
    if ranked is None:
        return ""
    text, kept, tokens = reports_section(ranked, budget, counter)
    rows.add("reports", [report.id for report in ranked], tokens, kept)
    return text


def _entities(
    index: Index,
    selected: Sequence[EntityRow],
    chooser: RelationshipChooser,
    budget: int,
    rows: _Rows,
    counter: TokenCounter,
) -> str:
    """The tables of entities, relationships and claims; the last two grow entity by entity until it is too much."""
    if not selected:
        return "\n\n"
    # Where the table says nothing of degrees GraphRAG writes None.
    counted = "degree" in index.columns("entities") or any(row.degree for row in index.entities)
    cells = [[str(row.number), row.title, row.description, str(row.degree) if counted else "None"] for row in selected]
    entities = build_section("Entities", _ENTITY_HEADER, cells, budget, counter)
    rows.add("entities", [row.id for row in selected], entities.row_tokens, entities.kept)
    spent = counter.count(entities.text)
    claims = _Claims(index)
    best = last = _NONE
    for count in range(1, len(selected) + 1):
        header, offered, links = chooser.table(selected[:count])
        relationships = build_section("Relationships", header, offered, budget, counter) if offered else _EMPTY
        keys, section = claims.section(selected[:count], budget, counter)
        last = _Try(links, relationships, keys, section)
        if spent + sum(counter.count(table.text) for table in (relationships, section)) > budget:
            break
        best = last
    _settle(rows, best, last)
    tables = [] if best is _NONE else [best.relationships.text, best.claims.text]
    return entities.text + "\n\n" + "\n\n".join(tables)


_EMPTY = Section("", 0, ())


@dataclass(frozen=True)
class _Try:
    """The tables for some of the selected entities, and the rows that were offered to them."""

    links: list[RelationshipRow]
    relationships: Section
    keys: list[str]
    claims: Section


_NONE = _Try([], _EMPTY, [], _EMPTY)


def _settle(rows: _Rows, best: _Try, last: _Try) -> None:
    """Fates of all rows that were offered: what the tables that were kept hold, and what was offered last beside."""
    links = [row.id for row in best.links], [row.id for row in last.links]
    for table, keys, kept, offered, tried in (
        ("relationships", links[0], best.relationships, links[1], last.relationships),
        ("claims", best.keys, best.claims, last.keys, last.claims),
    ):
        rows.add(table, keys[: kept.kept], kept.row_tokens[: kept.kept], kept.kept)
        inside = Counter(keys[: kept.kept])
        for key, tokens in zip(offered, tried.row_tokens, strict=False):
            if inside[key]:
                inside[key] -= 1
            else:
                rows.add(table, [key], [tokens], 0)


class _Claims:
    """The claims about selected entities, entity by entity."""

    def __init__(self, index: Index) -> None:
        self._by_subject: dict[str, list[tuple[str, list[str]]]] = {}
        self._any = False
        for claim in as_graphrag_reads(index, "covariates", index.claims, ("subject_id", *_CLAIM_COLUMNS)):
            self._any = True
            cells = [str(claim.number), claim.subject_id, *(getattr(claim, name) for name in _CLAIM_COLUMNS)]
            self._by_subject.setdefault(claim.subject_id, []).append((claim.id, cells))

    def section(self, selected: Sequence[EntityRow], budget: int, counter: TokenCounter) -> tuple[list[str], Section]:
        offered = [claim for entity in selected for claim in self._by_subject.get(entity.title, ())]
        keys = [key for key, _ in offered]
        if not self._any:
            return keys, _EMPTY
        return keys, build_section("claims", _CLAIM_HEADER, [cells for _, cells in offered], budget, counter)


def _sources(
    index: Index,
    selected: Sequence[EntityRow],
    chooser: RelationshipChooser,
    budget: int,
    rows: _Rows,
    counter: TokenCounter,
) -> str:
    if not selected or not index.text_units:
        return ""
    # Of several text units with one id the last counts, as in GraphRAG.
    texts = as_graphrag_reads(index, "text_units", index.text_units, ("text",))
    units = {unit.id: (place, unit) for place, unit in enumerate(texts)}
    seen: set[str] = set()
    found: list[tuple[int, int, int, UnitRow]] = []
    for order, entity in enumerate(selected):
        links = chooser.touching(entity.title)
        for key in entity.text_unit_ids:
            if key not in units or key in seen:
                continue
            seen.add(key)
            place, unit = units[key]
            found.append((order, -_shared(links, unit), place, unit))
    found.sort(key=lambda item: item[:2])
    cells = [[str(place), unit.text] for _, _, place, unit in found]
    section = build_section("Sources", ("id", "text"), cells, budget, counter)
    rows.add("sources", [unit.id for _, _, _, unit in found], section.row_tokens, section.kept)
    return section.text if found else ""


def _shared(links: Sequence[RelationshipRow], unit: UnitRow) -> int:
    """How many of an entity's relationships stand in a text unit."""
    if not unit.relationship_ids:
        return sum(unit.id in row.text_unit_ids for row in links)
    own = {row.id for row in links}
    return sum(key in own for key in unit.relationship_ids)


def _notes(entries: Sequence[RowEntry], selected: Sequence[EntityRow]) -> tuple[str, ...]:
    notes = []
    outside = sum(entry.fate == RowFate.NOT_A_CANDIDATE for entry in entries)
    if outside:
        notes.append(
            f"{outside} of {outside + len(selected)} entities found are in no community at or below the level."
        )
    links = [entry for entry in entries if entry.table == "relationships"]
    if links and not any(entry.fate == RowFate.IN_CONTEXT for entry in links):
        notes.append(f"The entities left no room for any of {len(links)} relationships.")
    return tuple(notes)
