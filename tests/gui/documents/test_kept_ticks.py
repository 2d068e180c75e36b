"""The window is never held while the calls of an index are read from its store, 100,000 of them too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from explorer.base.fates import CallFate
from explorer.gui.kept_log import PAGE
from explorer.gui.ticks import Stalls, TickRecorder
from explorer.indexing.run import index_folder
from explorer.models.call_store import CALLS_NAME, CallStore, StoredCall
from tests.gui.conftest import MakeWindow
from tests.gui.test_ticks import Machine, as_the_program, control, judge
from tests.indexing.model_folders import model_folder
from tests.indexing.plain_analyst import PlainAnalyst

_AT_ONCE = 2_000


def store_calls(home: Path, number: int) -> None:
    """Calls of all stages and fates, each with a reply of some thousand characters."""
    stages = ("extract", "glean", "describe", "reports")
    with CallStore(home / CALLS_NAME) as store:
        for first in range(0, number, _AT_ONCE):
            store.put_all([_call(at, stages[at % 4]) for at in range(first, min(number, first + _AT_ONCE))])


def _call(at: int, stage: str) -> StoredCall:
    lost = at % 25 == 3
    return StoredCall(
        f"{at:064x}", stage, f"reply {at} " * 300, "m", CallFate.FAILED if lost else CallFate.OK, 1_400, 600, 1.2,
        at % 3, "The server failed (500)." if lost else None, f"thing {at}", (("user", f"Write {at % 50}."),),
        cost=0.001, billed_prompt_tokens=1_400, billed_output_tokens=600,
    )  # fmt: skip


def read_in_sight(make_window: MakeWindow, qtbot, folder: Path, number: int) -> tuple[Any, Stalls, Machine]:
    """Open an index with so many calls, look at them while they are read, and go down ten pages."""
    analyst = PlainAnalyst()
    analyst.name = "scripted"
    model_folder(folder, files=2, sentences=12)
    index_folder(folder, analyst=analyst)
    store_calls(folder / ".graphrag-explorer", number)
    window = make_window()
    window.engine.prepare(4)
    window.open_path(folder)
    qtbot.waitUntil(lambda: window.session.index is not None, timeout=60_000)
    window.show_place("documents")
    place = window.place("documents")
    place.tabs.setCurrentIndex(1)
    qtbot.waitUntil(lambda: not window.engine.jobs, timeout=60_000)
    source, before = place.source, place.source.kept
    recorder = TickRecorder(window)
    with as_the_program(window), control() as machine:
        qtbot.wait(300)  # the page is painted for the first time
        recorder.start()
        window.indexing.charged_later.emit(Path(window.session.index.home))  # it is read again, in sight
        qtbot.waitUntil(lambda: source.kept is not before, timeout=120_000)
        model, bar = place.calls_pane.model, place.calls_pane.table.verticalScrollBar()

        def further(known: int) -> bool:
            bar.setValue(bar.maximum())  # again and again: the bar grows a moment after the rows
            return bool(model.rowCount() > known)

        for _page in range(10):
            known = model.rowCount()
            if known < number:
                qtbot.waitUntil(lambda known=known: further(known), timeout=60_000)
        stalls = recorder.stop()
    return place, stalls, machine


def test_all_of_them_are_reached_by_scrolling(make_window: MakeWindow, qtbot, tmp_path: Path) -> None:
    number = 3 * PAGE
    place, _stalls, _machine = read_in_sight(make_window, qtbot, tmp_path / "letters", number)
    assert place.calls_pane.model.rowCount() == place.source.log.total.calls == number
    lost = number // 25
    fates = [place.calls_pane.model.index(row, 0).data() for row in range(number)]
    log = place.source.log
    assert (fates.count("failed"), fates.count("replaced since")) == (log.fates["failed"], log.fates["replaced"])
    assert log.fates["failed"] == sum(at % 25 == 3 and at % 4 >= 2 for at in range(number)) == log.total.lost
    assert log.fates["failed"] + log.fates["replaced"] == lost, "of a text that is in the index no more nothing is lost"
    assert set(fates[: log.total.lost]) == {"failed"}


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.timeout(600)
def test_the_window_is_never_held_by_a_call_store(make_window: MakeWindow, qtbot, tmp_path: Path) -> None:
    place, stalls, machine = read_in_sight(make_window, qtbot, tmp_path / "letters", 100_000)
    print(f"the window: {stalls}; {machine}")
    assert place.source.log.total.calls == 100_000
    judge(stalls, machine)
