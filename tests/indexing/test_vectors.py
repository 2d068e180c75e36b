"""The stage of vectors: what changed is embedded, the rest kept; a stop loses nothing; another model is asked about."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from explorer.analysts.offline.vectors import OfflineEmbedder, why_not
from explorer.base.cancel import CancelScope
from explorer.base.errors import BusyError, Cancelled, OpenError
from explorer.base.events import Event, Notice, StageFinished, StageProgress, StageStarted
from explorer.base.locks import writer_lock
from explorer.indexing import vectors as stage
from explorer.indexing.run import index_folder
from explorer.indexing.vector_state import OtherVectors
from explorer.indexing.vectors import make_vectors, needs_vectors
from explorer.tables.vector_columns import ENTITIES, REPORTS, UNITS
from explorer.tables.vectors import open_vectors
from tests.indexing.fake_embedder import FakeEmbedder
from tests.indexing.folders import TEXTS, make_folder
from tests.indexing.plain_analyst import PlainAnalyst


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "folder")


@pytest.fixture
def home(folder: Path, tmp_path: Path) -> Path:
    home = tmp_path / "home"
    index_folder(folder, home=home, analyst=PlainAnalyst())
    return home


def rows(home: Path, table: str) -> list[dict[str, Any]]:
    return pq.ParquetFile(home / "output" / f"{table}.parquet").read().to_pylist()


def vectors(home: Path, name: str) -> dict[str, tuple[float, ...]]:
    found = open_vectors(home / "output")
    assert found is not None
    return found.tables[name].read()


def close(one: tuple[float, ...] | None, other: tuple[float, ...]) -> bool:
    return one == pytest.approx(other, abs=1e-6)


def test_every_row_has_the_vector_of_its_text(home: Path) -> None:
    embedder = FakeEmbedder()
    summary = make_vectors(home, embedder)
    # Texts as GraphRAG chooses them: the text, title:description, the full content.
    for table, source, text in (
        (UNITS, "text_units", lambda row: row["text"]),
        (ENTITIES, "entities", lambda row: f"{row['title']}:{row['description']}"),
        (REPORTS, "community_reports", lambda row: row["full_content"]),
    ):
        expected = {row["id"]: embedder.vector(text(row)) for row in rows(home, source)}
        found = vectors(home, table)
        assert found.keys() == expected.keys()
        assert all(close(expected[name], vector) for name, vector in found.items())
        assert summary.rows[table] == len(expected)
    assert (summary.model, summary.dimension, summary.connection) == ("letters", 4, "a connection")
    assert summary.embedded == len(embedder.asked) == len(set(embedder.asked))
    assert summary.calls.count == -(-summary.embedded // 4)
    assert json.loads((home / "vectors.json").read_text("utf-8"))["model"] == "letters"


def test_a_second_run_embeds_nothing(home: Path) -> None:
    make_vectors(home, FakeEmbedder())
    before = {path: path.read_bytes() for path in (home / "output" / "lancedb").rglob("*") if path.is_file()}
    embedder = FakeEmbedder()
    assert needs_vectors(home, embedder).state == "current"
    summary = make_vectors(home, embedder)
    assert embedder.asked == []
    assert (summary.embedded, summary.calls.count) == (0, 0)
    assert summary.kept == sum(summary.rows.values()) > 0
    after = {path: path.read_bytes() for path in (home / "output" / "lancedb").rglob("*") if path.is_file()}
    assert after == before


def test_only_what_changed_is_embedded_again(folder: Path, home: Path, tmp_path: Path) -> None:
    make_vectors(home, FakeEmbedder())
    units = {row["text"] for row in rows(home, "text_units")}
    make_folder(folder, {**TEXTS, "alone.txt": "here is nobody but Jan."})
    index_folder(folder, home=home, analyst=PlainAnalyst())
    embedder = FakeEmbedder()
    state = needs_vectors(home, embedder)
    assert state.state == "stale"
    summary = make_vectors(home, embedder)
    assert embedder.asked == ["here is nobody but Jan.", "Jan:Jan is named."]
    assert state.to_embed == summary.embedded == 2
    assert summary.kept == sum(summary.rows.values()) - 2
    for row in rows(home, "text_units"):
        assert close(embedder.vector(row["text"]), vectors(home, UNITS)[row["id"]])
    assert "here is nobody but Ida." in units
    assert len(vectors(home, UNITS)) == len(rows(home, "text_units"))


def test_a_description_that_changed_under_the_same_id_is_embedded_again(folder: Path, home: Path) -> None:
    class Renamed(PlainAnalyst):
        def extract(self, *args: Any, **kwargs: Any) -> Any:
            from dataclasses import replace

            found = super().extract(*args, **kwargs)
            first, *others = found.entities
            return replace(found, entities=(replace(first, description="Somebody else."), *others))

    make_vectors(home, FakeEmbedder())
    ids = {row["title"]: row["id"] for row in rows(home, "entities")}
    analyst = Renamed()
    analyst.grade = "other words"
    index_folder(folder, home=home, analyst=analyst)
    assert {row["title"]: row["id"] for row in rows(home, "entities")} == ids
    embedder = FakeEmbedder()
    make_vectors(home, embedder)
    assert "Anna:Somebody else." in embedder.asked
    assert close(embedder.vector("Anna:Somebody else."), vectors(home, ENTITIES)[ids["Anna"]])


def test_a_stop_keeps_what_is_done(home: Path) -> None:
    first = FakeEmbedder()
    first.stop_after = 8
    with pytest.raises(Cancelled):
        make_vectors(home, first)
    assert open_vectors(home / "output") is None  # never half of them
    assert needs_vectors(home, first).state == "missing"
    second = FakeEmbedder()
    summary = make_vectors(home, second)
    assert not set(first.asked) & set(second.asked)
    assert summary.embedded == len(second.asked)
    assert sum(summary.rows.values()) >= len(first.asked) + len(second.asked)
    assert not (home / "vectors.part.sqlite").exists()


def test_what_another_model_began_is_not_gone_on_with(home: Path) -> None:
    first = FakeEmbedder("one")
    first.stop_after = 8
    with pytest.raises(Cancelled):
        make_vectors(home, first)
    second = FakeEmbedder("two")
    make_vectors(home, second)
    assert set(first.asked) <= set(second.asked)


@pytest.mark.parametrize(("model", "length"), [("another", 4), ("another", 6), ("letters", 6)])
def test_another_model_or_length_is_asked_about(home: Path, model: str, length: int) -> None:
    make_vectors(home, FakeEmbedder())
    before = vectors(home, ENTITIES)
    other = FakeEmbedder(model, length)
    assert needs_vectors(home, other).state == "other_model"
    with pytest.raises(OtherVectors, match="--renew-vectors") as question:
        make_vectors(home, other)
    assert other.asked == []
    assert "letters (a connection, 4 numbers each)" in question.value.sentence
    assert vectors(home, ENTITIES) == before
    assert needs_vectors(home, FakeEmbedder()).state == "current"
    summary = make_vectors(home, other, renew=True)
    assert summary.dimension == length
    assert summary.kept == 0
    assert needs_vectors(home, other).state == "current"


def test_the_question_passes_between_processes(home: Path) -> None:
    make_vectors(home, FakeEmbedder())
    with pytest.raises(OtherVectors) as question:
        make_vectors(home, FakeEmbedder("another"))
    again = pickle.loads(pickle.dumps(question.value))
    assert again.sentence == question.value.sentence
    assert again.there == question.value.there
    assert "--" not in again.question  # the window asks in its own way


@pytest.mark.parametrize("renew", [False, True])
def test_a_length_that_changed_under_the_same_name_shows_with_the_first_reply(
    folder: Path, home: Path, renew: bool
) -> None:
    make_vectors(home, FakeEmbedder())
    make_folder(folder, {**TEXTS, "new.txt": "Otto met Paula."})
    index_folder(folder, home=home, analyst=PlainAnalyst())
    changed = FakeEmbedder(length=6)
    changed.known = None  # as with a model that has not been asked yet
    assert needs_vectors(home, changed).state == "stale"
    if not renew:
        with pytest.raises(OtherVectors):
            make_vectors(home, changed)
        assert {len(vector) for vector in vectors(home, UNITS).values()} == {4}
    else:
        assert make_vectors(home, changed, renew=True).dimension == 6
        assert {len(vector) for vector in vectors(home, UNITS).values()} == {6}


def test_vectors_of_another_program_are_asked_about(home: Path) -> None:
    make_vectors(home, FakeEmbedder())
    (home / "vectors.json").unlink()
    with pytest.raises(OtherVectors, match="another program"):
        make_vectors(home, FakeEmbedder())


def test_a_text_whose_call_failed_is_counted_and_tried_again(home: Path) -> None:
    events: list[Event] = []
    summary = make_vectors(home, FakeEmbedder(refused=("Hugo",)), sink=events.append)
    assert summary.failed[ENTITIES] == 1
    assert summary.failed[UNITS] >= 1
    assert summary.reason == "the server refused it"
    assert any(isinstance(event, Notice) and "the server refused it" in event.sentence for event in events)
    assert summary.rows[ENTITIES] == len(rows(home, "entities")) - 1
    embedder = FakeEmbedder()
    assert needs_vectors(home, embedder).state == "stale"
    again = make_vectors(home, embedder)
    assert all("Hugo" in text for text in embedder.asked)
    assert again.failed == {}
    assert needs_vectors(home, embedder).state == "current"


def test_where_every_call_failed_the_old_vectors_stand(folder: Path, home: Path) -> None:
    make_vectors(home, FakeEmbedder())
    before = vectors(home, ENTITIES)
    summary = make_vectors(home, FakeEmbedder("another", refused=("",)), renew=True)
    assert summary.embedded == 0
    assert vectors(home, ENTITIES) == before
    assert needs_vectors(home, FakeEmbedder()).state == "current"


def test_empty_texts_are_skipped_and_counted(folder: Path, tmp_path: Path) -> None:
    class Silent(PlainAnalyst):
        def extract(self, *args: Any, **kwargs: Any) -> Any:
            from dataclasses import replace

            found = super().extract(*args, **kwargs)
            return replace(found, entities=tuple(replace(item, description="") for item in found.entities))

    home = tmp_path / "silent"
    index_folder(folder, home=home, analyst=Silent())
    table = pq.ParquetFile(home / "output" / "community_reports.parquet").read()
    empty = table.set_column(
        table.schema.get_field_index("full_content"), "full_content", [["  "] + ["words"] * (table.num_rows - 1)]
    )
    pq.write_table(empty, home / "output" / "community_reports.parquet")
    embedder = FakeEmbedder()
    summary = make_vectors(home, embedder)
    assert summary.empty == {REPORTS: 1}
    assert summary.rows[REPORTS] == table.num_rows - 1
    assert "Anna:" in embedder.asked  # a title without a description is a text, as in GraphRAG
    assert needs_vectors(home, embedder).state == "current"


def test_events(home: Path) -> None:
    events: list[Event] = []
    summary = make_vectors(home, FakeEmbedder(), sink=events.append)
    assert events[0] == StageStarted("vectors", summary.embedded)
    done = [event.done for event in events if isinstance(event, StageProgress)]
    assert done == sorted(done)
    assert done[-1] == summary.embedded
    finished = events[-1]
    assert isinstance(finished, StageFinished)
    assert finished.counts["embedded"] == summary.embedded


def test_an_index_that_is_made_again_meanwhile(folder: Path, home: Path) -> None:
    class Meddling(FakeEmbedder):
        def embed(self, *args: Any, **kwargs: Any) -> Any:
            if not self.asked:
                make_folder(folder, {**TEXTS, "late.txt": "Quentin met Rosa."})
                index_folder(folder, home=home, analyst=PlainAnalyst())
            return super().embed(*args, **kwargs)

    embedder = Meddling()
    summary = make_vectors(home, embedder)
    assert "Quentin met Rosa." in embedder.asked
    assert needs_vectors(home, embedder).state == "current"
    assert summary.rows[UNITS] == len(rows(home, "text_units"))


def test_locks(home: Path) -> None:
    with writer_lock(home), pytest.raises(BusyError):
        make_vectors(home, FakeEmbedder())
    embedder = FakeEmbedder()
    with writer_lock(home):  # as a run of indexing that holds it does
        make_vectors(home, embedder, locked=True)
    assert embedder.asked == []  # kept by the attempt before
    with writer_lock(home, "vectors.lock"), pytest.raises(BusyError):
        make_vectors(home, FakeEmbedder())


def test_damage_is_mended(home: Path) -> None:
    make_vectors(home, FakeEmbedder())
    (home / "vectors.json").write_text("{", "utf-8")
    (home / "vectors.part.sqlite").write_bytes(b"no database" * 1000)
    embedder = FakeEmbedder()
    make_vectors(home, embedder)
    assert needs_vectors(home, embedder).state == "current"


def test_without_lancedb_nothing_is_embedded(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = FakeEmbedder()
    monkeypatch.setattr(stage, "no_lancedb", lambda: "LanceDB is not installed.")
    with pytest.raises(OpenError, match="not installed"):
        make_vectors(home, embedder)
    assert embedder.asked == []


def test_a_foreign_index_is_not_written_to(shared: Path, tmp_path: Path) -> None:
    output = shared / "indexes" / "microsoft" / "verbs-v3.1.2"
    before = sorted((path, path.stat().st_mtime_ns) for path in output.rglob("*"))
    embedder = FakeEmbedder(batch=1000)
    assert needs_vectors(output, embedder).state == "missing"
    summary = make_vectors(output, embedder)
    assert summary.rows[ENTITIES] == 529
    assert needs_vectors(output, embedder).state == "current"
    assert sorted((path, path.stat().st_mtime_ns) for path in output.rglob("*")) == before


@pytest.mark.skipif(why_not() != "", reason="the extra [offline] is not installed")
def test_offline_vectors_find_what_a_question_is_about(folder: Path, tmp_path: Path) -> None:
    texts = {
        "sea.txt": "The fishing boats of Anna and Bruno left the harbour before the storm.",
        "school.txt": "Emil teaches Frieda arithmetic and grammar at the village school.",
        "bread.txt": "Greta bakes rye bread, and Hugo sells it at the market.",
    }
    home = tmp_path / "offline"
    index_folder(make_folder(tmp_path / "three", texts), home=home, analyst=PlainAnalyst())
    embedder = OfflineEmbedder()
    summary = make_vectors(home, embedder)
    assert summary.dimension == 384
    assert summary.calls.count >= 1  # what a service would take, in GraphRAG's batches of 16
    assert summary.calls.prompt_tokens > 0
    (question,) = embedder.embed(["Who makes bread?"], sink=lambda event: None, scope=CancelScope())
    found = open_vectors(home / "output")
    assert found is not None
    assert question is not None
    (nearest, _), *_ = found.tables[UNITS].nearest(question, 3)
    assert {row["id"]: row["text"] for row in rows(home, "text_units")}[nearest].startswith("Greta bakes")
