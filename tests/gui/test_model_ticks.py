"""The window is never held while a language model reads 1,000 text units, 32 at a time, nor is the model held by it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from explorer.base.cancel import CancelScope
from explorer.base.events import EventSink
from explorer.base.jobs import run_job
from explorer.models.connection import Connection
from explorer.models.connections import save_connection
from tests.benchmarks.model_speed import report
from tests.benchmarks.thousand import make_documents
from tests.gui.conftest import MakeWindow
from tests.gui.test_ticks import judge, measure
from tests.servers.running import RunningServer

LATENCY, CONCURRENCY, DOCUMENTS = 0.2, 32, 1000


def _index(folder: Path, home: Path | None, *, sink: EventSink, scope: CancelScope) -> Any:
    from explorer.indexing.options import IndexOptions
    from explorer.indexing.run import index_folder
    from explorer.models.connections import find_connection

    options = IndexOptions(max_gleanings=0)
    connection = find_connection("scripted")
    return index_folder(folder, home=home, options=options, connection=connection, sink=sink, scope=scope)


def runner(folder: Path, home: Path | None, sink: EventSink, scope: CancelScope, *more: Any, **rest: Any) -> Any:
    """As the window indexes: in a process of its own; with the connection, and without gleaning."""
    return run_job(_index, folder, home, sink=sink, scope=scope)


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.timeout(900)
def test_the_window_is_never_held_while_a_model_reads_a_thousand_units(
    make_window: MakeWindow, qtbot, tmp_path: Path, model_server: RunningServer
) -> None:
    folder = make_documents(tmp_path / "documents", DOCUMENTS)
    model_server.set(latency=LATENCY)
    save_connection(
        Connection(
            name="scripted", base_url=model_server.url, chat_model="scripted-chat", key="none", concurrency=CONCURRENCY
        )
    )
    stalls, machine = measure(make_window(runner=runner), qtbot, folder)
    entries = model_server.log("chat")
    began = min(entry.arrived for entry in entries)
    last = max(entry.answered or 0.0 for entry in entries)
    print(report(entries, began, last - began, CONCURRENCY, LATENCY))
    print(f"the window: {stalls}; {machine}")
    assert sum(entry.task == "entity_extraction" for entry in entries) == DOCUMENTS
    judge(stalls, machine)
