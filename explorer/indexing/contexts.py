"""What each report is written from, within a budget of tokens.

A community whose entities and relationships fit is described by them. One that does not fit is written from the
reports of its children, with as many of its own strongest relationships as the rest of the budget holds; where it has
no children, its weakest relationships are cut. Source: sub-community substitution as GraphRAG's paper and its versions
up to 1.2 have it (D. Edge and others, From Local to Global, arXiv 2404.16130, section 3.1.5).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from explorer.analysts.judgements import (
    ChildReport,
    MemberEntity,
    MemberRelationship,
    MemberUnit,
    ReportContext,
    WrittenReport,
)
from explorer.base.tokens import encoding
from explorer.corpus.material import TextUnit
from explorer.indexing.rows import GraphRows
from explorer.tables.rows import CommunityRow, EntityRow, RelationshipRow

CUT_ENTITIES = "entity_cut_from_report_context"
CUT_RELATIONSHIPS = "relationship_cut_from_report_context"

_ENTITY_HEADER = "-----Entities-----\nhuman_readable_id,title,description,degree\n"
_RELATIONSHIP_HEADER = "\n\n-----Relationships-----\nhuman_readable_id,source,target,description,combined_degree\n"
_REPORT_HEADER = "-----Reports-----\ncommunity,title,summary\n"


@dataclass(frozen=True)
class LevelContexts:
    """The contexts of one level by community number.

    `tokens` holds the size of each context in cl100k_base tokens, as the budget counts it (row by row, unquoted);
    `dropped` counts rows that the budget cut and that no child's report holds, by kind.
    """

    contexts: tuple[ReportContext, ...]
    tokens: dict[int, int]
    dropped: dict[str, int]


class ContextBuilder:
    """Builds the contexts of any level of one index; rows are measured once.

    Parameters
    ----------
    graph, communities, units: all of the index, the units in the order of their numbers.
    max_input_tokens: the budget of one context in cl100k_base tokens.
    """

    def __init__(
        self, graph: GraphRows, communities: Sequence[CommunityRow], units: Sequence[TextUnit], max_input_tokens: int
    ) -> None:
        self._budget = max_input_tokens
        self._sizes = {row.community: row.size for row in communities}
        self._entities = {entity.id: entity for entity in graph.entities}
        self._relationships = {item.id: item for item in graph.relationships}
        self._units = {unit.id: MemberUnit(unit.id, number, unit.text) for number, unit in enumerate(units)}
        self._encode = encoding("cl100k_base").encode_ordinary
        self._counts: dict[str, int] = {}

    def build(self, communities: Sequence[CommunityRow], written: Mapping[int, WrittenReport]) -> LevelContexts:
        """The contexts of some communities; `written` holds the reports of the levels below."""
        dropped: dict[str, int] = {}
        contexts = []
        tokens: dict[int, int] = {}
        for community in sorted(communities, key=lambda row: row.community):
            context, entities, relationships = self._context(community, written)
            tokens[community.community] = self._context_size(context)
            for name, number in ((CUT_ENTITIES, entities), (CUT_RELATIONSHIPS, relationships)):
                if number:
                    dropped[name] = dropped.get(name, 0) + number
            contexts.append(context)
        return LevelContexts(tuple(contexts), tokens, dropped)

    def _context(self, community: CommunityRow, written: Mapping[int, WrittenReport]) -> tuple[ReportContext, int, int]:
        inner = [self._relationships[key] for key in community.relationship_ids]
        inner.sort(key=lambda item: (-item.combined_degree, item.number))
        degrees: dict[str, int] = {}
        for item in inner:
            for end in {item.source, item.target}:
                degrees[end] = degrees.get(end, 0) + 1
        members = [self._entities[key] for key in community.entity_ids]
        members.sort(key=lambda entity: (-degrees.get(entity.title, 0), entity.title))
        children = tuple(
            ChildReport(child, written[child].title, written[child].summary, self._sizes[child])
            for child in community.children
            if child in written
        )
        fits = self._size(members, inner) <= self._budget
        from_children = not fits and bool(children)
        kept_members, kept_inner = members, inner
        if not fits:
            spent = self._reports_size(children) if from_children else 0
            kept_members, kept_inner = self._fill(members, inner, self._budget - spent)
        context = ReportContext(
            community=community.community,
            level=community.level,
            entities=tuple(_member(entity, degrees.get(entity.title, 0)) for entity in kept_members),
            relationships=tuple(_relationship(item) for item in kept_inner),
            units=self._member_units(kept_members),
            children=children,
            from_children=from_children,
            size=len(members),
            links=len(inner),
        )
        if from_children:  # what is not in the context is in the children's reports: nothing is lost
            return context, 0, 0
        return context, len(members) - len(kept_members), len(inner) - len(kept_inner)

    def _fill(
        self, members: Sequence[EntityRow], inner: Sequence[RelationshipRow], budget: int
    ) -> tuple[list[EntityRow], list[RelationshipRow]]:
        """The three members of highest inner degree, then relationships in their order, with their ends, that fit."""
        by_title = {entity.title: entity for entity in members}
        kept = {entity.title for entity in members[:3]}
        used = self._headers() + sum(self._entity_size(by_title[title]) for title in sorted(kept))
        relationships: list[RelationshipRow] = []
        for item in inner:
            new = {item.source, item.target} - kept
            cost = self._relationship_size(item) + sum(self._entity_size(by_title[title]) for title in new)
            if used + cost > budget:
                break
            used += cost
            kept |= new
            relationships.append(item)
        return [entity for entity in members if entity.title in kept], relationships

    def _size(self, members: Sequence[EntityRow], inner: Sequence[RelationshipRow]) -> int:
        size = self._headers()
        for entity in members:
            size += self._entity_size(entity)
            if size > self._budget:  # far over is as good as just over
                return size
        return size + sum(self._relationship_size(item) for item in inner)

    def _context_size(self, context: ReportContext) -> int:
        members = [self._entities[member.id] for member in context.entities]
        inner = [self._relationships[item.id] for item in context.relationships]
        size = self._reports_size(context.children) if context.from_children else 0
        return size + self._headers() + sum(map(self._entity_size, members)) + sum(map(self._relationship_size, inner))

    def _headers(self) -> int:
        return self._tokens("entities", _ENTITY_HEADER) + self._tokens("relationships", _RELATIONSHIP_HEADER)

    def _reports_size(self, children: Sequence[ChildReport]) -> int:
        text = _REPORT_HEADER + "".join(f"{child.community},{child.title},{child.summary}\n" for child in children)
        return len(self._encode(text))

    def _entity_size(self, entity: EntityRow) -> int:
        return self._tokens(entity.id, f"{entity.number},{entity.title},{entity.description},{entity.degree}\n")

    def _relationship_size(self, item: RelationshipRow) -> int:
        row = f"{item.number},{item.source},{item.target},{item.description},{item.combined_degree}\n"
        return self._tokens(item.id, row)

    def _tokens(self, key: str, text: str) -> int:
        known = self._counts.get(key)
        if known is None:
            known = self._counts[key] = len(self._encode(text))
        return known

    def _member_units(self, members: Sequence[EntityRow]) -> tuple[MemberUnit, ...]:
        ids = {unit for entity in members for unit in entity.text_unit_ids}
        return tuple(sorted((self._units[unit] for unit in ids), key=lambda unit: unit.number))


def _member(entity: EntityRow, inner_degree: int) -> MemberEntity:
    return MemberEntity(
        id=entity.id,
        number=entity.number,
        title=entity.title,
        type=entity.type,
        description=entity.description,
        degree=entity.degree,
        inner_degree=inner_degree,
        text_unit_ids=entity.text_unit_ids,
    )


def _relationship(item: RelationshipRow) -> MemberRelationship:
    return MemberRelationship(
        id=item.id,
        number=item.number,
        source=item.source,
        target=item.target,
        description=item.description,
        weight=item.weight,
        combined_degree=item.combined_degree,
        text_unit_ids=item.text_unit_ids,
    )
