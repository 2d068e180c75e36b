"""A folder becomes an index: its tables, the fate of each file, what changes when files change."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from explorer.base.errors import InputError, OpenError
from explorer.base.events import Event, FileSettled, Notice, StageFinished, StageProgress, StageStarted
from explorer.base.ids import content_hash
from explorer.base.paths import HOME_NAME
from explorer.indexing.options import IndexOptions
from explorer.indexing.progress import STAGES
from explorer.indexing.run import index_folder
from explorer.indexing.summary import IndexSummary
from explorer.tables.columns import names
from explorer.tables.index import Index, open_index
from explorer.tables.write import read_rows
from tests.indexing.folders import TEXTS, make_folder, table_bytes
from tests.indexing.plain_analyst import PlainAnalyst


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "documents")


def run(folder: Path, **more: object) -> tuple[IndexSummary, list[Event]]:
    events: list[Event] = []
    summary = index_folder(folder, analyst=more.pop("analyst", PlainAnalyst()), sink=events.append, **more)  # type: ignore[arg-type]
    return summary, events


def test_the_summary_says_what_is_in_the_tables(folder: Path) -> None:
    summary, _ = run(folder)
    index = open_index(folder)
    assert Path(summary.index) == folder / HOME_NAME == index.home
    assert summary.files.indexed == 5 and not summary.files.skipped and not summary.files.failed
    assert summary.documents == len(index.documents) == 6  # four texts, two rows with text
    assert summary.text_units == len(index.text_units) == 6
    assert summary.entities == len(index.entities)
    assert summary.relationships == len(index.relationships)
    assert summary.reports == len(index.reports) == sum(summary.communities.values())
    assert summary.communities == {0: 2}
    assert summary.claims == 0
    assert summary.calls["extract"].count == 6 and summary.calls["reports"].count == 2
    assert summary.calls["extract"].cost is None
    assert set(summary.seconds) == set(STAGES)


def test_the_json_has_the_named_keys_and_no_others(folder: Path) -> None:
    summary, _ = run(folder)
    found = json.loads(summary.model_dump_json())
    assert list(found) == [
        "index", "files", "documents", "text_units", "entities", "relationships", "claims", "communities", "reports",
        "calls", "seconds",
    ]  # fmt: skip
    assert list(found["files"]) == ["indexed", "unchanged", "skipped", "failed"]
    assert list(found["calls"]["extract"]) == [
        "count", "cached", "failed", "prompt_tokens", "output_tokens", "cost", "repaired", "malformed", "retries",
    ]  # fmt: skip


def test_rows_follow_graphrags_rules(folder: Path) -> None:
    run(folder)
    index = open_index(folder)
    assert [row.number for row in index.entities] == list(range(len(index.entities)))
    assert [row.number for row in index.text_units] == list(range(6))
    assert all(row.id == content_hash(row.text) for row in index.documents)
    assert all(row.id == content_hash(row.text) for row in index.text_units)
    neighbours: dict[str, set[str]] = {}
    for row in index.relationships:
        assert row.source < row.target
        neighbours.setdefault(row.source, set()).add(row.target)
        neighbours.setdefault(row.target, set()).add(row.source)
    degrees = {row.title: len(neighbours.get(row.title, ())) for row in index.entities}
    assert {row.title: row.degree for row in index.entities} == degrees
    assert all(row.combined_degree == degrees[row.source] + degrees[row.target] for row in index.relationships)
    for unit in index.text_units:
        assert set(unit.entity_ids) == {row.id for row in index.entities if unit.id in row.text_unit_ids}
        assert set(unit.relationship_ids) == {row.id for row in index.relationships if unit.id in row.text_unit_ids}
        assert unit.id in index.document_by_id[unit.document_id].text_unit_ids


def test_communities_are_the_two_circles_and_ida_is_in_none(folder: Path) -> None:
    run(folder)
    index = open_index(folder)
    circles = [{index.entity_by_id[key].title for key in row.entity_ids} for row in index.communities]
    assert sorted(circles, key=min) == [{"Anna", "Bruno", "Clara", "Dario"}, {"Emil", "Frieda", "Greta", "Hugo"}]
    for row in index.communities:
        inside = {index.entity_by_id[key].title for key in row.entity_ids}
        inner = [item for item in index.relationships if item.source in inside and item.target in inside]
        assert list(row.relationship_ids) == sorted(item.id for item in inner)
        assert list(row.text_unit_ids) == sorted({unit for item in inner for unit in item.text_unit_ids})
        assert row.size == 4 and row.title == f"Community {row.community}"
    assert index.info is not None and index.info.leiden.dropped["entity_without_relationship"] >= 1


def test_reports_have_graphrags_form(folder: Path) -> None:
    run(folder)
    for report in open_index(folder).reports:
        first, second = report.findings
        assert report.full_content == (
            f"# {report.title}\n\n{report.summary}\n\n## {first.summary}\n\n{first.explanation}"
            f"\n\n## {second.summary}\n\n{second.explanation}"
        )
        assert report.id == content_hash(report.full_content)
        fields = json.loads(report.full_content_json)
        assert list(fields) == ["title", "summary", "findings", "rating", "rating_explanation"]
        assert list(fields["findings"][0]) == ["summary", "explanation"]
        assert report.full_content_json.startswith('{\n    "title"')
        assert fields["rating"] == report.rank


def test_tables_have_graphrags_columns_and_spans_lie_beside_them(folder: Path) -> None:
    run(folder)
    home = folder / HOME_NAME
    for name in ("documents", "text_units", "entities", "relationships", "communities", "community_reports"):
        assert list(read_rows(home / "output" / f"{name}.parquet")[0]) == names(name)
    assert not (home / "output" / "spans.parquet").exists()
    index = open_index(folder)
    for unit in index.text_units:
        span = index.span_by_unit[unit.id]
        assert index.document_by_id[span.document_id].text[span.start : span.end] == unit.text
        assert (folder / span.path).is_file()


def test_every_file_has_one_fate_and_the_reason_is_said(folder: Path) -> None:
    (folder / "picture.png").write_bytes(b"\x89PNG")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 this is none")
    (folder / "empty.txt").write_bytes(b"")
    summary, events = run(folder)
    settled = [event for event in events if isinstance(event, FileSettled)]
    assert sorted(event.path for event in settled) == sorted([*TEXTS, "picture.png", "broken.pdf", "empty.txt"])
    assert {item.path for item in summary.files.skipped} == {"picture.png", "empty.txt"}
    assert [item.path for item in summary.files.failed] == ["broken.pdf"]
    assert all(item.reason for item in [*summary.files.skipped, *summary.files.failed])
    files = summary.files
    assert files.indexed + files.unchanged + len(files.skipped) + len(files.failed) == len(settled)
    rows = next(event for event in settled if event.path == "rows.csv")
    assert rows.fate == "indexed" and rows.documents == 2 and "1 skipped" in rows.reason
    assert sum(event.documents for event in settled) == summary.documents
    assert sum(event.text_units for event in settled) == summary.text_units


def test_stages_come_in_order_and_progress_never_goes_back(folder: Path) -> None:
    _, events = run(folder)
    assert [event.stage for event in events if isinstance(event, StageStarted)] == list(STAGES)
    assert [event.stage for event in events if isinstance(event, StageFinished)] == list(STAGES)
    for stage in STAGES:
        steps = [event.done for event in events if isinstance(event, StageProgress) and event.stage == stage]
        assert steps == sorted(steps)
    assert {event.stage for event in events if isinstance(event, StageProgress)} <= set(STAGES)


def test_a_second_run_changes_nothing_and_asks_nobody(folder: Path) -> None:
    run(folder)
    before = table_bytes(folder / HOME_NAME)
    times = {path: path.stat().st_mtime_ns for path in (folder / HOME_NAME / "output").iterdir()}
    analyst = PlainAnalyst()
    summary, events = run(folder, analyst=analyst)
    assert analyst.extractions == 0 and not analyst.contexts
    assert (summary.files.unchanged, summary.files.indexed) == (5, 0)
    assert summary.documents == 6 and summary.reports == 2 and summary.communities == {0: 2}
    assert {event.fate for event in events if isinstance(event, FileSettled)} == {"unchanged"}
    assert table_bytes(folder / HOME_NAME) == before
    assert {path: path.stat().st_mtime_ns for path in (folder / HOME_NAME / "output").iterdir()} == times


@pytest.mark.parametrize("missing", ["output/entities.parquet", "spans.parquet", "discs.json", "output"])
def test_a_second_run_mends_what_was_removed(folder: Path, missing: str) -> None:
    run(folder)
    before = table_bytes(folder / HOME_NAME)
    target = folder / HOME_NAME / missing
    if target.is_dir():
        for path in target.iterdir():
            path.unlink()
        target.rmdir()
    else:
        target.unlink()
    run(folder)
    assert table_bytes(folder / HOME_NAME) == before


def test_a_changed_a_new_and_a_removed_file(folder: Path) -> None:
    run(folder)
    (folder / "school.txt").write_text("Emil taught Frieda and Jonas.")
    (folder / "new.txt").write_text("Jonas met Klara.")
    (folder / "alone.txt").unlink()
    summary, events = run(folder)
    fates = {event.path: event.fate for event in events if isinstance(event, FileSettled)}
    assert fates == {
        "harbour/boats.md": "unchanged",
        "harbour/crew.txt": "unchanged",
        "rows.csv": "unchanged",
        "school.txt": "indexed",
        "new.txt": "indexed",
    }
    assert (summary.files.unchanged, summary.files.indexed) == (3, 2)
    titles = {row.title for row in open_index(folder).entities}
    assert "Klara" in titles and "Ida" not in titles


def test_the_index_after_changes_is_that_of_a_fresh_run(folder: Path, tmp_path: Path) -> None:
    run(folder)
    make_folder(folder, {"more.txt": "Klara met Anna and Emil."})
    run(folder)
    run(folder, home=tmp_path / "fresh")
    ours, fresh = table_bytes(folder / HOME_NAME), table_bytes(tmp_path / "fresh")
    del ours["index.json"], fresh["index.json"]  # they differ in where the documents are
    assert ours == fresh


@pytest.mark.parametrize("options", [{"seed": 1}, {"chunk_size": 5, "chunk_overlap": 1}, {"max_cluster_size": 3}])
def test_other_options_make_another_index(folder: Path, options: dict[str, int]) -> None:
    run(folder)
    analyst = PlainAnalyst()
    run(folder, analyst=analyst, options=IndexOptions(**options))  # type: ignore[arg-type]
    assert analyst.extractions == 1
    info = open_index(folder).info
    assert info is not None
    assert all(options[name] in (getattr(info, name, None), getattr(info.leiden, name, None)) for name in options)


def test_the_day_of_the_index_is_kept_when_it_is_renewed(folder: Path) -> None:
    run(folder)
    path = folder / HOME_NAME / "index.json"
    raw = json.loads(path.read_text())
    path.write_text(json.dumps({**raw, "created": "2001-02-03"}))
    (folder / "new.txt").write_text("Jonas met Klara.")
    run(folder)
    index = open_index(folder)
    assert {row.period for row in index.communities} == {row.period for row in index.reports} == {"2001-02-03"}


def test_a_report_that_does_not_come_is_counted(folder: Path) -> None:
    summary, events = run(folder, analyst=PlainAnalyst(reports_missing=[1]))
    index = open_index(folder)
    assert summary.reports == 1 and [row.community for row in index.reports] == [0]
    assert index.info is not None and index.info.dropped["community_without_report"] == 1
    finished = next(event for event in events if isinstance(event, StageFinished) and event.stage == "reports")
    assert finished.counts["community_without_report"] == 1


def test_what_extraction_dropped_is_in_the_index(folder: Path) -> None:
    run(folder)
    info = open_index(folder).info
    assert info is not None and info.dropped["sentence_without_name"] == 1


def test_nothing_connected_is_said_and_still_an_index(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "lonely", {"a.txt": "nothing but small words here"})
    summary, events = run(folder)
    assert summary.communities == {} and summary.reports == 0 and summary.text_units == 1
    assert any(isinstance(event, Notice) and "no communities" in event.sentence for event in events)
    index: Index = open_index(folder)
    assert index.communities == [] and len(index.text_units) == 1


def test_equal_texts_in_two_files_are_two_documents_with_ids_of_their_own(tmp_path: Path) -> None:
    text = "Anna met Bruno. Bruno met Clara."
    folder = make_folder(tmp_path / "twins", {"a.txt": text, "b.txt": text})
    run(folder)
    index = open_index(folder)
    assert [row.title for row in index.documents] == ["a.txt", "b.txt"]
    assert len({row.id for row in index.documents}) == len({row.id for row in index.text_units}) == 2
    assert {index.span_by_unit[row.id].path for row in index.text_units} == {"a.txt", "b.txt"}


def test_half_a_surrogate_pair_is_stored_as_a_replacement_character(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "odd", {"a.json": '[{"text": "Anna \\ud800 met Bruno."}]'})
    run(folder)
    assert open_index(folder).documents[0].text == "Anna \ufffd met Bruno."


def refused(folder: Path, **more: object) -> str:
    with pytest.raises(InputError) as error:
        run(folder, **more)
    assert "\n" not in error.value.sentence
    return error.value.sentence


def test_a_folder_that_does_not_exist_or_is_empty_or_holds_nothing_readable(tmp_path: Path) -> None:
    assert "no folder" in refused(tmp_path / "nowhere")
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "empty" in refused(empty)
    (empty / "picture.png").write_bytes(b"\x89PNG")
    assert ".png" in refused(empty)
    (empty / "broken.pdf").write_bytes(b"no pdf at all")
    assert "Nothing in" in refused(empty)
    (empty / "blank.txt").write_text(" \n \t ")
    refused(empty)
    assert not (empty / HOME_NAME).exists()  # nothing is left behind


def test_a_failure_leaves_an_index_that_was_there(folder: Path) -> None:
    run(folder)
    before = table_bytes(folder / HOME_NAME)
    for name in TEXTS:
        (folder / name).unlink()
    (folder / "blank.txt").write_text(" ")
    refused(folder)
    assert table_bytes(folder / HOME_NAME) == before


@pytest.mark.parametrize(("size", "overlap"), [(100, 100), (100, 200), (0, 0), (10, -1)])
def test_windows_that_never_end_are_refused(folder: Path, size: int, overlap: int) -> None:
    refused(folder, options=IndexOptions(chunk_size=size, chunk_overlap=overlap))
    assert not (folder / HOME_NAME).exists()


def test_an_index_of_a_newer_program_is_left_alone(folder: Path) -> None:
    home = folder / HOME_NAME
    home.mkdir()
    (home / "index.json").write_text('{"schema_version": 99}')
    with pytest.raises(OpenError, match="newer version"):
        run(folder)
    assert (home / "index.json").read_text() == '{"schema_version": 99}'


def test_a_damaged_index_file_is_made_anew_and_said(folder: Path) -> None:
    run(folder)
    before = table_bytes(folder / HOME_NAME)
    (folder / HOME_NAME / "index.json").write_text("{")
    _, events = run(folder)
    assert any(isinstance(event, Notice) and "index.json" in event.sentence for event in events)
    assert table_bytes(folder / HOME_NAME) == before
