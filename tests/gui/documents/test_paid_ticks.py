"""The window is never held while 160 calls a second go by, with the calls in sight and the run far along."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from explorer.base.cancel import CancelScope
from explorer.base.events import CallSettled, EventSink, FileSettled, InFlight, StageProgress, StageStarted
from explorer.base.jobs import run_job
from explorer.gui.ticks import TickRecorder
from explorer.models.connection import Connection
from explorer.models.connections import save_connection
from tests.gui.conftest import MakeWindow, small_layout
from tests.gui.documents.test_paid_runs import said
from tests.gui.test_ticks import as_the_program, control, judge

RATE, SECONDS, BEFORE, FILES = 160, 15, 10_000, 300


def _call(number: int) -> CallSettled:
    lost = number % 7 == 0
    return CallSettled(
        "extract" if number % 2 else "glean", "failed" if lost else "ok", 1_400, 600, 1.2, f"key {number}",
        f"unit {number}", "m", 0.001, number % 3, "The server failed (500)." if lost else "", "",
        (f"file-{number % FILES:03}.txt",),
    )  # fmt: skip


def _busy(folder: Path, *, sink: EventSink, scope: CancelScope) -> Any:
    """In a process of its own, as the real one."""
    for number in range(FILES):
        sink(FileSettled(f"file-{number:03}.txt", "indexed", "", 1_000, 1, 30, 30_000))
    sink(StageStarted("extract", BEFORE + RATE * SECONDS))
    began = time.perf_counter()
    for number in range(RATE * SECONDS):
        sink(_call(BEFORE + number))
        sink(InFlight(32, 0.4))
        sink(StageProgress("extract", BEFORE + number + 1))
        time.sleep(max(0.0, began + (number + 1) / RATE - time.perf_counter()))
    return SimpleNamespace(bill=None)


def busy_runner(folder: Path, home: Path | None, sink: EventSink, scope: CancelScope, order: Any = None) -> Any:
    return run_job(_busy, folder, sink=sink, scope=scope)


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.timeout(300)
def test_the_window_is_never_held_by_calls(make_window: MakeWindow, qtbot, tmp_path: Path) -> None:
    from explorer.gui.loading import NoIndexYet

    def opener(path: Path) -> Any:
        raise NoIndexYet("no index yet")

    save_connection(Connection(name="Paid", base_url="http://127.0.0.1:9/v1", chat_model="m", key="none"))
    window = make_window(
        opener=opener, layouter=small_layout, runner=busy_runner,
        lister=lambda folder: [(f"file-{number:03}.txt", 1_000, "") for number in range(FILES)],
    )  # fmt: skip
    window.desk.preparation._estimator = lambda *_: said()
    window.session.use_connection("Paid")
    window.open_path(tmp_path)
    qtbot.waitUntil(lambda: window.desk.preparation.state == "ready")
    place = window.place("documents")
    qtbot.wait(500)
    recorder = TickRecorder(window)
    with as_the_program(window), control() as machine:
        qtbot.wait(300)
        window.registry.get("index.start").trigger()
        window.indexing.calls.take(_call(number) for number in range(BEFORE))  # a long run lies behind it
        qtbot.waitUntil(lambda: window.indexing.calls.total.calls > BEFORE, timeout=60_000)
        recorder.start()
        place.tabs.setCurrentIndex(1)
        qtbot.wait(5_000)
        place.tabs.setCurrentIndex(0)
        qtbot.waitUntil(lambda: not window.indexing.running, timeout=60_000)
        stalls = recorder.stop()
    print(f"the window: {stalls}; {machine}")
    assert window.indexing.calls.total.calls == BEFORE + RATE * SECONDS
    judge(stalls, machine)
