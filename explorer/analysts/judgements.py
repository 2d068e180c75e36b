"""The seven judgements of the pipeline, as data: what an analyst is given and what it brings back.

Judgements of indexing (extract, describe, report) give structured values; judgements of search (rate, map, reduce,
answer) give the raw reply of one call, because the search shows, repairs and counts what came back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from explorer.base.cancel import CancelScope
from explorer.base.events import EventSink
from explorer.base.fates import CallFate
from explorer.models.calls import Attempt

if TYPE_CHECKING:
    from explorer.analysts.message import Message


@dataclass(frozen=True)
class Reply:
    """What one call brought back, with its price in tokens.

    `fate` is ok, cached, failed or cancelled here; the reader of the text may find it malformed or repair it.
    `billed` is the number of attempts that a server would charge for.
    """

    text: str
    messages: tuple[Message, ...]
    prompt_tokens: int
    output_tokens: int
    model: str
    fate: CallFate = CallFate.OK
    seconds: float = 0.0
    retries: int = 0
    billed: bool = True
    error: str | None = None
    cost: float | None = None  # US dollars of all attempts, where the analyst knows its prices
    key: str = ""  # finds the call in the call store
    billed_prompt_tokens: int | None = None  # of all attempts, where they differ from those of the one that stands
    billed_output_tokens: int | None = None
    note: str = ""  # what was repaired, in one sentence
    attempts: tuple[Attempt, ...] = ()  # the requests that went out for it, oldest first


@dataclass(frozen=True)
class UnitText:
    """A text unit as extraction reads it."""

    id: str
    text: str
    document_id: str = ""


@dataclass(frozen=True)
class ExtractedEntity:
    title: str
    type: str
    description: str
    text_unit_ids: tuple[str, ...]  # in the order of the units given, each once
    frequency: int  # number of text units that name it
    descriptions: tuple[str, ...] = ()  # distinct, sorted, where they are still to be joined


@dataclass(frozen=True)
class ExtractedRelationship:
    source: str  # titles; source < target
    target: str
    description: str
    weight: float
    text_unit_ids: tuple[str, ...]
    descriptions: tuple[str, ...] = ()  # distinct, sorted, where they are still to be joined


@dataclass(frozen=True)
class ExtractedClaim:
    """A claim of one text unit, in GraphRAG's terms (a covariate). Empty strings where the text does not say."""

    subject: str  # an entity's title
    object: str
    type: str
    status: str  # TRUE | FALSE | SUSPECTED
    description: str
    start_date: str
    end_date: str
    source_text: str
    text_unit_id: str


@dataclass(frozen=True)
class CallCount:
    """Calls that a language model would have been charged for in one stage of indexing."""

    count: int = 0
    cached: int = 0
    failed: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None  # US dollars, where a price is known


@dataclass(frozen=True)
class Extraction:
    """Entities and relationships of all text units, each title once, sorted by title.

    `dropped` counts by reason what was found and left out (pairs at or below zero, phrases seen once …).
    """

    entities: tuple[ExtractedEntity, ...]
    relationships: tuple[ExtractedRelationship, ...]
    dropped: dict[str, int] = field(default_factory=dict)
    calls: CallCount = CallCount()
    claims: tuple[ExtractedClaim, ...] = ()  # by text unit, then as the model listed them
    failed_units: dict[str, str] = field(default_factory=dict)  # text unit's id → why it was not read


@dataclass(frozen=True)
class MemberEntity:
    """An entity of a community as its report reads it. `number` is the human_readable_id that citations use."""

    id: str
    number: int
    title: str
    type: str
    description: str
    degree: int
    inner_degree: int  # number of neighbours inside the community
    text_unit_ids: tuple[str, ...]


@dataclass(frozen=True)
class MemberRelationship:
    id: str
    number: int
    source: str
    target: str
    description: str
    weight: float
    combined_degree: int
    text_unit_ids: tuple[str, ...]


@dataclass(frozen=True)
class MemberUnit:
    id: str
    number: int
    text: str


@dataclass(frozen=True)
class MemberClaim:
    """A claim about a member of a community. `number` is the human_readable_id that citations use."""

    id: str
    number: int
    subject: str
    object: str
    type: str
    status: str
    description: str


@dataclass(frozen=True)
class ChildReport:
    community: int
    title: str
    summary: str
    size: int


@dataclass(frozen=True)
class ReportContext:
    """What a report is written from.

    `entities` are sorted by inner degree (descending), then title; `relationships` by the inner degrees of both ends
    together (descending), then source and target; `claims` by their subject as the entities are, then by what they
    say: in an order of content, whatever the rows are numbered. `units` are those that the community's entities stand
    in, by number. `children` is empty for a leaf; `from_children` says that the members did not fit the budget. `size`
    and `links` count members and relationships of the whole community, of which those that fit stand here; 0 means
    that all of them do.
    """

    community: int
    level: int
    entities: tuple[MemberEntity, ...]
    relationships: tuple[MemberRelationship, ...]
    units: tuple[MemberUnit, ...]
    children: tuple[ChildReport, ...] = ()
    from_children: bool = False
    size: int = 0
    links: int = 0
    claims: tuple[MemberClaim, ...] = ()


@dataclass(frozen=True)
class Finding:
    summary: str
    explanation: str


@dataclass(frozen=True)
class WrittenReport:
    community: int
    title: str
    summary: str
    findings: tuple[Finding, ...]
    rating: float  # 0 to 10
    rating_explanation: str


@dataclass(frozen=True)
class ReportBatch:
    """A map batch as an analyst reads it: the exact text that a model would be sent, and the reports in it."""

    text: str
    communities: tuple[int, ...]
    contents: tuple[str, ...]  # full_content of each, in the order of the batch
    prompt_tokens: int | None = None  # of the messages that a model is sent, where they are counted already
    index: int = 0  # its place among the batches of the run, from 0


@dataclass(frozen=True)
class KeptPoint:
    """A point that the reduce step reads."""

    batch: int
    text: str
    score: int
    rank: int


@runtime_checkable
class IndexAnalyst(Protocol):
    """The judgements of indexing."""

    name: str  # "offline" or the connection's name
    grade: str  # which grade or model ran, in words for the index

    def extract(self, units: Sequence[UnitText], *, sink: EventSink, scope: CancelScope) -> Extraction: ...

    def report(self, contexts: Sequence[ReportContext], *, sink: EventSink, scope: CancelScope) -> list[WrittenReport]:
        """Reports of one level, in the order of the contexts; called level by level, deepest first."""
        ...


@runtime_checkable
class DescribingAnalyst(Protocol):
    """An analyst that joins several descriptions of one thing by a judgement of its own.

    Its `extract` gives entities and relationships whose `descriptions` are still apart.
    """

    def describe(self, extraction: Extraction, *, sink: EventSink, scope: CancelScope) -> Extraction:
        """The same extraction with one description each; a call that failed leaves the descriptions joined as they
        are, and is counted in `dropped`."""
        ...


@runtime_checkable
class PreparedAnalyst(Protocol):
    """An analyst that keeps something on disk to answer from, made when the tables of an index are."""

    def prepare(self, output: Path, home: Path, *, scope: CancelScope) -> None:
        """Make it from the tables in `output` and keep it in `home`."""
        ...


@runtime_checkable
class SearchAnalyst(Protocol):
    """The judgements of search. Each call gives one Reply; none of them raises for a bad reply."""

    name: str
    model: str

    async def map(self, question: str, batch: ReportBatch) -> Reply:
        """JSON under the schema map_points: {"points": [{"description": str, "score": int 0..100}]}."""
        ...

    async def reduce(self, question: str, points: Sequence[KeptPoint], data: str) -> Reply:
        """Plain text. `data` is the report data of the reduce prompt, as packed."""
        ...

    async def rate(self, question: str, report: str) -> Reply:
        """JSON under the schema community_rating: {"rating": 0..5, "reason": str}."""
        ...


@runtime_checkable
class Embedder(Protocol):
    """Whoever turns texts into vectors."""

    name: str  # "offline" or the connection's name
    model: str  # those of two models must never stand in one table
    batch: int  # how many texts to give `embed` at one time: what is done is kept after each

    @property
    def dimension(self) -> int | None:
        """The length of its vectors; None while that is not known (a model's, before its first reply)."""
        ...

    def embed(self, texts: Sequence[str], *, sink: EventSink, scope: CancelScope) -> list[tuple[float, ...] | None]:
        """A vector of each text, in their order; None for one that could not be had (`error` says why).

        Sends its progress in texts. Raises Cancelled at a checkpoint, ModelStop where no call can succeed.
        """
        ...

    @property
    def error(self) -> str:
        """Why the last text that has no vector has none, or ""."""
        ...

    @property
    def spent(self) -> CallCount:
        """The calls that it made so far; none offline."""
        ...

    def remark(self) -> str:
        """One sentence on why these vectors are not to be trusted, or ""."""
        ...
