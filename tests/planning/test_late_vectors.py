"""The bill of a run whose vectors are made after it: it says that they come, and takes them in when they are there."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.base.cancel import CancelScope
from explorer.base.events import ignore
from explorer.gui.indexing_job import Order, index_in_child
from explorer.gui.vectors_child import vectors_in_child
from explorer.models.call_store import CALLS_NAME
from explorer.models.connection import Connection
from explorer.models.kept_calls import KeptCalls
from explorer.planning.bill import compare, load_bill
from explorer.planning.estimate import estimate
from explorer.planning.late_vectors import bill_with_vectors
from tests.indexing.model_folders import model_folder
from tests.planning.test_estimate_paid import connection_to, outside
from tests.servers.running import RunningServer


def index(folder: Path, connection: Connection) -> tuple[Path, Order]:
    """As the window does it: the estimate, a yes, the run without vectors."""
    order = Order(connection, said=estimate(folder, connection=connection))
    summary = index_in_child(folder, None, order, sink=ignore, scope=CancelScope())
    assert summary.bill["sentence"] == load_bill(Path(summary.index)).sentence
    return Path(summary.index), order


def make(home: Path, connection: Connection) -> None:
    vectors_in_child(home, connection, None, False, sink=ignore, scope=CancelScope())


def sent(server: RunningServer) -> int:
    return sum(entry.prompt_tokens for entry in server.log("embeddings"))


def test_the_bill_waits_for_the_vectors_and_takes_them_in(model_server: RunningServer, tmp_path: Path) -> None:
    connection = connection_to(model_server)
    home, order = index(model_folder(tmp_path / "letters", files=3, sentences=12), connection)
    first = load_bill(home)
    assert "embed" not in first.stages
    assert first.sentence.startswith("The estimate was $") and "Its vectors are still to be made" in first.sentence
    assert sent(model_server) == 0
    make(home, connection)
    whole = bill_with_vectors(home)
    assert whole == load_bill(home) and whole.pending is None
    assert whole.stages["embed"].calls.actual == len(model_server.log("embeddings")) > 0
    assert whole.stages["embed"].prompt_tokens.actual == sent(model_server)
    assert whole.total.cost.actual == pytest.approx(first.total.cost.actual + sent(model_server) * 0.02 / 1_000_000)
    assert whole.total.cost.estimated == pytest.approx(order.said.cost), "nothing of the estimate is left out now"
    assert whole.sentence.startswith("With the vectors: the estimate was $")
    assert outside(whole) == []
    assert bill_with_vectors(home) is None, "once"


def test_vectors_of_a_stopped_beginning_count_too(model_server: RunningServer, tmp_path: Path) -> None:
    connection = connection_to(model_server).model_copy(update={"retries": 0})
    home, _order = index(model_folder(tmp_path / "letters", files=3, sentences=12), connection)
    model_server.set(faults=[{"fault": "no_choices", "path": "embeddings", "times": 1}])
    make(home, connection)  # a part failed
    model_server.set(faults=[])
    make(home, connection)
    whole = bill_with_vectors(home)
    with KeptCalls(home / CALLS_NAME) as store:
        kept = [call for call, _newest in store.records(("embed",))]
    assert whole.stages["embed"].calls.actual == len(kept) == len(model_server.log("embeddings"))
    assert whole.stages["embed"].prompt_tokens.actual == sum(call.prompt_tokens for call in kept)


def test_without_an_embedding_model_nothing_is_to_come(model_server: RunningServer, tmp_path: Path) -> None:
    connection = connection_to(model_server).model_copy(update={"embedding_model": ""})
    home, order = index(model_folder(tmp_path / "letters", files=2, sentences=12), connection)
    bill = load_bill(home)
    assert bill.pending is None and "vectors" not in bill.sentence
    assert bill_with_vectors(home) is None
    assert "pending" not in bill.model_dump(mode="json")
    assert compare(order.said, {}).pending is None


def test_a_price_that_is_not_known_is_said(model_server: RunningServer, tmp_path: Path) -> None:
    connection = connection_to(model_server)
    connection = connection.model_copy(update={"prices": {"chat": connection.prices["chat"]}})
    home, _order = index(model_folder(tmp_path / "letters", files=2, sentences=12), connection)
    assert "at a price that is not known" in load_bill(home).sentence
    make(home, connection)
    whole = bill_with_vectors(home)
    assert whole.total.cost.actual is None and "The money is unknown" in whole.sentence
