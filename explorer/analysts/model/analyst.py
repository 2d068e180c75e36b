"""The analyst that asks a language model for the judgements of indexing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from explorer.analysts.judgements import (
    ExtractedEntity,
    ExtractedRelationship,
    Extraction,
    ReportContext,
    UnitText,
    WrittenReport,
)
from explorer.analysts.model.call_counts import sum_counts
from explorer.analysts.model.describe import Described, describe_thing
from explorer.analysts.model.extract import ExtractionOptions, UnitReading, read_unit
from explorer.analysts.model.merge_graph import merge_graph
from explorer.analysts.model.report import ReportWriting, write_report
from explorer.analysts.model.together import together
from explorer.analysts.prompts import CLAIMS, Prompts, shipped
from explorer.base.cancel import CancelScope
from explorer.base.events import EventSink
from explorer.base.tokens import EncodingName
from explorer.models.calls import Caller

UNITS_FAILED = "text_units_failed"
JOINED = "descriptions_joined_without_model"
WITHOUT_TEXT = "communities_without_text"

Result = TypeVar("Result")


class Loop(Protocol):
    """Runs a coroutine from code that is not async; explorer.models.loop.ModelLoop is one."""

    def run(self, work: Coroutine[Any, Any, Result], /) -> Result: ...


class ModelAnalyst:
    """Implements IndexAnalyst and DescribingAnalyst.

    Parameters
    ----------
    client: makes the calls; it keeps their number within bounds, stores them and sends their events.
    loop: runs them beside the thread that asks.
    name: the connection's. grade: the names of its models, in words for the index.
    entity_types: which types are asked for; None is: any.
    max_gleanings: how often a text unit is read again for what was missed.
    claims, claim_description: whether claims are looked for, and which.
    max_description_length, max_report_length: words that the prompts allow.
    max_input_tokens: of one call that joins descriptions.
    tokenizer: counts those.

    Every judgement raises Cancelled where the scope was cancelled, and the client's own error where it ends the run;
    what came in until then is in the call store.
    """

    is_model = True

    def __init__(
        self,
        client: Caller,
        loop: Loop,
        *,
        name: str,
        grade: str,
        entity_types: Sequence[str] | None = None,
        max_gleanings: int = 1,
        claims: bool = False,
        claim_description: str = CLAIMS,
        prompts: Prompts | None = None,
        max_description_length: int = 500,
        max_report_length: int = 2000,
        max_input_tokens: int = 4000,
        tokenizer: EncodingName = "o200k_base",
    ) -> None:
        self.name = name
        self.grade = grade
        self.prompts = prompts or shipped()
        self._client = client
        self._loop = loop
        self._options = ExtractionOptions(
            None if entity_types is None else tuple(entity_types), max_gleanings, claims, claim_description
        )
        self._max_description_length = max_description_length
        self._max_report_length = max_report_length
        self._max_input_tokens = max_input_tokens
        self._tokenizer: EncodingName = tokenizer
        self._lost_in_reports: Counter[str] = Counter()

    def extract(self, units: Sequence[UnitText], *, sink: EventSink, scope: CancelScope) -> Extraction:
        """Entities, relationships and claims of the text units, with the units that could not be read.

        Descriptions of one thing are still apart: `describe` joins them. A unit that stands there twice is read once.
        """
        scope.checkpoint()
        distinct = list({unit.id: unit for unit in units}.values())

        async def read(unit: UnitText) -> UnitReading:
            return await read_unit(self._client, unit, self.prompts, self._options)

        readings = self._loop.run(together(distinct, read, stage="extract", sink=sink, scope=scope))
        merged = merge_graph(readings, self._options.entity_types)
        lost = sum((reading.lost for reading in readings), merged.dropped)
        failed = {reading.unit_id: reading.reason for reading in readings if reading.reason}
        if failed:
            lost[UNITS_FAILED] += len(failed)
        return Extraction(
            entities=merged.entities,
            relationships=merged.relationships,
            dropped=dict(sorted(lost.items())),
            calls=sum_counts(reading.calls for reading in readings),
            claims=merged.claims,
            failed_units=failed,
        )

    def describe(self, extraction: Extraction, *, sink: EventSink, scope: CancelScope) -> Extraction:
        """The same extraction with one description each. Where a call failed, the descriptions stand one below the
        other and are counted in `dropped`.
        """
        scope.checkpoint()
        things: list[ExtractedEntity | ExtractedRelationship] = [*extraction.entities, *extraction.relationships]
        things = [thing for thing in things if len(thing.descriptions) > 1]

        async def join(thing: ExtractedEntity | ExtractedRelationship) -> Described:
            return await describe_thing(
                self._client,
                thing_title(thing),
                thing.descriptions,
                prompts=self.prompts,
                max_length=self._max_description_length,
                max_input_tokens=self._max_input_tokens,
                tokenizer=self._tokenizer,
            )

        came = self._loop.run(together(things, join, stage="describe", sink=sink, scope=scope))
        texts = {thing_key(thing): described.text for thing, described in zip(things, came, strict=True)}
        lost = Counter(extraction.dropped)
        for described in came:
            if described.joined:
                lost[JOINED] += 1
            lost.update(described.lost)
        return replace(
            extraction,
            entities=tuple(_described(entity, texts) for entity in extraction.entities),
            relationships=tuple(_described(link, texts) for link in extraction.relationships),
            dropped=dict(sorted(lost.items())),
            calls=sum_counts([extraction.calls, *(described.calls for described in came)]),
        )

    def report(self, contexts: Sequence[ReportContext], *, sink: EventSink, scope: CancelScope) -> list[WrittenReport]:
        """The reports that came, in the order of the contexts. What was lost on the way is in `take_report_losses`."""
        scope.checkpoint()

        async def write(context: ReportContext) -> ReportWriting:
            return await write_report(
                self._client, context, prompts=self.prompts, max_report_length=self._max_report_length
            )

        came = self._loop.run(together(contexts, write, stage="reports", sink=sink, scope=scope))
        for writing in came:
            if not writing.asked:
                self._lost_in_reports[WITHOUT_TEXT] += 1
            self._lost_in_reports.update(writing.lost)
        return [writing.report for writing in came if writing.report is not None]

    def take_report_losses(self) -> dict[str, int]:
        """What the reports since the last time lost, by name: communities without text that no model was asked about,
        citations of rows that were not sent, ratings that had to be held between 0 and 10 …
        """
        lost, self._lost_in_reports = self._lost_in_reports, Counter()
        return dict(sorted(lost.items()))


def thing_title(thing: ExtractedEntity | ExtractedRelationship) -> str:
    """By which name a model and a person know an entity or a relationship."""
    return thing.title if isinstance(thing, ExtractedEntity) else f"{thing.source} — {thing.target}"


def thing_key(thing: ExtractedEntity | ExtractedRelationship) -> tuple[str, ...]:
    return (thing.title,) if isinstance(thing, ExtractedEntity) else (thing.source, thing.target)


Thing = TypeVar("Thing", ExtractedEntity, ExtractedRelationship)


def _described(thing: Thing, texts: dict[tuple[str, ...], str]) -> Thing:
    text = texts.get(thing_key(thing))
    return thing if text is None else replace(thing, description=text, descriptions=())
