"""What each report is written from, within a budget of tokens.

A community whose entities, claims and relationships fit is described by them. One that does not fit is written from
the reports of its children, with as many of its own strongest relationships as the rest of the budget holds; where it
has no children, its weakest relationships are cut. Source: sub-community substitution as GraphRAG's paper and its
versions up to 1.2 have it (D. Edge and others, From Local to Global, arXiv 2404.16130, section 3.1.5).

What stands in a context, its order and its size come from the content of the community alone: no number of a row and
no degree in the whole graph takes part, so that a change elsewhere leaves it, and a report paid for, as they were.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from explorer.analysts.judgements import (
    ChildReport,
    MemberClaim,
    MemberEntity,
    MemberRelationship,
    MemberUnit,
    ReportContext,
    WrittenReport,
)
from explorer.analysts.model.report_context import without_citations
from explorer.base.tokens import encoding
from explorer.corpus.material import TextUnit
from explorer.indexing.claims import ClaimRow
from explorer.indexing.rows import GraphRows
from explorer.tables.rows import CommunityRow, EntityRow, RelationshipRow

CUT_ENTITIES = "entity_cut_from_report_context"
CUT_RELATIONSHIPS = "relationship_cut_from_report_context"
CUT_CLAIMS = "claim_cut_from_report_context"

_CLAIMS_SHARE = 0.2  # of a budget that is too small for all, what claims may take before relationships
_ENTITY_HEADER = "-----Entities-----\nid,title,type,description,degree\n"
_CLAIM_HEADER = "\n\n-----Claims-----\nid,subject,object,type,status,description\n"
_RELATIONSHIP_HEADER = "\n\n-----Relationships-----\nid,source,target,description\n"
_REPORT_HEADER = "-----Reports-----\nid,title,summary\n"
# Ids in a context are local to it, degrees those inside the community: up to 999 they are one token, as these are.
_ID, _DEGREE = "0,", "0"


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
    claims: those of the index; each is read with the community that its subject belongs to.
    """

    def __init__(
        self,
        graph: GraphRows,
        communities: Sequence[CommunityRow],
        units: Sequence[TextUnit],
        max_input_tokens: int,
        claims: Sequence[ClaimRow] = (),
    ) -> None:
        self._budget = max_input_tokens
        self._sizes = {row.community: row.size for row in communities}
        self._entities = {entity.id: entity for entity in graph.entities}
        self._relationships = {item.id: item for item in graph.relationships}
        self._claims: dict[str, list[MemberClaim]] = {}
        for row in claims:
            self._claims.setdefault(row.claim.subject, []).append(row.member())
        self._units = {unit.id: MemberUnit(unit.id, number, unit.text) for number, unit in enumerate(units)}
        self._encode = encoding("cl100k_base").encode_ordinary
        self._counts: dict[str, int] = {}

    def build(self, communities: Sequence[CommunityRow], written: Mapping[int, WrittenReport]) -> LevelContexts:
        """The contexts of some communities; `written` holds the reports of the levels below."""
        dropped: dict[str, int] = {}
        contexts = []
        tokens: dict[int, int] = {}
        for community in sorted(communities, key=lambda row: row.community):
            context, cut = self._context(community, written)
            tokens[community.community] = self._context_size(context)
            for name, number in cut.items():
                if number:
                    dropped[name] = dropped.get(name, 0) + number
            contexts.append(context)
        return LevelContexts(tuple(contexts), tokens, dropped)

    def _context(
        self, community: CommunityRow, written: Mapping[int, WrittenReport]
    ) -> tuple[ReportContext, dict[str, int]]:
        inner = [self._relationships[key] for key in community.relationship_ids]
        degrees: dict[str, int] = {}
        for item in inner:
            for end in {item.source, item.target}:
                degrees[end] = degrees.get(end, 0) + 1
        inner.sort(key=lambda item: (-degrees[item.source] - degrees[item.target], item.source, item.target))
        members = [self._entities[key] for key in community.entity_ids]
        members.sort(key=lambda entity: (-degrees.get(entity.title, 0), entity.title))
        claims = [claim for member in members for claim in sorted(self._claims.get(member.title, ()), key=_said)]
        # Children are numbered by their size, then by their first title: the order of numbers is one of content.
        children = tuple(
            ChildReport(child, written[child].title, written[child].summary, self._sizes[child])
            for child in community.children
            if child in written
        )
        fits = self._size(members, claims, inner, self._budget) <= self._budget
        from_children = not fits and bool(children)
        kept_members, kept_claims, kept_inner = members, claims, inner
        if not fits:
            spent = self._reports_size(children) if from_children else 0
            kept_members, kept_claims, kept_inner = self._fill(members, claims, inner, self._budget - spent)
        context = ReportContext(
            community=community.community,
            level=community.level,
            entities=tuple(_member(entity, degrees.get(entity.title, 0)) for entity in kept_members),
            relationships=tuple(_relationship(item) for item in kept_inner),
            units=self._member_units(kept_members),
            claims=tuple(kept_claims),
            children=children,
            from_children=from_children,
            size=len(members),
            links=len(inner),
        )
        if from_children:  # what is not in the context is in the children's reports: nothing is lost
            return context, {}
        return context, {
            CUT_ENTITIES: len(members) - len(kept_members),
            CUT_RELATIONSHIPS: len(inner) - len(kept_inner),
            CUT_CLAIMS: len(claims) - len(kept_claims),
        }

    def _fill(
        self,
        members: Sequence[EntityRow],
        claims: Sequence[MemberClaim],
        inner: Sequence[RelationshipRow],
        budget: int,
    ) -> tuple[list[EntityRow], list[MemberClaim], list[RelationshipRow]]:
        """The three members of highest inner degree, then relationships in their order, with their ends, that fit.

        A share of the budget is held back for claims; those of the members that are kept follow as far as they fit.
        """
        by_title = {entity.title: entity for entity in members}
        kept = {entity.title for entity in members[:3]}
        used = self._headers(claims)
        used += sum(self._entity_size(by_title[title]) for title in sorted(kept))
        wanted = sum(map(self._claim_size, claims))
        reserved = min(wanted, int(budget * _CLAIMS_SHARE))
        relationships: list[RelationshipRow] = []
        for item in inner:
            new = {item.source, item.target} - kept
            cost = self._relationship_size(item)
            cost += sum(self._entity_size(by_title[title]) for title in new)
            if used + cost > budget - reserved:
                break
            used += cost
            kept |= new
            relationships.append(item)
        kept_claims: list[MemberClaim] = []
        for claim in claims:
            cost = self._claim_size(claim)
            if claim.subject in kept and used + cost <= budget:
                used += cost
                kept_claims.append(claim)
        return [entity for entity in members if entity.title in kept], kept_claims, relationships

    def _size(
        self,
        members: Sequence[EntityRow],
        claims: Sequence[MemberClaim],
        inner: Sequence[RelationshipRow],
        limit: float = math.inf,
    ) -> int:
        """Tokens of a context without reports; what is over the limit is not counted to its end."""
        size = self._headers(claims)
        for entity in members:
            size += self._entity_size(entity)
            if size > limit:  # far over is as good as just over
                return size
        return size + sum(map(self._claim_size, claims)) + sum(map(self._relationship_size, inner))

    def _context_size(self, context: ReportContext) -> int:
        size = self._reports_size(context.children) if context.from_children else 0
        members = [self._entities[member.id] for member in context.entities]
        inner = [self._relationships[item.id] for item in context.relationships]
        return size + self._size(members, context.claims, inner)

    def _headers(self, claims: Sequence[MemberClaim]) -> int:
        size = self._tokens("entities", _ENTITY_HEADER) + self._tokens("relationships", _RELATIONSHIP_HEADER)
        return size + (self._tokens("claims", _CLAIM_HEADER) if claims else 0)

    def _reports_size(self, children: Sequence[ChildReport]) -> int:
        # A summary's citations name rows by numbers that change elsewhere; no model is sent them.
        rows = (_row(without_citations(child.title), without_citations(child.summary)) for child in children)
        text = _REPORT_HEADER + "".join(rows)
        return len(self._encode(text))

    def _entity_size(self, entity: EntityRow) -> int:
        return self._tokens(entity.id, _row(entity.title, entity.type, entity.description, _DEGREE))

    def _relationship_size(self, item: RelationshipRow) -> int:
        return self._tokens(item.id, _row(item.source, item.target, item.description))

    def _claim_size(self, claim: MemberClaim) -> int:
        return self._tokens(claim.id, _row(claim.subject, claim.object, claim.type, claim.status, claim.description))

    def _tokens(self, key: str, text: str) -> int:
        known = self._counts.get(key)
        if known is None:
            known = self._counts[key] = len(self._encode(text))
        return known

    def _member_units(self, members: Sequence[EntityRow]) -> tuple[MemberUnit, ...]:
        ids = {unit for entity in members for unit in entity.text_unit_ids}
        return tuple(sorted((self._units[unit] for unit in ids), key=lambda unit: unit.number))


def _row(*fields: str) -> str:
    """A row as a context shows it: comma-separated values after an id."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(fields)
    return _ID + out.getvalue()


def _said(claim: MemberClaim) -> tuple[str, ...]:
    return claim.object, claim.type, claim.status, claim.description, claim.id


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
