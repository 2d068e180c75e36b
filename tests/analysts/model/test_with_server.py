"""The analyst over the program's own client and a real HTTP server: extraction, descriptions, reports, faults."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from explorer.analysts.judgements import (
    Extraction,
    MemberEntity,
    MemberRelationship,
    ReportContext,
    UnitText,
)
from explorer.analysts.model import messages
from explorer.analysts.model.analyst import ModelAnalyst
from explorer.analysts.prompts import count_messages
from explorer.base.cancel import CancelScope
from explorer.base.events import CallSettled, Event, ignore
from explorer.models.call_store import CallStore
from explorer.models.client import ModelClient
from explorer.models.connection import Connection
from explorer.models.loop import ModelLoop
from explorer.tables.citations import cited_numbers
from tests.servers.running import RunningServer


@contextmanager
def analyst(
    server: RunningServer, folder: Path, *, sink: Any = ignore, retries: int = 2, **parameters: Any
) -> Iterator[ModelAnalyst]:
    connection = Connection(
        name="scripted", base_url=server.url, chat_model="script-1", key="none", retries=retries, concurrency=8
    )

    async def open_client(store: CallStore) -> ModelClient:
        return ModelClient(connection, None, store, sink=sink)

    folder.mkdir(exist_ok=True)
    with CallStore(folder / "calls.sqlite") as store, ModelLoop() as loop:
        client = loop.run(open_client(store))
        try:
            yield ModelAnalyst(client, loop, name="scripted", grade="script-1", **parameters)
        finally:
            loop.run(client.aclose())


@pytest.fixture
def units(sample: Path) -> list[UnitText]:
    return [
        UnitText(f"u{number}", path.read_text("utf-8")[:3000], path.name)
        for number, path in enumerate(sorted(sample.iterdir())[:8])
    ]


def extract(model: ModelAnalyst, units: list[UnitText]) -> Extraction:
    return model.extract(units, sink=ignore, scope=CancelScope())


def context_of(extraction: Extraction) -> ReportContext:
    """One community of everything, with numbers that no local id is."""
    numbers = {entity.title: 1000 + place for place, entity in enumerate(extraction.entities)}
    ends = [end for link in extraction.relationships for end in (link.source, link.target)]
    entities = tuple(
        MemberEntity(name, numbers[name], name, item.type, item.description, 0, ends.count(name), ())
        for item in extraction.entities
        if (name := item.title)
    )
    links = tuple(
        MemberRelationship(str(place), 5000 + place, link.source, link.target, link.description, link.weight, 0, ())
        for place, link in enumerate(extraction.relationships)
    )
    return ReportContext(7, 0, entities, links, ())


def test_a_whole_index_is_judged_and_a_second_time_costs_nothing(
    model_server: RunningServer, tmp_path: Path, units: list[UnitText]
) -> None:
    events: list[Event] = []
    scope = CancelScope()
    with analyst(model_server, tmp_path, sink=events.append, claims=True) as model:
        found = extract(model, units)
        described = model.describe(found, sink=ignore, scope=scope)
        reports = model.report([context_of(described)], sink=ignore, scope=scope)
    assert not found.failed_units and len(found.entities) > 20 and found.relationships and found.claims
    assert all(not item.descriptions for item in described.entities)
    assert found.dropped.keys() <= {"relationships_with_unknown_end", "repeated_by_gleaning", "types_outvoted", "claims_of_no_entity"}  # noqa: E501  # fmt: skip
    cited = cited_numbers("\n".join(finding.explanation for finding in reports[0].findings))
    assert cited["Entities"] and cited["Entities"] <= {1000 + place for place in range(len(found.entities))}
    assert cited["Relationships"] <= {5000 + place for place in range(len(found.relationships))}
    calls = [event for event in events if isinstance(event, CallSettled)]
    assert {call.fate for call in calls} == {"ok"} and len(calls) == len(model_server.log("chat"))
    assert described.calls.count + 1 == len(calls)

    with analyst(model_server, tmp_path, claims=True) as model:
        again = model.describe(extract(model, units), sink=ignore, scope=scope)
        assert model.report([context_of(again)], sink=ignore, scope=scope) == reports
    assert again.entities == described.entities and again.relationships == described.relationships
    assert again.claims == described.claims and again.dropped == described.dropped
    assert again.calls.cached == again.calls.count == described.calls.count and again.calls.prompt_tokens == 0
    assert len(model_server.log("chat")) == len(calls)


def test_the_server_counts_the_tokens_that_were_known_before_the_call(
    model_server: RunningServer, tmp_path: Path, units: list[UnitText]
) -> None:
    planned = sum(count_messages(messages.extract_messages(unit.text), "o200k_base") for unit in units)
    with analyst(model_server, tmp_path, max_gleanings=0) as model:
        assert extract(model, units).calls.prompt_tokens == planned


@pytest.mark.parametrize("fault", ["prose", "fenced", "truncated", "wrong_types"])
def test_replies_that_can_be_repaired_are_used(
    model_server: RunningServer, tmp_path: Path, units: list[UnitText], fault: str
) -> None:
    with analyst(model_server, tmp_path / "sound", max_gleanings=0) as model:
        sound = extract(model, units)
    model_server.set(faults=[{"fault": fault}])
    events: list[Event] = []
    with analyst(model_server, tmp_path / "spoilt", sink=events.append, max_gleanings=0) as model:
        found = extract(model, units)
    if fault in ("prose", "fenced"):
        assert (found.entities, found.relationships) == (sound.entities, sound.relationships)
    assert {entity.title for entity in found.entities} <= {entity.title for entity in sound.entities}
    read = len(units) - len(found.failed_units)
    settled = [event for event in events if isinstance(event, CallSettled)]
    assert sum(call.fate == "repaired" for call in settled) == read > 0
    assert all(call.note for call in settled if call.fate == "repaired")


def test_a_model_that_never_follows_the_schema_ends_in_units_that_all_have_their_reason(
    model_server: RunningServer, tmp_path: Path, units: list[UnitText]
) -> None:
    model_server.set(faults=[{"fault": "nonsense"}])
    with analyst(model_server, tmp_path, retries=0, claims=True) as model:
        found = extract(model, units)
        reports = model.report([context_of(found)], sink=ignore, scope=CancelScope())
    assert set(found.failed_units) == {unit.id for unit in units} and found.entities == () and reports == []
    assert all("JSON" in reason and reason.endswith(".") for reason in found.failed_units.values())
    assert found.dropped["text_units_failed"] == found.dropped["claim_calls_failed"] == len(units)


def test_with_a_third_of_the_attempts_failing_the_result_is_the_same(
    model_server: RunningServer, tmp_path: Path, units: list[UnitText]
) -> None:
    with analyst(model_server, tmp_path / "sound") as model:
        sound = extract(model, units)
    model_server.set(faults=[{"fault": "503", "probability": 0.3, "seed": 4, "attempts": 1}])
    with analyst(model_server, tmp_path / "shaky") as model:
        shaky = extract(model, units)
    assert (shaky.entities, shaky.relationships, shaky.dropped) == (sound.entities, sound.relationships, sound.dropped)
