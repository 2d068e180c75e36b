"""The rows of an index as the program holds them, one frozen class a table.

`number` is the table's human_readable_id: the number that citations use. A column that a table does not have
becomes None, (), "" or 0.
"""

from __future__ import annotations

from dataclasses import dataclass

ROOT = -1  # the parent of a community that has none
DEEPEST = 1_000_000  # a level below it is a slip, and is derived


@dataclass(frozen=True, slots=True)
class EntityRow:
    id: str
    number: int
    title: str
    type: str
    description: str
    text_unit_ids: tuple[str, ...] = ()
    frequency: int = 0
    degree: int = 0


@dataclass(frozen=True, slots=True)
class RelationshipRow:
    """`source` and `target` are titles of entities. `weight` may be NaN in an index made elsewhere."""

    id: str
    number: int
    source: str
    target: str
    description: str
    weight: float
    combined_degree: int = 0
    text_unit_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CommunityRow:
    id: str
    community: int
    level: int
    parent: int  # ROOT where there is none
    children: tuple[int, ...]
    title: str
    entity_ids: tuple[str, ...] = ()
    relationship_ids: tuple[str, ...] = ()
    text_unit_ids: tuple[str, ...] = ()
    period: str = ""
    size: int = 0


@dataclass(frozen=True, slots=True)
class FindingRow:
    summary: str
    explanation: str


@dataclass(frozen=True, slots=True)
class ReportRow:
    id: str
    community: int
    level: int
    parent: int
    children: tuple[int, ...]
    title: str
    summary: str
    full_content: str
    rank: float | None  # 0 to 10; None where the report was not rated
    rating_explanation: str = ""
    findings: tuple[FindingRow, ...] = ()
    full_content_json: str = ""
    period: str = ""
    size: int = 0


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """A claim about an entity (GraphRAG's covariate). `subject_id` and `object_id` are names, not ids."""

    id: str
    number: int
    subject_id: str
    object_id: str = ""
    type: str = ""
    status: str = ""
    start_date: str = ""
    end_date: str = ""
    description: str = ""
    source_text: str = ""
    text_unit_id: str = ""


@dataclass(frozen=True, slots=True)
class UnitRow:
    id: str
    number: int
    text: str
    n_tokens: int
    document_id: str
    entity_ids: tuple[str, ...] = ()
    relationship_ids: tuple[str, ...] = ()
    covariate_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentRow:
    id: str
    number: int
    title: str
    text: str
    text_unit_ids: tuple[str, ...] = ()
    creation_date: str = ""
    raw_data: str | None = None


@dataclass(frozen=True, slots=True)
class SpanRow:
    """Where a text unit stands: characters `start` to `end` (exclusive) of its document, which comes from `path`."""

    text_unit_id: str
    document_id: str
    path: str
    start: int
    end: int
    page: int | None = None
