"""Vectors of a connection's model: paid once, kept with the calls, asked about where another model made them."""

from __future__ import annotations

import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from explorer.analysts.model.embedder import ModelEmbedder
from explorer.base.cancel import CancelScope
from explorer.base.errors import Cancelled
from explorer.base.events import CallSettled, Event, StageProgress
from explorer.indexing.model import model_analyst
from explorer.indexing.options import IndexOptions
from explorer.indexing.run import index_folder
from explorer.indexing.vectors import VectorSummary, make_vectors
from explorer.tables.vector_columns import ENTITIES
from explorer.tables.vectors import open_vectors
from tests.indexing.fake_embedder import FakeEmbedder
from tests.indexing.folders import make_folder
from tests.indexing.model_folders import connect
from tests.indexing.plain_analyst import PlainAnalyst
from tests.servers.running import RunningServer


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An index of some sixty entities: several calls of sixteen texts each."""
    first, second = "ABCDEFGHIJ", ("lam", "rec", "ort", "und", "ilo", "eva")
    names = [f"{letter}{ending}" for letter in first for ending in second]
    texts = {f"{number}.txt": f"{one} met {two}." for number, (one, two) in enumerate(pairwise(names))}
    index_folder(make_folder(tmp_path / "folder", texts), home=tmp_path / "home", analyst=PlainAnalyst())
    return tmp_path / "home"


def vectors_with(server: RunningServer, home: Path, sink: Any = lambda event: None, **more: Any) -> VectorSummary:
    connection = connect(server, embedding_model="scripted-embedding", **more.pop("settings", {}))
    scope = more.pop("scope", None) or CancelScope()
    with model_analyst(home, IndexOptions(), connection, "a key", sink=sink, scope=scope) as model:
        embedder = ModelEmbedder(model.client, model.loop, connection=connection)
        return make_vectors(home, embedder, sink=sink, scope=scope, **more)


def test_each_text_is_paid_once(home: Path, model_server: RunningServer) -> None:
    events: list[Event] = []
    summary = vectors_with(model_server, home, events.append)
    log = model_server.log("embeddings")
    settled = [event for event in events if isinstance(event, CallSettled)]
    assert summary.calls.count == len(log) == len(settled) > 4
    assert {event.stage for event in settled} == {"embed"}
    assert summary.calls.prompt_tokens == sum(event.prompt_tokens for event in settled) > 0
    assert summary.dimension == 384
    assert [event.done for event in events if isinstance(event, StageProgress)][-1] == summary.embedded
    assert summary.failed == {}
    assert vectors_with(model_server, home).embedded == 0
    assert len(model_server.log("embeddings")) == len(log)
    # The tables are lost: everything is still with the calls.
    shutil.rmtree(home / "output" / "lancedb")
    again = vectors_with(model_server, home)
    assert again.embedded == summary.embedded
    assert again.calls.cached == again.calls.count
    assert len(model_server.log("embeddings")) == len(log)


def test_another_models_vectors_stand_until_someone_says_so(home: Path, model_server: RunningServer) -> None:
    make_vectors(home, FakeEmbedder())
    with pytest.raises(Exception, match="--renew-vectors"):
        vectors_with(model_server, home)
    assert model_server.log("embeddings") == []
    assert vectors_with(model_server, home, renew=True).dimension == 384


def test_a_stop_keeps_what_was_paid(home: Path, model_server: RunningServer) -> None:
    scope = CancelScope()

    def stop(event: Event, /) -> None:
        if isinstance(event, StageProgress):
            scope.cancel()

    with pytest.raises(Cancelled):
        vectors_with(model_server, home, stop, scope=scope, settings={"concurrency": 1})
    before = len(model_server.log("embeddings"))
    assert open_vectors(home / "output") is None
    summary = vectors_with(model_server, home, settings={"concurrency": 1})
    asked = model_server.log("embeddings")
    assert len(asked) == before + summary.calls.count - summary.calls.cached
    vectors = open_vectors(home / "output")
    assert vectors is not None
    assert vectors.tables[ENTITIES].count == 60
