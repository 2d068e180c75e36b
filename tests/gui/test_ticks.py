"""The GUI thread is never held while a folder is indexed: the ticks of a 10 ms timer say so.

Two measurements: the program as it is, and the same window in which one stage (reading and cutting the documents) is
called on the GUI thread. The first must be smooth, the second must not, or the test would prove nothing. A process
that only sleeps runs beside them, and what other programs compute is counted: where the machine wakes that process too
late or is busy with other things, nothing can be said and the test is skipped with the figures.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer

from explorer.base.events import StageStarted
from explorer.gui.app import SWITCH_SECONDS, GarbageKeeper
from explorer.gui.ticks import Stalls, TickRecorder, summary
from explorer.gui.window import MainWindow
from tests.gui.conftest import MakeWindow
from tests.gui.quick_run import quick_runner

PATIENCE = 1_500_000
CONTROL = Path(__file__).with_name("control_clock.py")


@dataclass
class Machine:
    """What was measured beside the window: delays of a process that only sleeps, and the share of all processors that
    programs other than ours used."""

    sleeper: Stalls = field(default_factory=lambda: summary([]))
    others: float = 0.0

    @property
    def quiet(self) -> bool:
        # A clock that wakes 50 ms late by itself cannot tell whether the window was held for 100 ms.
        return self.sleeper.longest <= 50.0 and self.others < 0.15


def _busy_and_ours() -> tuple[float, float]:
    """Seconds that all processors were busy since the start, and seconds of this process and its ended children."""
    import psutil

    times = psutil.cpu_times()
    waiting = times.idle + getattr(times, "iowait", 0.0)
    used = os.times()
    return sum(times[: 8 if hasattr(times, "steal") else None]) - waiting, sum(used[:4])


@contextmanager
def control() -> Iterator[Machine]:
    """Measure the machine meanwhile; the figures are there after the block."""
    process = subprocess.Popen([sys.executable, str(CONTROL)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    result = Machine()
    busy, ours = _busy_and_ours()
    began = time.perf_counter()
    try:
        yield result
    finally:
        out, _ = process.communicate()
        result.sleeper = summary(json.loads(out))
        now_busy, now_ours = _busy_and_ours()
        capacity = (time.perf_counter() - began) * (os.cpu_count() or 1)
        result.others = max(0.0, (now_busy - busy) - (now_ours - ours)) / capacity


@contextmanager
def as_the_program(window: MainWindow) -> Iterator[None]:
    """The collector and the switching of threads as `graphrag-explorer` sets them."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.collect()
    gc.freeze()
    keeper = GarbageKeeper(window)
    window.session.index_opened.connect(keeper.freeze)
    try:
        yield
    finally:
        keeper.stop()
        gc.unfreeze()
        sys.setswitchinterval(before)


def measure(
    window: MainWindow, qtbot, folder: Path, begin: Callable[[Path], object] | None = None
) -> tuple[Stalls, Machine]:
    """Index a folder in the window and wait for its communities, and for all of its tables where there are many: the
    window's delays and those of the machine.

    `begin` starts it; by default the folder is opened.
    """
    window.engine.prepare(4)
    warm: list[bool] = []
    window.warm_up(lambda: warm.append(True))
    qtbot.waitUntil(lambda: bool(warm), timeout=60_000)
    for name in ("communities", "documents"):
        window.show_place(name)
    recorder = TickRecorder(window)
    failures: list[str] = []
    window.session.failed.connect(failures.append)
    with as_the_program(window), control() as machine:
        qtbot.wait(300)
        recorder.start()
        (begin or window.open_path)(folder)
        qtbot.waitUntil(
            lambda: (
                (window.session.layout is not None and window.session.index is not None)
                or window.indexing.state == "failed"
                or bool(failures)
            ),
            timeout=PATIENCE,
        )
        qtbot.wait(500)
        stalls = recorder.stop()
    assert not failures and window.indexing.state == "done", (failures, window.indexing.sentence)
    return stalls, machine


def judge(stalls: Stalls, machine: Machine) -> None:
    """Smooth, or the machine's own fault."""
    if not stalls.smooth and not machine.quiet:
        pytest.skip(f"this machine is too busy to tell: {machine}; the window: {stalls}")
    assert stalls.smooth, f"the window: {stalls}; {machine}"


@pytest.fixture
def folder(tmp_path: Path, sample: Path) -> Path:
    """A folder of 60 documents of some length, made of copies of the sample."""
    target = tmp_path / "copies"
    target.mkdir()
    texts = [path.read_text(encoding="utf-8") for path in sorted(sample.iterdir()) if path.is_file()]
    if not texts:
        pytest.skip("there is no bundled sample")
    for number in range(60):
        parts = [texts[(number + step) % len(texts)] for step in range(12)]
        (target / f"document-{number:02d}.txt").write_text("\n\n".join(parts), encoding="utf-8")
    return target


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.timeout(900)
def test_the_window_is_never_held_while_a_folder_is_indexed(make_window: MakeWindow, qtbot, folder: Path) -> None:
    judge(*measure(make_window(runner=quick_runner), qtbot, folder))


def _read_and_cut(folder: Path) -> None:
    from explorer.corpus.chunk import chunk
    from explorer.corpus.folder import find_files
    from explorer.corpus.read import read_file

    began = time.perf_counter()
    while time.perf_counter() < began + 0.5:  # once is enough only where the machine is no faster than ours
        for file in find_files(folder):
            if not file.reason:
                for document in read_file(folder, file.path).documents:
                    chunk(document)


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.timeout(900)
def test_the_ticks_notice_a_stage_on_the_gui_thread(make_window: MakeWindow, qtbot, folder: Path) -> None:
    window = make_window(runner=quick_runner)
    take = window.indexing._take

    def take_and_hold(events) -> None:
        take(events)
        if any(isinstance(event, StageStarted) and event.stage == "chunk" for event in events):
            QTimer.singleShot(0, window, lambda: _read_and_cut(folder))

    window.indexing._take = take_and_hold
    stalls, _machine = measure(window, qtbot, folder)
    assert not stalls.smooth, f"a stage on the GUI thread went unnoticed: {stalls}"
    assert stalls.longest > 100.0


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.timeout(1800)
def test_261_documents_are_indexed_without_holding_the_window(
    make_window: MakeWindow, qtbot, shared: Path, tmp_path: Path
) -> None:
    import shutil

    for attempt in ("first", "second"):  # what the program does to the window it does every time
        folder = tmp_path / attempt
        shutil.copytree(shared / "corpora" / "mid_factbook_md", folder)
        window = make_window()
        stalls, machine = measure(window, qtbot, folder)
        print(f"{attempt}: the window: {stalls}; {machine}")
        assert len(window.session.index.documents) == 261
        if stalls.smooth:
            return
    judge(stalls, machine)


def test_the_figures_of_the_ticks() -> None:
    delays = [0.0] * 998 + [60.0, 90.0]
    assert summary(delays) == Stalls(1000, 60.0, 90.0, 2)
    assert not summary(delays).smooth
    assert summary([0.0] * 9_995 + [60.0] * 5).smooth
    assert not summary([0.0] * 99_999 + [101.0]).smooth
    assert summary([]) == Stalls(0, 0.0, 0.0, 0)
