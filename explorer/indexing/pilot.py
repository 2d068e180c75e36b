"""A pilot: a few text units of a folder go through the whole pipeline first, and show what the rest will cost.

Text units are spread over the files. What is read is kept, so that the whole run does not pay for it twice. Merged
descriptions and reports of a few units are not those of the whole run, which makes them anew: of these the pilot makes
only a sample, enough to know how long they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from explorer.analysts.judgements import DescribingAnalyst, Extraction, IndexAnalyst, UnitText
from explorer.base.cancel import CancelScope
from explorer.base.events import CallSettled, Event
from explorer.base.fates import CallFate
from explorer.corpus.material import TextUnit
from explorer.graph.leiden import cluster
from explorer.graph.network import build_network
from explorer.indexing.claims import claim_rows
from explorer.indexing.communities import build_communities
from explorer.indexing.contexts import ContextBuilder
from explorer.indexing.options import IndexOptions
from explorer.indexing.pilot_result import GrowthPoint, PilotCall, PilotResult, PilotStage, PilotUnit
from explorer.indexing.progress import DESCRIBE, Progress, inside
from explorer.indexing.rows import graph_rows
from explorer.models.call_store import CallStore

SAMPLE = 10  # calls of descriptions, and of reports, that a pilot makes at most

Item = TypeVar("Item")


def choose_pilot_units(units: Sequence[TextUnit], n: int) -> list[TextUnit]:
    """`n` of the text units, in their order, spread evenly over the folder.

    Of equal stretches of the folder the middle unit each: long files give more units than short ones, as they do to
    the bill. The same units for the same folder; all where there are no more than `n`.
    """
    return spread(units, n)


def spread(items: Sequence[Item], n: int) -> list[Item]:
    """At most `n` items, evenly spread, in their order."""
    if n >= len(items):
        return list(items)
    return [items[(2 * position + 1) * len(items) // (2 * n)] for position in range(max(0, n))]


class Recorder:
    """Keeps the calls that it hears of, by stage."""

    def __init__(self, store: CallStore | None) -> None:
        self._store = store
        self.calls: dict[str, list[PilotCall]] = {}

    def __call__(self, event: Event, /) -> None:
        if isinstance(event, CallSettled):
            self.calls.setdefault(event.stage, []).append(self._call(event))

    def _call(self, event: CallSettled) -> PilotCall:
        prompt, output, seconds = event.prompt_tokens, event.output_tokens, event.seconds
        if self._store is not None and event.key and event.fate in (CallFate.OK, CallFate.CACHED, CallFate.REPAIRED):
            stored = self._store.get(event.key)
            if stored is not None:  # what the reply that stands took, without attempts that were charged beside it
                prompt, output, seconds = stored.prompt_tokens, stored.output_tokens, stored.seconds
        return PilotCall(
            subject=event.subject,
            fate=event.fate,
            prompt_tokens=prompt,
            output_tokens=output,
            billed_prompt_tokens=event.prompt_tokens,
            billed_output_tokens=event.output_tokens,
            cost=event.cost,
            seconds=seconds,
            retries=event.retries,
        )


def run_pilot(
    n: int,
    units: Sequence[TextUnit],
    analyst: IndexAnalyst,
    options: IndexOptions,
    *,
    describing: DescribingAnalyst | None,
    max_input_tokens: int,
    recorder: Recorder,
    progress: Progress,
    scope: CancelScope,
) -> PilotResult:
    """Run `n` text units through extraction, and samples of descriptions and reports. Writes nothing but calls.

    `recorder` has to hear the calls of the analyst; `describing` is the analyst where it joins descriptions.

    Raises Cancelled, ModelStop.
    """
    chosen = choose_pilot_units(units, n)
    with progress.stage("extract", len(chosen)) as counts:
        texts = [UnitText(unit.id, unit.text, unit.document_id) for unit in chosen]
        extraction = analyst.extract(texts, sink=inside(progress, "extract"), scope=scope)
        progress.rehearsed("extract", extraction.calls)
        counts.update(entities=len(extraction.entities), relationships=len(extraction.relationships))
    progress.files.add_titles(extraction)
    apart = apart_descriptions(extraction)
    if describing is not None:
        with progress.stage(DESCRIBE, min(apart, SAMPLE)):
            sample = _sample(extraction)
            described = describing.describe(sample, sink=inside(progress, DESCRIBE), scope=scope)
            extraction = _put_back(extraction, described)
    with progress.stage("graph"):
        graph = graph_rows(extraction)
        ends = [(item.source, item.target, item.weight) for item in graph.relationships]
        network = build_network(ends, [entity.title for entity in graph.entities])
        hierarchy = cluster(
            network,
            seed=options.seed,
            max_cluster_size=options.max_cluster_size,
            use_lcc=options.use_lcc,
            scope=scope,
        )
        communities = build_communities(hierarchy, graph, "").rows
    claims = claim_rows(extraction.claims, chosen).rows
    written = spread(sorted(communities, key=lambda row: (-row.level, -row.size, row.community)), SAMPLE)
    progress.files.add_communities(communities)
    with progress.stage("reports", len(written)):
        contexts = ContextBuilder(graph, communities, chosen, max_input_tokens, claims).build(written, {}).contexts
        analyst.report(contexts, sink=inside(progress, "reports"), scope=scope)
    wanted = {DESCRIBE: apart, "reports": len(communities)}
    return PilotResult(
        text_units=len(units),
        tokens=sum(unit.n_tokens for unit in units),
        units=_units(chosen, extraction),
        entities=len(extraction.entities),
        relationships=len(extraction.relationships),
        claims=len(extraction.claims),
        communities=dict(sorted(Counter(row.level for row in communities).items())),
        growth=growth(chosen, extraction),
        stages={
            stage: PilotStage(wanted=wanted.get(stage, len(recorder.calls.get(stage, ()))), calls=calls)
            for stage in dict.fromkeys([*recorder.calls, *wanted])
            # Replies come in any order; a pilot of the same replies says the same.
            for calls in [sorted(recorder.calls.get(stage, []), key=lambda call: (call.subject, call.prompt_tokens))]
        },
        seconds=dict(progress.seconds),
    )


def apart_descriptions(extraction: Extraction) -> int:
    """Entities and relationships that have several descriptions, still to be joined."""
    entities = sum(len(item.descriptions) > 1 for item in extraction.entities)
    return entities + sum(len(item.descriptions) > 1 for item in extraction.relationships)


def growth(units: Sequence[TextUnit], extraction: Extraction) -> list[GrowthPoint]:
    """What was known after each unit, in their order."""
    seen: dict[str, Counter[str]] = {"entity": Counter(), "relationship": Counter()}
    found: dict[str, list[tuple[str, str]]] = {}
    for entity in extraction.entities:
        for unit in set(entity.text_unit_ids):
            found.setdefault(unit, []).append(("entity", entity.title))
    for item in extraction.relationships:
        for unit in set(item.text_unit_ids):
            found.setdefault(unit, []).append(("relationship", f"{item.source}\x1f{item.target}"))
    repeated = Counter({"entity": 0, "relationship": 0})
    points = []
    for number, text_unit in enumerate(units, start=1):
        for kind, name in found.get(text_unit.id, ()):
            seen[kind][name] += 1
            repeated[kind] += seen[kind][name] == 2
        points.append(
            GrowthPoint(
                text_units=number,
                entities=len(seen["entity"]),
                relationships=len(seen["relationship"]),
                repeated_entities=repeated["entity"],
                repeated_relationships=repeated["relationship"],
            )
        )
    return points


def _units(chosen: Sequence[TextUnit], extraction: Extraction) -> list[PilotUnit]:
    entities = _by_unit(item.text_unit_ids for item in extraction.entities)
    relationships = _by_unit(item.text_unit_ids for item in extraction.relationships)
    claims = _by_unit((claim.text_unit_id,) for claim in extraction.claims)
    return [
        PilotUnit(
            id=unit.id,
            path=unit.path,
            tokens=unit.n_tokens,
            entities=entities[unit.id],
            relationships=relationships[unit.id],
            claims=claims[unit.id],
            failed=extraction.failed_units.get(unit.id, ""),
        )
        for unit in chosen
    ]


def _by_unit(ids: Iterable[Iterable[str]]) -> Counter[str]:
    return Counter(unit for item in ids for unit in set(item))


def _sample(extraction: Extraction) -> Extraction:
    """Things with several descriptions, a few of them: from those with the most to those with the fewest."""
    entities = [(len(item.descriptions), 0, item.title, "") for item in extraction.entities]
    links = [(len(item.descriptions), 1, item.source, item.target) for item in extraction.relationships]
    apart = sorted(
        (item for item in [*entities, *links] if item[0] > 1), key=lambda item: (-item[0], item[1], item[2], item[3])
    )
    chosen = {item[1:] for item in spread(apart, SAMPLE)}
    return replace(
        extraction,
        entities=tuple(item for item in extraction.entities if (0, item.title, "") in chosen),
        relationships=tuple(item for item in extraction.relationships if (1, item.source, item.target) in chosen),
    )


def _put_back(extraction: Extraction, described: Extraction) -> Extraction:
    """The extraction with the descriptions that were joined; the others stand as they are, one after another."""
    entities = {item.title: item for item in described.entities}
    relationships = {(item.source, item.target): item for item in described.relationships}
    return replace(
        extraction,
        entities=tuple(
            entities.get(item.title) or replace(item, description=item.description or " ".join(item.descriptions))
            for item in extraction.entities
        ),
        relationships=tuple(
            relationships.get((item.source, item.target))
            or replace(item, description=item.description or " ".join(item.descriptions))
            for item in extraction.relationships
        ),
    )
