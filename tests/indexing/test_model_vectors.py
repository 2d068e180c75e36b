"""The last stage of a run over a connection: vectors that are counted, and whose failure never loses the index."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.base.cancel import CancelScope
from explorer.base.events import CallSettled, Event
from explorer.base.paths import HOME_NAME
from explorer.indexing.options import IndexOptions
from explorer.indexing.run import index_folder
from explorer.indexing.summary import IndexSummary
from explorer.tables.index import open_index
from tests.indexing.model_folders import connect, model_folder
from tests.servers.running import RunningServer

pytest.importorskip("lancedb")
OPTIONS = IndexOptions(chunk_size=600, chunk_overlap=50)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return model_folder(tmp_path / "documents", files=3)


def run(folder: Path, server: RunningServer, model: str = "scripted-embedding", **more: object) -> IndexSummary:
    connection = connect(server, embedding_model=model)
    return index_folder(folder, connection=connection, options=OPTIONS, vectors=True, **more)  # type: ignore[arg-type]


def test_vectors_of_all_three_kinds_are_made_and_their_calls_counted(folder: Path, model_server: RunningServer) -> None:
    summary = run(folder, model_server)
    vectors = summary.vectors
    assert vectors is not None and (vectors.state, vectors.model, vectors.dimension) == (
        "made",
        "scripted-embedding",
        384,
    )
    assert sorted(vectors.rows.values()) == sorted([summary.entities, summary.text_units, summary.reports])
    log = model_server.log("embeddings")
    assert summary.calls["embed"].count == len(log) > 0
    assert summary.calls["embed"].prompt_tokens == sum(entry.prompt_tokens for entry in log)
    again = run(folder, model_server)
    assert again.vectors is not None and again.vectors.state == "made"
    assert len(model_server.log("embeddings")) == len(log) and again.calls["embed"].count == 0


def test_a_server_without_embeddings_leaves_the_index_whole(folder: Path, model_server: RunningServer) -> None:
    model_server.set(embeddings=False)
    summary = run(folder, model_server)
    assert summary.vectors is not None and summary.vectors.state == "failed" and summary.vectors.sentence
    assert summary.reports == len(open_index(folder).reports) > 0
    failed = [call for call in summary.failures if call.stage == "embed"]
    assert len(failed) == summary.calls["embed"].failed > 0 and all(call.error for call in failed)
    model_server.reset()
    again = run(folder, model_server)
    assert again.vectors is not None and again.vectors.state == "made"
    assert not model_server.log("chat")


def test_stopped_in_the_last_stage_the_index_is_whole_and_the_next_run_goes_on(
    folder: Path, model_server: RunningServer
) -> None:
    scope = CancelScope()

    def sink(event: Event, /) -> None:
        if isinstance(event, CallSettled) and event.stage == "embed":
            scope.cancel()

    summary = run(folder, model_server, sink=sink, scope=scope)
    assert summary.vectors is not None and summary.vectors.state == "stopped"
    assert open_index(folder).reports
    first = {entry.messages for entry in model_server.log("embeddings")}
    again = run(folder, model_server)
    assert again.vectors is not None and again.vectors.state == "made"
    hashes = [entry.messages for entry in model_server.log("embeddings")]
    assert first <= set(hashes) and len(hashes) == len(set(hashes))


def test_vectors_of_another_model_are_a_question_until_they_are_renewed(
    folder: Path, model_server: RunningServer
) -> None:
    run(folder, model_server)
    summary = run(folder, model_server, "another-embedding")
    assert summary.vectors is not None and summary.vectors.state == "other_model"
    assert "another-embedding" in summary.vectors.sentence
    renewed = run(folder, model_server, "another-embedding", renew_vectors=True)
    assert renewed.vectors is not None
    assert (renewed.vectors.state, renewed.vectors.model) == ("made", "another-embedding")


def test_vectors_survive_an_index_that_is_made_again(folder: Path, model_server: RunningServer) -> None:
    run(folder, model_server)
    before = {path.name for path in (folder / HOME_NAME / "output" / "lancedb").iterdir()}
    (folder / "00.txt").write_text("Anna Kern met Bruno Falk in Seefeld and spoke of the harbour.", "utf-8")
    index_folder(folder, connection=connect(model_server), options=OPTIONS)
    assert before <= {path.name for path in (folder / HOME_NAME / "output" / "lancedb").iterdir()}
    summary = run(folder, model_server)
    assert summary.vectors is not None and summary.vectors.state == "made"
