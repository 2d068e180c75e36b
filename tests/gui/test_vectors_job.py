"""Vectors in the background: after the page is painted, free ones unasked, paid ones after a yes, never in the way."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtWidgets import QPushButton

from explorer.analysts.offline.vectors import why_not
from explorer.base.events import Notice, StageProgress, StageStarted
from explorer.gui import vectors_job
from explorer.gui.ticks import TickRecorder
from explorer.gui.vectors_child import VectorPlan, plan_vectors
from explorer.gui.vectors_job import BackgroundVectors
from explorer.gui.window import MainWindow
from explorer.indexing.vector_state import OtherVectors, VectorState
from explorer.models.connection import Connection
from explorer.tables.index_file import IndexInfo
from explorer.tables.vectors_file import load_vectors_info
from tests.gui.conftest import MakeWindow, small_index, small_layout
from tests.gui.quick_run import quick_runner
from tests.gui.test_ticks import as_the_program, control, judge

MISSING = VectorState(state="missing", sentence="There are no vectors yet.", texts=8, to_embed=8)
PAID = Connection(name="Mine", base_url="http://localhost:1", embedding_model="m")


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors_job, "LOOK_MS", 10)


class Runner:
    """Stands in for the process: keeps what it was asked for, waits while `hold` is not set."""

    def __init__(self, result: Any = None) -> None:
        self.asked: list[tuple[Path, str | None, str | None, bool]] = []
        self.result = result if result is not None else SimpleNamespace(failed={})
        self.hold = threading.Event()
        self.hold.set()

    def __call__(self, home: Path, connection: Any, key: str | None, renew: bool, sink: Any, scope: Any) -> Any:
        self.asked.append((home, connection.name if connection else None, key, renew))
        sink(StageStarted("vectors", 8))
        sink(StageProgress("vectors", 3, 8))
        sink(Notice("A remark."))
        while not self.hold.wait(0.01):
            scope.checkpoint()
        return self.result


def ours(path: Path) -> Any:
    index = small_index(folder=path, foreign=False, name=path.name)
    index.info = IndexInfo(created="2026-01-01", grade="patterns")
    return index


def open_with(make_window: MakeWindow, plan: VectorPlan, runner: Runner, opener: Any = ours) -> tuple[MainWindow, Any]:
    window = make_window(opener=opener, layouter=small_layout)
    job = BackgroundVectors(window, planner=lambda index: plan, runner=runner)
    window.open_path(Path("/somewhere/letters"))
    return window, job


def sentences(window: MainWindow) -> list[str]:
    return [message.sentence for message in window.messages.messages()]


def press(window: MainWindow, word: str) -> None:
    (button,) = (button for button in window.messages.findChildren(QPushButton) if button.text() == word)
    button.click()


def test_free_vectors_are_made_after_the_page_is_painted(make_window: MakeWindow, qtbot) -> None:
    runner = Runner()
    window = make_window(opener=ours, layouter=small_layout)
    job = BackgroundVectors(window, planner=lambda index: VectorPlan(MISSING), runner=runner)
    painted: list[bool] = []
    window.session.layout_ready.connect(lambda _layout: painted.append(not runner.asked))
    with qtbot.waitSignal(job.ended) as ended:
        window.open_path(Path("/somewhere/letters"))
    assert ended.args == ["made"]
    assert painted == [True]
    assert runner.asked == [(window.session.index.home, None, None, False)]
    assert "A remark." in sentences(window)
    assert not job.waiting


def test_it_stands_in_the_activity_panel_and_can_be_stopped(make_window: MakeWindow, qtbot) -> None:
    runner = Runner()
    runner.hold.clear()
    window, job = open_with(make_window, VectorPlan(MISSING), runner)
    qtbot.waitUntil(lambda: any(line.job.done == 3 for line in window.activity.lines if line.job.name == "Vectors"))
    (line,) = (line for line in window.activity.lines if line.job.name == "Vectors")
    assert line.state.text() == "Making vectors 3 of 8 · running"
    with qtbot.waitSignal(job.ended) as ended:
        line.stop.click()
    assert ended.args == ["stopped"]
    qtbot.wait(100)
    assert len(runner.asked) == 1  # a person stopped it: it does not begin again by itself


@pytest.mark.parametrize("kind", ["current", "foreign", "unable"])
def test_nothing_is_made(make_window: MakeWindow, qtbot, kind: str) -> None:
    runner = Runner()
    plan = VectorPlan(MISSING.model_copy(update={"state": "current"}))
    if kind == "unable":
        plan = VectorPlan(sentence="The offline model is not installed.")
    opener = (lambda path: small_index(name="theirs")) if kind == "foreign" else ours
    window, job = open_with(make_window, plan, runner, opener)
    qtbot.waitUntil(lambda: window.session.layout is not None)
    qtbot.waitUntil(lambda: not job.waiting)
    assert runner.asked == []
    assert sentences(window) == (["The offline model is not installed."] if kind == "unable" else [])
    assert window.registry.get("index.vectors").isEnabled() == (kind != "foreign")


def test_a_sentence_is_said_once(make_window: MakeWindow, qtbot) -> None:
    window, job = open_with(make_window, VectorPlan(sentence="It is not installed."), Runner())
    qtbot.waitUntil(lambda: sentences(window) == ["It is not installed."])
    window.messages.clear()
    with qtbot.waitSignal(job.ended):
        window.open_path(Path("/somewhere/else"))
    assert sentences(window) == []


def test_a_connection_is_paid_after_a_yes_only(make_window: MakeWindow, qtbot) -> None:
    runner = Runner()
    window, job = open_with(make_window, VectorPlan(MISSING, PAID.model_copy(update={"key": "none"}), "m"), runner)
    with qtbot.waitSignal(job.ended) as ended:
        pass
    assert ended.args == ["asked"]
    assert runner.asked == []
    (sentence,) = sentences(window)
    with qtbot.waitSignal(job.ended):  # another index: its own question, once
        window.open_path(Path("/somewhere/letters"))
    assert sentences(window) == [sentence]
    assert "Mine would be sent 8 texts for m, and may charge for it." in sentence
    with qtbot.waitSignal(job.ended) as ended:
        press(window, "Make them")
    assert ended.args == ["made"]
    assert [asked[1:] for asked in runner.asked] == [("Mine", None, False)]
    assert sentence not in sentences(window)


def test_after_a_run_of_this_window_they_are_part_of_the_bill(make_window: MakeWindow, qtbot) -> None:
    runner = Runner()
    window = make_window(opener=ours, layouter=small_layout)
    plan = VectorPlan(MISSING, PAID.model_copy(update={"key": "none"}), "m")
    job = BackgroundVectors(window, planner=lambda index: plan, runner=runner)
    window.indexing.finished.emit(Path("/somewhere/letters"))
    with qtbot.waitSignal(job.ended) as ended:
        window.open_path(Path("/somewhere/letters"))
    assert ended.args == ["made"]
    assert [asked[1:] for asked in runner.asked] == [("Mine", None, False)]


def test_vectors_of_another_model_are_asked_about(make_window: MakeWindow, qtbot) -> None:
    runner = Runner()
    there = VectorState(state="other_model", sentence="The vectors are those of big.", texts=8, to_embed=8, model="big")
    window, job = open_with(make_window, VectorPlan(there), runner)
    qtbot.waitUntil(lambda: bool(sentences(window)))
    assert runner.asked == []
    assert sentences(window) == ["The vectors are those of big. The offline model would make those of 8 texts."]
    with qtbot.waitSignal(job.ended):
        press(window, "Make them anew")
    assert [asked[3] for asked in runner.asked] == [True]


def test_a_question_that_comes_with_the_first_reply(make_window: MakeWindow, qtbot) -> None:
    there = MISSING.model_copy(update={"state": "stale", "model": "m", "dimension": 4})
    runner = Runner(OtherVectors(there, "m", 6))
    window, job = open_with(make_window, VectorPlan(MISSING), runner)
    with qtbot.waitSignal(job.ended) as ended:
        pass
    assert ended.args == ["asked"]
    (sentence,) = (said for said in sentences(window) if said != "A remark.")
    assert "cannot stand beside them" in sentence
    assert "--" not in sentence
    runner.result = SimpleNamespace(failed={})
    with qtbot.waitSignal(job.ended):
        press(window, "Make them anew")
    assert [asked[3] for asked in runner.asked] == [False, True]


def test_indexing_comes_first(make_window: MakeWindow, qtbot, tmp_path: Path) -> None:
    runner = Runner()
    runner.hold.clear()
    gate = threading.Event()

    def index(folder: Path, home: Path | None, sink: Any, scope: Any) -> Any:
        gate.wait(120)
        return SimpleNamespace()

    window = make_window(opener=ours, layouter=small_layout, runner=index, lister=lambda folder: [])
    job = BackgroundVectors(window, planner=lambda index: VectorPlan(MISSING), runner=runner)
    window.open_path(tmp_path)
    qtbot.waitUntil(lambda: len(runner.asked) == 1)
    window.index_folder(tmp_path)
    qtbot.waitUntil(
        lambda: [line.job.state for line in window.activity.lines if line.job.name == "Vectors"] == ["cancelled"]
    )
    qtbot.wait(150)
    assert len(runner.asked) == 1
    runner.hold.set()
    with qtbot.waitSignal(job.ended) as ended:
        gate.set()
    assert ended.args == ["made"]
    assert len(runner.asked) == 2


def test_closing_the_index_stops_it(make_window: MakeWindow, qtbot) -> None:
    runner = Runner()
    runner.hold.clear()
    window, job = open_with(make_window, VectorPlan(MISSING), runner)
    qtbot.waitUntil(lambda: bool(runner.asked))
    window.session.close_index()
    qtbot.waitUntil(lambda: not window.engine.jobs)
    assert not job.waiting


def test_the_action_makes_them_now(make_window: MakeWindow, qtbot) -> None:
    runner = Runner()
    plan = VectorPlan(MISSING, PAID.model_copy(update={"key": "none"}), "m")
    window, job = open_with(make_window, plan, runner)
    with qtbot.waitSignal(job.ended):
        pass
    (question,) = sentences(window)
    with qtbot.waitSignal(job.ended) as ended:
        window.registry.get("index.vectors").trigger()
    assert ended.args == ["made"]
    assert question not in sentences(window)


def test_who_would_make_them(shared: Path, tmp_path: Path) -> None:
    from explorer.indexing.run import index_folder
    from explorer.models.connections import save_connection
    from explorer.tables.index import open_index
    from tests.indexing.folders import make_folder
    from tests.indexing.plain_analyst import PlainAnalyst

    if why_not():
        pytest.skip("the extra [offline] is not installed")
    analyst = PlainAnalyst()
    analyst.name = "Mine"
    index_folder(make_folder(tmp_path / "folder"), home=tmp_path / "home", analyst=analyst)
    index = open_index(tmp_path / "home")
    plan = plan_vectors(index)
    assert (plan.connection, plan.model, plan.state.state) == (None, "all-MiniLM-L6-v2-int8", "missing")
    save_connection(PAID)
    plan = plan_vectors(index)
    assert (plan.connection.name, plan.model) == ("Mine", "m")
    save_connection(PAID.model_copy(update={"embedding_model": ""}))
    assert plan_vectors(index).connection is None


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.timeout(900)
@pytest.mark.skipif(why_not() != "", reason="the extra [offline] is not installed")
def test_the_window_is_never_held_while_vectors_are_made(
    make_window: MakeWindow, qtbot, sample: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "sample"
    shutil.copytree(sample, folder)
    window = make_window(runner=quick_runner)
    job = BackgroundVectors(window)
    window.engine.prepare(4)
    warm: list[bool] = []
    window.warm_up(lambda: warm.append(True))
    qtbot.waitUntil(lambda: bool(warm), timeout=120_000)
    window.show_place("communities")
    with qtbot.waitSignal(window.session.layout_ready, timeout=120_000):
        window.open_path(folder)
    recorder = TickRecorder(window)
    with as_the_program(window), control() as machine:
        recorder.start()
        with qtbot.waitSignal(job.ended, timeout=600_000) as ended:
            pass
        qtbot.wait(300)
        stalls = recorder.stop()
    print(f"the window: {stalls}; {machine}")
    assert ended.args == ["made"]
    made = load_vectors_info(folder / ".graphrag-explorer")
    assert made is not None
    assert made.rows["text_unit_text"] == len(window.session.index.text_units)
    judge(stalls, machine)
