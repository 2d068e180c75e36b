"""Indexing with a language model: paid once, every failure told with its file, a change costs what it changes."""

from __future__ import annotations

import json
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from explorer.base.cancel import CancelScope
from explorer.base.errors import Cancelled
from explorer.base.events import CallSettled, CapReached, Event, FileSettled, Notice, StageStarted
from explorer.base.paths import HOME_NAME
from explorer.indexing.options import IndexOptions
from explorer.indexing.run import index_folder
from explorer.indexing.summary import IndexSummary
from explorer.models.call_store import CallStore
from explorer.models.client import ModelStop
from explorer.tables.index import open_index
from explorer.tables.index_file import IndexInfo, load_info
from explorer.tables.write import read_rows
from tests.indexing.folders import make_folder, table_bytes
from tests.indexing.model_folders import connect, model_folder
from tests.servers.running import RunningServer

OPTIONS = IndexOptions(chunk_size=600, chunk_overlap=50, max_cluster_size=4)


def run(folder: Path, server: RunningServer, *, settings: dict[str, Any] | None = None, **more: Any) -> IndexSummary:
    more.setdefault("options", OPTIONS)
    return index_folder(folder, connection=connect(server, **(settings or {})), **more)


def info_of(folder: Path) -> IndexInfo:
    info = load_info(folder / HOME_NAME)
    assert info is not None
    return info


def tables(folder: Path) -> dict[str, bytes]:
    """The tables alone: index.json holds the bill of its run."""
    return {name: data for name, data in table_bytes(folder / HOME_NAME).items() if name.endswith(".parquet")}


def tasks(server: RunningServer) -> Counter[str]:
    return Counter(entry.task for entry in server.log("chat"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return model_folder(tmp_path / "documents")


def test_a_run_makes_an_index_and_its_figures_are_those_of_the_server(
    folder: Path, model_server: RunningServer
) -> None:
    events: list[Event] = []
    summary = run(folder, model_server, sink=events.append)
    index = open_index(folder)
    assert summary.entities == len(index.entities) > 5 and summary.reports == len(index.reports) > 1
    log = model_server.log("chat")
    made = summary.calls
    assert set(made) == {"extract", "glean", "claims", "describe", "reports", "embed"}
    assert sum(sums.count for sums in made.values()) == len(log)
    assert sum(sums.prompt_tokens for sums in made.values()) == sum(entry.prompt_tokens for entry in log)
    assert sum(sums.output_tokens for sums in made.values()) == sum(entry.output_tokens for entry in log)
    assert made["extract"].count == made["glean"].count == summary.text_units
    assert made["claims"].count == made["embed"].count == 0 and made["claims"].cost == 0.0
    paid = sum(entry.prompt_tokens + 4 * entry.output_tokens for entry in log) / 1_000_000
    assert sum(sums.cost or 0.0 for sums in made.values()) == pytest.approx(paid)
    stages = [event.stage for event in events if isinstance(event, StageStarted)]
    assert stages == [
        "read", "chunk", "extract", "describe", "graph", "communities", "reports", "finish", "positions",
    ]  # fmt: skip
    info = info_of(folder)
    assert (info.connection, info.models["reports"], info.failed_calls) == ("scripted", "scripted-chat", {})
    assert info.bill["extract"] == made["extract"] and info.leiden.start == "fresh"


def test_a_price_that_is_not_known_is_null_and_never_0(folder: Path, model_server: RunningServer) -> None:
    summary = run(folder, model_server, settings={"prices": {}})
    found = json.loads(summary.model_dump_json())["calls"]
    assert {sums["cost"] for sums in found.values()} == {None}


def test_a_stage_that_made_no_call_costs_nothing_also_where_nothing_could_be_read(
    folder: Path, model_server: RunningServer
) -> None:
    model_server.set(faults=[{"fault": "nonsense", "path": "chat"}])
    summary = run(folder, model_server, settings={"retries": 0})
    assert summary.calls["extract"].malformed == summary.text_units and summary.reports == 0
    assert {summary.calls[stage].cost for stage in ("glean", "describe", "reports")} == {0.0}


def test_a_second_run_asks_nothing(folder: Path, model_server: RunningServer) -> None:
    run(folder, model_server)
    before = tables(folder)
    arrived = model_server.state()["arrived"]
    summary = run(folder, model_server)
    assert model_server.state()["arrived"] == arrived
    assert not any(sums.count for sums in summary.calls.values())
    assert summary.files.unchanged == 6 and tables(folder) == before


def test_another_knob_makes_other_tables_from_the_replies_that_are_kept(
    folder: Path, model_server: RunningServer
) -> None:
    run(folder, model_server)
    model_server.reset()
    summary = run(folder, model_server, options=OPTIONS.model_copy(update={"max_gleanings": 0}))
    assert summary.calls["extract"].cached == summary.text_units
    assert tasks(model_server)["entity_extraction"] == 0


def test_a_call_says_which_files_it_read(folder: Path, model_server: RunningServer) -> None:
    events: list[Event] = []
    run(folder, model_server, sink=events.append)
    calls = [event for event in events if isinstance(event, CallSettled)]
    assert calls and all(call.files for call in calls)
    spans = {row["text_unit_id"]: row["path"] for row in read_rows(folder / HOME_NAME / "spans.parquet")}
    for call in calls:
        if call.stage == "extract":
            assert call.files == (spans[call.subject],)
    index = open_index(folder)
    for call in [call for call in calls if call.stage == "reports"]:
        community = index.community_by_number[int(call.subject.split()[-1])]
        assert call.files == tuple(sorted({spans[unit] for unit in community.text_unit_ids}))


def test_one_sentence_changed_costs_what_it_changed_and_communities_start_from_the_old_ones(
    folder: Path, model_server: RunningServer
) -> None:
    run(folder, model_server)
    reports = {row.title for row in open_index(folder).reports}
    model_server.reset()
    path = folder / "03.txt"
    text = path.read_text("utf-8")
    middle = text.index(". ", len(text) // 2) + 2
    path.write_text(text[:middle] + "Greta Sund met Anna Kern in Altmark. " + text[middle:], "utf-8")
    summary = run(folder, model_server)
    made = {stage: sums.count - sums.cached for stage, sums in summary.calls.items()}
    units = {row["text_unit_id"] for row in read_rows(folder / HOME_NAME / "spans.parquet") if row["path"] == "03.txt"}
    assert 1 <= made["extract"] <= len(units)
    assert summary.files.indexed == 1 and summary.files.unchanged == 5
    assert made["reports"] <= summary.reports
    info = info_of(folder)
    assert info.leiden.start == "old communities"
    kept = sum(row.title in reports for row in open_index(folder).reports)  # texts cite rows, whose numbers moved
    assert kept == summary.calls["reports"].cached > 0


class TestFailures:
    """Units that no call could read, reports that did not come, and what the next run does about them."""

    @pytest.fixture
    def broken(self, folder: Path, model_server: RunningServer) -> tuple[Path, IndexSummary, list[Event]]:
        """Half of file 02 cannot be read, nothing of file 04."""
        whole = (folder / "04.txt").read_text("utf-8")
        (folder / "04.txt").write_text(whole.replace("harbour 4", "harbour FOUR"), "utf-8")
        half = (folder / "02.txt").read_text("utf-8")
        place = half.index("harbour 2", len(half) - 400)
        (folder / "02.txt").write_text(half[:place] + "harbour TWO" + half[place + 9 :], "utf-8")
        model_server.set(faults=[{"fault": "nonsense", "match": "harbour (FOUR|TWO)", "task": "entity_extraction"}])
        events: list[Event] = []
        summary = run(folder, model_server, sink=events.append)
        return folder, summary, events

    def test_are_told_with_their_file(self, broken: tuple[Path, IndexSummary, list[Event]]) -> None:
        folder, summary, events = broken
        settled = {event.path: event for event in events if isinstance(event, FileSettled)}  # the last word on each
        two, four = settled["02.txt"], settled["04.txt"]
        assert (two.fate, four.fate) == ("indexed", "failed")
        assert two.reason.startswith(f"1 of {two.text_units} text units could not be read: ")
        assert four.reason.startswith(f"{four.text_units} of {four.text_units} text units could not be read: ")
        assert [item.path for item in summary.files.failed] == ["04.txt"]
        assert [item.path for item in summary.partly] == ["02.txt"]
        assert summary.files.indexed == 5
        assert {file for call in summary.failures for file in call.files} == {"02.txt", "04.txt"}
        assert all(call.key and call.error and call.fate == "malformed" for call in summary.failures)
        assert len(summary.failures) == 1 + four.text_units == summary.calls["extract"].malformed
        info = info_of(folder)
        assert info.complete and info.failed_calls == {"extract": len(summary.failures)}
        assert info.inputs["04.txt"].fate == "failed" and info.inputs["02.txt"].failed_units == 1

    def test_are_made_again_by_the_next_run_and_nothing_else_is(
        self, broken: tuple[Path, IndexSummary, list[Event]], model_server: RunningServer, tmp_path: Path
    ) -> None:
        folder, summary, _ = broken
        model_server.reset()
        again = run(folder, model_server)
        assert again.calls["extract"].count - again.calls["extract"].cached == len(summary.failures)
        assert not again.failures and not again.partly and not again.files.failed
        assert (again.files.indexed, again.files.unchanged) == (2, 4)
        assert info_of(folder).failed_calls == {}
        arrived = model_server.state()["arrived"]
        run(folder, model_server)
        assert model_server.state()["arrived"] == arrived

    def test_that_last_are_asked_for_once_a_run(
        self, broken: tuple[Path, IndexSummary, list[Event]], model_server: RunningServer
    ) -> None:
        folder, summary, _ = broken
        before = tasks(model_server)["entity_extraction"]
        again = run(folder, model_server)
        assert tasks(model_server)["entity_extraction"] - before >= len(summary.failures)
        assert len(again.failures) == len(summary.failures)
        assert [item.path for item in again.files.failed] == ["04.txt"]

    def test_only_the_chosen_ones_are_made_again(
        self, broken: tuple[Path, IndexSummary, list[Event]], model_server: RunningServer
    ) -> None:
        folder, summary, _ = broken
        model_server.reset()
        chosen = next(call for call in summary.failures if call.files == ["02.txt"])
        again = run(folder, model_server, retry=frozenset([chosen.key]))
        assert [item.path for item in again.files.failed] == ["04.txt"] and not again.partly
        assert len(again.failures) == len(summary.failures) - 1
        made = again.calls["extract"]
        assert made.count - made.cached - made.malformed - made.failed == 1

    def test_of_reports_leave_communities_without_one_and_are_counted(
        self, folder: Path, model_server: RunningServer
    ) -> None:
        model_server.set(faults=[{"fault": "500", "task": "community_report", "after": 0, "probability": 0.5}])
        summary = run(folder, model_server)
        failed = [call for call in summary.failures if call.stage == "reports"]
        assert failed and all(call.error for call in failed)
        info = info_of(folder)
        communities = sum(summary.communities.values())
        assert info.dropped["community_without_report"] == len(failed) == communities - summary.reports
        model_server.reset()
        again = run(folder, model_server)
        assert again.reports == sum(again.communities.values()) and again.files.unchanged == 6

    def test_of_every_unit_make_an_index_without_communities_that_says_so(
        self, folder: Path, model_server: RunningServer
    ) -> None:
        model_server.set(faults=[{"fault": "nonsense"}])
        events: list[Event] = []
        summary = run(folder, model_server, sink=events.append)
        assert len(summary.files.failed) == 6 and summary.entities == 0
        (notice,) = [event.sentence for event in events if isinstance(event, Notice)]
        assert "could be read" in notice and "communities" in notice


def test_claims_are_a_table_of_graphrags_and_stand_in_reports(folder: Path, model_server: RunningServer) -> None:
    model_server.set(keep_bodies=True)
    summary = run(folder, model_server, options=OPTIONS.model_copy(update={"claims": True}))
    rows = read_rows(folder / HOME_NAME / "output" / "covariates.parquet")
    assert summary.claims == len(rows) > 0
    assert list(rows[0]) == [
        "id", "human_readable_id", "covariate_type", "type", "description", "subject_id", "object_id", "status",
        "start_date", "end_date", "source_text", "text_unit_id",
    ]  # fmt: skip
    assert [row["human_readable_id"] for row in rows] == list(range(len(rows)))
    assert len({row["id"] for row in rows}) == len(rows) and {row["covariate_type"] for row in rows} == {"claim"}
    by_unit: dict[str, list[str]] = {}
    for row in rows:
        by_unit.setdefault(row["text_unit_id"], []).append(row["id"])
    units = open_index(folder).text_units
    assert {unit.id: list(unit.covariate_ids) for unit in units if unit.covariate_ids} == by_unit
    sent = [json.dumps(entry.request) for entry in model_server.log("chat") if entry.task == "community_report"]
    assert any("-----Claims-----" in text for text in sent)
    run(folder, model_server)  # claims off again: their table goes
    assert not (folder / HOME_NAME / "output" / "covariates.parquet").exists()


def test_a_cap_pauses_and_a_higher_one_goes_on(folder: Path, model_server: RunningServer) -> None:
    scope = CancelScope()
    caps: list[CapReached] = []

    def sink(event: Event, /) -> None:
        if isinstance(event, CapReached):
            caps.append(event)
            threading.Timer(0.2, scope.set_cap, (event.name, None)).start()

    summary = run(folder, model_server, sink=sink, scope=scope, max_calls=10)
    assert [(cap.name, cap.spent, cap.cap) for cap in caps] == [("max_calls", 10, 10)]
    assert summary.reports == sum(summary.communities.values()) > 0


def test_a_cap_that_is_not_raised_ends_the_run_and_the_next_pays_nothing_twice(
    folder: Path, model_server: RunningServer, tmp_path: Path
) -> None:
    scope = CancelScope()
    with pytest.raises(Cancelled):
        run(folder, model_server, scope=scope, max_calls=9, sink=lambda event: _stop_at_cap(event, scope))
    assert model_server.state()["arrived"] == 9
    summary = run(folder, model_server)
    assert sum(sums.cached for sums in summary.calls.values()) == 9
    hashes = [entry.messages for entry in model_server.log("chat")]
    assert len(hashes) == len(set(hashes))
    other = model_folder(tmp_path / "other")
    run(other, model_server)
    assert tables(folder) == tables(other)


def _stop_at_cap(event: Event, scope: CancelScope) -> None:
    if isinstance(event, CapReached):
        scope.cancel()


@pytest.mark.parametrize("stage", ["extract", "glean", "describe", "reports"])
def test_stopped_in_any_stage_the_next_run_goes_on_to_the_same_tables(
    folder: Path, model_server: RunningServer, tmp_path: Path, stage: str
) -> None:
    scope = CancelScope()

    def sink(event: Event, /) -> None:
        if isinstance(event, CallSettled) and event.stage == stage:
            scope.cancel()

    with pytest.raises(Cancelled):
        run(folder, model_server, sink=sink, scope=scope)
    arrived = model_server.state()["arrived"]
    summary = run(folder, model_server)
    assert sum(sums.cached for sums in summary.calls.values()) == arrived
    other = model_folder(tmp_path / "other")
    run(other, model_server)
    assert tables(folder) == tables(other)


def test_what_can_never_succeed_ends_the_run_on_its_first_call(folder: Path, model_server: RunningServer) -> None:
    model_server.set(keys=["right"])
    with pytest.raises(ModelStop):
        run(folder, model_server, key="wrong", settings={"key": "session"})
    assert model_server.state()["arrived"] == 1
    model_server.set(keys=None, models=["another"])
    with pytest.raises(ModelStop):
        run(folder, model_server)
    assert not (folder / HOME_NAME / "output").exists()


def test_a_short_context_window_gives_shorter_contexts_and_says_so(folder: Path, model_server: RunningServer) -> None:
    events: list[Event] = []
    run(folder, model_server, sink=events.append, settings={"context_window": 4096})
    assert any(isinstance(event, Notice) and "4,096 tokens" in event.sentence for event in events)
    assert info_of(folder).max_input_tokens == 1096


def test_edited_prompts_of_the_folder_are_used_and_change_the_index(folder: Path, model_server: RunningServer) -> None:
    from explorer.analysts.prompts import shipped_text

    run(folder, model_server)
    prompts = folder / HOME_NAME / "prompts"
    prompts.mkdir()
    (prompts / "community_report.txt").write_text("Be brief.\n" + shipped_text("community_report"), "utf-8")
    model_server.reset(keep_bodies=True)
    summary = run(folder, model_server)
    assert summary.calls["reports"].cached == 0 and summary.calls["extract"].cached == summary.text_units
    assert all("Be brief." in json.dumps(entry.request) for entry in model_server.log("chat"))


def test_another_model_after_the_offline_analyst_starts_afresh(folder: Path, model_server: RunningServer) -> None:
    index_folder(folder, options=IndexOptions(grade="patterns"))
    created = info_of(folder).created
    run(folder, model_server)
    assert info_of(folder).leiden.start == "fresh" and info_of(folder).created == created


def test_the_key_is_in_no_file(folder: Path, model_server: RunningServer) -> None:
    secret = "sk-canary-7f3a91"
    model_server.set(keys=[secret])
    run(folder, model_server, key=secret, settings={"key": "session"})
    assert not [path for path in folder.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]


def test_a_pilot_reads_a_few_units_of_all_files_and_makes_no_index(folder: Path, model_server: RunningServer) -> None:
    summary = run(folder, model_server, pilot=6)
    pilot = summary.pilot
    assert pilot is not None and pilot.text_units == summary.text_units > 6
    assert len({unit.path for unit in pilot.units}) == 6 == len(pilot.units)
    assert not (folder / HOME_NAME / "output").exists()
    log = model_server.log("chat")
    assert sum(len(stage.calls) for stage in pilot.stages.values()) == len(log)
    assert sum(call.prompt_tokens for stage in pilot.stages.values() for call in stage.calls) == sum(
        entry.prompt_tokens for entry in log
    )
    assert len(pilot.stages["extract"].calls) == len(pilot.stages["glean"].calls) == 6
    assert pilot.stages["reports"].wanted == sum(pilot.communities.values())
    assert 0 < len(pilot.stages["reports"].calls) <= 10 and len(pilot.stages["describe"].calls) <= 10
    assert [point.text_units for point in pilot.growth] == [1, 2, 3, 4, 5, 6]
    assert (pilot.growth[-1].entities, pilot.growth[-1].relationships) == (pilot.entities, pilot.relationships)

    again = run(folder, model_server, pilot=6)  # the same units: nothing is asked again, the figures are the same
    assert model_server.state()["arrived"] == len(log)
    assert again.pilot is not None
    subjects = [call.subject for call in pilot.stages["extract"].calls]
    assert subjects == sorted(subjects), "the order in which replies came is no part of the result"
    assert [call.output_tokens for call in again.pilot.stages["extract"].calls] == [
        call.output_tokens for call in pilot.stages["extract"].calls
    ]
    assert all(call.billed_prompt_tokens == 0 for call in again.pilot.stages["extract"].calls)

    whole = run(folder, model_server)
    assert whole.calls["extract"].cached == 6
    hashes = [entry.messages for entry in model_server.log("chat")]
    assert len(hashes) == len(set(hashes))


def test_failures_are_in_the_call_store_for_a_retry_by_hand(folder: Path, model_server: RunningServer) -> None:
    model_server.set(faults=[{"fault": "refusal", "match": "harbour 5", "task": "entity_extraction"}])
    summary = run(folder, model_server)
    with CallStore(folder / HOME_NAME / "calls.sqlite") as store:
        assert {call.key for call in store.failures(["extract"])} == {
            call.key for call in summary.failures if call.stage == "extract"
        }


def test_a_folder_in_another_order_gives_the_same_index(tmp_path: Path, model_server: RunningServer) -> None:
    from tests.indexing.model_folders import texts

    one = model_folder(tmp_path / "one")
    two = make_folder(tmp_path / "two", texts(), order=reversed(list(texts())))
    for folder in (one, two):
        run(folder, model_server)
    assert tables(one) == tables(two)
