"""The context of local search: reports, entities, relationships, claims and sources around the entities found.

Source: LocalSearchMixedContext of graphrag 3.3.0, as its command line calls it. Its losses are fates here: an entity
table that fills the whole budget starves the relationships, and the first row that does not fit ends its table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from explorer.base.errors import InputError
from explorer.base.fates import RowFate
from explorer.base.token_cache import TokenCounter
from explorer.search.local.options import LocalOptions
from explorer.search.local.relationships import RelationshipChooser
from explorer.search.local.reports import communities_of, rank_reports, reports_section
from explorer.search.local.table import Section, build_section
from explorer.search.trace import RowEntry
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
    for key in entity_ids:
        entity = index.entity_by_id.get(key) or index.entity_by_id.get(key.replace("-", ""))
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


def _reports(
    index: Index,
    selected: Sequence[EntityRow],
    homes: dict[str, list[int]],
    options: LocalOptions,
    budget: int,
    rows: _Rows,
    counter: TokenCounter,
) -> str:
    if not selected or not index.reports:
        return ""
    ranked = rank_reports(index, selected, homes, options.level)
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
    cells = [[str(row.number), row.title, row.description, str(row.degree)] for row in selected]
    entities = build_section("Entities", _ENTITY_HEADER, cells, budget, counter)
    rows.add("entities", [row.id for row in selected], entities.row_tokens, entities.kept)
    spent = counter.count(entities.text)
    claims = _Claims(index)
    best: list[Section] = []
    for count in range(1, len(selected) + 1):
        header, offered, links = chooser.table(selected[:count])
        sections = [build_section("Relationships", header, offered, budget, counter) if offered else _EMPTY]
        sections.append(claims.section(selected[:count], budget, counter))
        last = (links, sections[0], claims.keys, sections[1])
        if spent + sum(counter.count(section.text) for section in sections) > budget:
            _settle(rows, last, none_kept=not best, kept_before=best)
            break
        best = sections
    else:
        _settle(rows, last, none_kept=False, kept_before=best)
    return entities.text + "\n\n" + "\n\n".join(section.text for section in best)


_EMPTY = Section("", 0, ())


def _settle(
    rows: _Rows,
    last: tuple[list[RelationshipRow], Section, list[str], Section],
    *,
    none_kept: bool,
    kept_before: Sequence[Section],
) -> None:
    """Fates of the rows that the last try offered: kept are as many as stand in the tables that were kept."""
    links, relationships, claim_keys, claims = last
    kept = [0, 0] if none_kept else [section.kept for section in kept_before]
    inside = _ids_in(kept_before[0]) if kept_before and not none_kept else set()
    tokens = dict(zip([row.id for row in links], relationships.row_tokens, strict=False))
    for row in links:
        fate = RowFate.IN_CONTEXT if str(row.number) in inside else RowFate.CUT_BY_BUDGET
        rows.entries.append(RowEntry(table="relationships", id=row.id, tokens=tokens.get(row.id, 0), fate=fate))
    rows.add("claims", claim_keys, claims.row_tokens, kept[1])


def _ids_in(section: Section) -> set[str]:
    lines = section.text.split("\n")[2:]
    return {line.split("|", 1)[0] for line in lines if "|" in line}


class _Claims:
    """The claims about selected entities, entity by entity."""

    def __init__(self, index: Index) -> None:
        self._by_subject: dict[str, list[tuple[str, list[str]]]] = {}
        self._any = False
        self.keys: list[str] = []
        for claim in index.claims:
            self._any = True
            cells = [str(claim.number), claim.subject_id, *(getattr(claim, name) for name in _CLAIM_COLUMNS)]
            self._by_subject.setdefault(claim.subject_id, []).append((claim.id, cells))

    def section(self, selected: Sequence[EntityRow], budget: int, counter: TokenCounter) -> Section:
        offered = [claim for entity in selected for claim in self._by_subject.get(entity.title, ())]
        self.keys = [key for key, _ in offered]
        if not self._any:
            return _EMPTY
        return build_section("claims", _CLAIM_HEADER, [cells for _, cells in offered], budget, counter)


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
    places = {unit.id: place for place, unit in enumerate(index.text_units)}
    seen: set[str] = set()
    found: list[tuple[int, int, int, UnitRow]] = []
    for order, entity in enumerate(selected):
        links = chooser.touching(entity.title)
        for key in entity.text_unit_ids:
            unit = index.unit_by_id.get(key)
            if unit is None or key in seen:
                continue
            seen.add(key)
            found.append((order, -_shared(links, unit), places[key], unit))
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
