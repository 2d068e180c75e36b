"""The window is never held while a language model reads 1,000 text units, 32 at a time, nor is the model held by it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from explorer.base.cancel import CancelScope
from explorer.base.events import EventSink
from explorer.base.jobs import run_job
from explorer.gui.indexing_job import Order
from explorer.models.connection import Connection
from explorer.models.connections import save_connection
from tests.benchmarks.model_speed import report
from tests.benchmarks.thousand import make_documents
from tests.gui.conftest import MakeWindow
from tests.gui.test_ticks import judge, measure
from tests.servers.running import RunningServer

LATENCY, CONCURRENCY, DOCUMENTS = 0.2, 32, 1000


def _index(folder: Path, home: Path | None, order: Order, *, sink: EventSink, scope: CancelScope) -> Any:
    from explorer.indexing.options import IndexOptions
    from explorer.indexing.run import index_folder

    options = IndexOptions(max_gleanings=0)
    return index_folder(folder, home=home, options=options, connection=order.connection, sink=sink, scope=scope)


def runner(folder: Path, home: Path | None, sink: EventSink, scope: CancelScope, order: Order) -> Any:
    """As the window indexes, in a process of its own; but without gleaning."""
    return run_job(_index, folder, home, order, sink=sink, scope=scope)


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.timeout(900)
def test_the_window_is_never_held_while_a_model_reads_a_thousand_units(
    make_window: MakeWindow, qtbot, tmp_path: Path, model_server: RunningServer
) -> None:
    connection = Connection(
        name="scripted", base_url=model_server.url, chat_model="scripted-chat", key="none", concurrency=CONCURRENCY
    )
    save_connection(connection)
    for attempt in ("first", "second"):  # what the program does to the window it does every time
        folder = make_documents(tmp_path / attempt / "documents", DOCUMENTS)
        model_server.set(latency=LATENCY)
        before = len(model_server.log("chat"))
        window = make_window(runner=runner)
        window.session.use_connection("scripted")
        stalls, machine = measure(
            window, qtbot, folder, lambda folder, window=window: window.indexing.start(folder, order=Order(connection))
        )
        entries = model_server.log("chat")[before:]
        began = min(entry.arrived for entry in entries)
        last = max(entry.answered or 0.0 for entry in entries)
        print(report(entries, began, last - began, CONCURRENCY, LATENCY))
        print(f"{attempt}: the window: {stalls}; {machine}")
        assert sum(entry.task == "entity_extraction" for entry in entries) == DOCUMENTS
        if stalls.smooth:
            return
    judge(stalls, machine)
