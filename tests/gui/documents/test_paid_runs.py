"""Runs that cost money, in the window: the question before, caps, failures, calls that open, a stop in two steps."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import Qt

from explorer.base.events import CallSettled, CapReached, FileSettled, InFlight, StageStarted
from explorer.gui.places.documents.calls_pane import CallsPane
from explorer.gui.window import MainWindow
from explorer.models.connection import Connection
from explorer.models.connections import save_connection
from explorer.models.keys import Keys
from explorer.models.prices import Price
from explorer.planning.estimated import Middle, StageEstimate, total
from tests.gui.conftest import MakeWindow, small_index, small_layout
from tests.planning.test_estimate_paid import connection_to
from tests.servers.running import RunningServer

SECRET = "sk-canary-0123456789"
PAID = Connection(name="Paid", base_url="http://127.0.0.1:9/v1", chat_model="m", key="session",
                  prices={"m": Price(prompt=1.0, output=4.0)})  # fmt: skip


def said(cost: tuple[float, float] | None = (0.41, 0.62), **more: Any) -> Any:
    middle = Middle(calls=5, prompt_tokens=1_000, output_tokens=300, cost=None if cost is None else 0.5, seconds=30.0)
    stage = StageEstimate(model="m", calls=5, prompt_tokens=1_000, output_tokens=(200, 400), cost=cost,
                          seconds=(10.0, 60.0), middle=middle)  # fmt: skip
    return total({"extract": stage}, connection="Paid", documents=2, text_units=5, text_tokens=900,
                 files={"indexed": 2}, **more)  # fmt: skip


class Runner:
    """Stands in for the process of indexing; `events` go out, then it waits until `done` or the scope ends it."""

    def __init__(self) -> None:
        self.orders: list[Any] = []
        self.events: list[Any] = []
        self.hold = False
        self.scopes: list[Any] = []
        self.summary: Any = SimpleNamespace(bill=None)

    def __call__(self, folder: Path, home: Path | None, sink: Any, scope: Any, order: Any = None) -> Any:
        self.orders.append(order)
        self.scopes.append(scope)
        for event in self.events:
            sink(event)
        while self.hold:
            if scope.abandoned:
                self.hold = False
            scope_wait(scope)
        if scope.cancelled:
            scope.checkpoint()
        if order is not None and order.pilot is not None:
            return SimpleNamespace(pilot=PILOT)
        return self.summary


def scope_wait(scope: Any) -> None:
    import time

    time.sleep(0.01)


PILOT = SimpleNamespace(
    units=[SimpleNamespace(failed="", entities=found, relationships=found - 4) for found in (12, 8)],
    stages={"extract": SimpleNamespace(
        calls=[SimpleNamespace(fate="ok", billed_prompt_tokens=100, billed_output_tokens=50, cost=0.01)] * 2)},
)  # fmt: skip
CALLS = [
    StageStarted("extract", 2),
    InFlight(3, 0.01),
    FileSettled("a.txt", "indexed", "", 10, 1, 1, 5),
    CallSettled("extract", "ok", 100, 20, 0.5, "k1", "u1", "m", 0.01, files=("a.txt",)),
    CallSettled("extract", "malformed", 100, 5, 0.5, "k2", "u2", "m", 0.01, 1, "The reply holds no JSON.", "",
                ("b.txt",)),
]  # fmt: skip


@pytest.fixture
def runner() -> Any:
    runner = Runner()
    yield runner
    runner.hold = False


@pytest.fixture
def window(make_window: MakeWindow, runner: Runner, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    from explorer.gui.loading import NoIndexYet

    def opener(path: Path) -> Any:
        if runner.orders and not runner.hold and runner.orders[-1] is not None and runner.orders[-1].pilot is None:
            return small_index(path, foreign=False, name=path.name)
        raise NoIndexYet("no index yet")

    save_connection(PAID)
    window = make_window(
        opener=opener, layouter=small_layout, runner=runner, lister=lambda folder: [("a.txt", 10, ""), ("b.txt", 9, "")]
    )
    window.desk.preparation._estimator = lambda folder, home, connection, pilot, sink, scope: said(
        **({"basis": "pilot", "spent": 0.02} if pilot else {})
    )
    window.session.keys.put(PAID, SECRET, "session")
    window.session.use_connection("Paid")
    return window


def ask(window: MainWindow, qtbot, folder: Path) -> Any:
    """Open a folder and wait for the question."""
    window.open_path(folder)
    qtbot.waitUntil(lambda: window.desk.preparation.state == "ready")
    return window.place("documents")


def begin(window: MainWindow, qtbot, folder: Path) -> Any:
    place = ask(window, qtbot, folder)
    qtbot.mouseClick(place.before_pane.start_button, Qt.MouseButton.LeftButton)
    return place


def test_nothing_begins_before_a_yes(window: MainWindow, runner: Runner, qtbot, tmp_path: Path) -> None:
    place = ask(window, qtbot, tmp_path)
    assert runner.orders == [] and window.indexing.state == "idle"
    assert place.before_pane.isVisible() and not place.stages_pane.isVisible()
    assert "2 documents, 5 text units: 5 calls, money $0.41 to $0.62, about $0.50" in place.before_pane.line.text()
    rows = [[place.before_pane.model.index(r, c).data() for c in range(6)] for r in range(2)]
    assert rows == [["Finding entities", "5", "", "1,000", "200 to 400", "$0.41 to $0.62"],
                    ["Together", "5", "", "1,000", "200 to 400", "$0.41 to $0.62"]]  # fmt: skip
    assert [line.fate for line in place.model.lines] == ["waiting", "waiting"]
    qtbot.mouseClick(place.before_pane.leave_button, Qt.MouseButton.LeftButton)
    assert not place.before_pane.isVisible() and runner.orders == []


def test_the_order_has_the_caps_and_the_key_shows_nowhere(
    window: MainWindow, runner: Runner, qtbot, tmp_path: Path
) -> None:
    place = ask(window, qtbot, tmp_path)
    place.before_pane.max_cost.setValue(0.5)
    place.before_pane.max_calls.setValue(300)
    qtbot.mouseClick(place.before_pane.start_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(runner.orders))
    order = runner.orders[0]
    assert (order.max_cost, order.max_calls, order.pilot, order.key) == (0.5, 300, None, SECRET)
    assert order.said.cost == (0.41, 0.62)
    assert SECRET not in repr(order)
    assert window.indexing.order.key is None, "the window keeps no key"


def test_without_a_price_the_money_is_unknown_and_cannot_be_capped(
    window: MainWindow, runner: Runner, qtbot, tmp_path: Path
) -> None:
    window.desk.preparation._estimator = lambda *_: said(None)
    place = ask(window, qtbot, tmp_path)
    assert "money unknown" in place.before_pane.line.text()
    assert place.before_pane.model.index(0, 5).data() == "unknown"
    assert not place.before_pane.max_cost.isEnabled() and place.before_pane.max_calls.isEnabled()


def test_the_offline_analyst_begins_at_once(window: MainWindow, runner: Runner, qtbot, tmp_path: Path) -> None:
    window.session.use_connection("offline")
    window.open_path(tmp_path)
    qtbot.waitUntil(lambda: runner.orders == [None])
    assert window.desk.preparation.state == "idle"


def test_a_connection_that_is_gone_begins_nothing(window: MainWindow, runner: Runner, qtbot, tmp_path: Path) -> None:
    window.session.use_connection("No such")
    window.open_path(tmp_path)
    qtbot.waitUntil(lambda: bool(window.messages.messages()))
    assert "There is no connection named 'No such'" in window.messages.messages()[0].sentence
    assert runner.orders == [] and window.indexing.state == "idle"


def test_a_pilot_then_the_bill_then_go_on(window: MainWindow, runner: Runner, qtbot, tmp_path: Path) -> None:
    place = ask(window, qtbot, tmp_path)
    place.before_pane.pilot_units.setValue(2)
    qtbot.mouseClick(place.before_pane.pilot_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.desk.preparation.pilot is not None and window.desk.preparation.state == "ready")
    assert [order.pilot for order in runner.orders] == [2]
    assert place.before_pane.pilot_line.text() == (
        "The pilot of 2 text units: 10.0 entities and 6.0 relationships a text unit, 0 of 2 calls failed, 300 tokens, "
        "$0.02."
    )
    assert place.before_pane.start_button.text() == "Go on"
    qtbot.mouseClick(place.before_pane.start_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(runner.orders) == 2)
    assert runner.orders[1].said.basis == "pilot" and runner.orders[1].pilot is None


def test_calls_money_and_files_while_it_runs(window: MainWindow, runner: Runner, qtbot, tmp_path: Path) -> None:
    runner.events, runner.hold = CALLS, True
    place = begin(window, qtbot, tmp_path)
    qtbot.waitUntil(lambda: "2 calls · 225 tokens · $0.02 (estimate $0.41 to $0.62)" in place.words.text())
    assert "1 gave nothing" in place.words.text() and "3 in flight" in place.words.text()
    assert place.tabs.isVisible() and place.tabs.tabText(1) == "Calls (1 gave nothing)"
    row = next(r for r, line in enumerate(place.model.lines) if line.path == "b.txt")
    assert [place.model.index(row, c).data() for c in (8, 9, 10)] == ["1 (1 lost)", "105", "$0.01"]
    extract = [stage.name for stage in window.indexing.stages].index("extract")
    assert [place.stages.index(extract, c).data() for c in (7, 8, 9)] == ["2 (1 lost)", "225", "$0.02"]
    pane: CallsPane = place.calls_pane
    assert [pane.model.index(r, 0).data() for r in range(2)] == ["malformed", "ok"]
    assert pane.model.index(0, 2).data() == "b.txt"
    assert not window.registry.get("calls.retry_all").isEnabled(), "not while it runs"


def test_stopping_says_what_is_in_flight_and_can_be_cut_short(
    window: MainWindow, runner: Runner, qtbot, tmp_path: Path
) -> None:
    runner.events, runner.hold = CALLS, True
    place = begin(window, qtbot, tmp_path)
    qtbot.waitUntil(lambda: "3 in flight" in place.words.text())
    qtbot.mouseClick(place.stop_button, Qt.MouseButton.LeftButton)
    assert place.words.text() == "Finishing 3 calls in flight, at most $0.01. Everything done is kept."
    assert place.abandon_button.isVisible() and place.abandon_button.isEnabled()
    assert not runner.scopes[-1].abandoned
    qtbot.mouseClick(place.abandon_button, Qt.MouseButton.LeftButton)
    assert "given up" in place.words.text() and runner.scopes[-1].abandoned
    qtbot.waitUntil(lambda: window.indexing.state == "stopped")
    assert not place.abandon_button.isVisible()


def test_at_a_cap_the_bar_asks(window: MainWindow, runner: Runner, qtbot, tmp_path: Path) -> None:
    runner.events = [*CALLS, CapReached("max_cost", 0.5, 0.5, "The cap of $0.50 is reached: 2 calls made.")]
    runner.hold = True
    place = begin(window, qtbot, tmp_path)
    qtbot.waitUntil(lambda: place.cap_bar.isVisible())
    assert place.cap_bar.sentence.text() == "The cap of $0.50 is reached: 2 calls made."
    assert "Paused at a cap." in place.words.text()
    place.cap_bar.value.setValue(0.75)
    qtbot.mouseClick(place.cap_bar.raise_button, Qt.MouseButton.LeftButton)
    assert runner.scopes[-1].caps == {"max_cost": 0.75}
    assert not place.cap_bar.isVisible() and "Paused at a cap" not in place.words.text()
    assert window.indexing.order.max_cost == 0.75


def test_stop_at_a_cap_keeps_everything(window: MainWindow, runner: Runner, qtbot, tmp_path: Path) -> None:
    runner.events, runner.hold = [CapReached("max_calls", 2, 2, "2 of at most 2 calls are made.")], True
    place = begin(window, qtbot, tmp_path)
    qtbot.waitUntil(lambda: place.cap_bar.isVisible())
    qtbot.mouseClick(place.cap_bar.stop_button, Qt.MouseButton.LeftButton)
    runner.hold = False
    qtbot.waitUntil(lambda: window.indexing.state == "stopped")
    assert not place.cap_bar.isVisible() and "Everything done is kept" in place.words.text()


def test_going_on_asks_no_second_time_and_counts_all_parts(
    window: MainWindow, runner: Runner, qtbot, tmp_path: Path
) -> None:
    runner.events, runner.hold = CALLS, True
    place = ask(window, qtbot, tmp_path)
    place.before_pane.max_cost.setValue(0.5)
    qtbot.mouseClick(place.before_pane.start_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.indexing.calls.total.calls == 2)
    window.indexing.stop()
    runner.hold = False
    qtbot.waitUntil(lambda: window.indexing.state == "stopped")
    runner.events = []
    qtbot.mouseClick(place.start_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(runner.orders) == 2)
    order = runner.orders[1]
    assert order.before["extract"].prompt_tokens == 200 and order.before["extract"].cost == pytest.approx(0.02)
    assert order.max_cost == pytest.approx(0.48), "the cap holds for all parts together"
    assert order.said is not None


def test_failed_calls_are_made_again_alone_by_file_or_all(
    window: MainWindow, runner: Runner, qtbot, tmp_path: Path
) -> None:
    runner.events = CALLS
    place = begin(window, qtbot, tmp_path)
    qtbot.waitUntil(lambda: window.session.index is not None)
    window.show_place("documents")
    assert place.loss_bar.isVisible()
    assert place.loss_bar.sentence.text().startswith("1 of 2 calls gave nothing (The reply holds no JSON).")
    place.tabs.setCurrentIndex(1)
    place.calls_pane.table.setCurrentIndex(place.calls_pane.model.index(0, 0))
    for action, keys in (("calls.retry", {"k2"}), ("calls.retry_all", None), ("index.retry_file", {"k2"})):
        if action == "index.retry_file":
            place.tabs.setCurrentIndex(0)
            row = next(r for r, line in enumerate(place.model.lines) if line.path == "b.txt")
            place.table.setCurrentIndex(place.model.index(row, 0))
        made = len(runner.orders)
        assert window.registry.get(action).isEnabled(), action
        window.registry.get(action).trigger()
        qtbot.waitUntil(lambda made=made: len(runner.orders) == made + 1 and not window.indexing.running)
        assert runner.orders[-1].retry == (None if keys is None else frozenset(keys))
        assert runner.orders[-1].said is None, "another bill than the one that was estimated"
        place.calls_pane.table.setCurrentIndex(place.calls_pane.model.index(0, 0))
        if action == "calls.retry_all":
            place.model.set_lines([*place.model.lines, *_line("b.txt")])


def _line(path: str) -> list[Any]:
    from explorer.gui.places.documents.files_model import FileLine

    return [FileLine(path, "failed")]


def test_a_model_that_never_follows_the_form(
    make_window: MakeWindow, model_server: RunningServer, qtbot, tmp_path: Path
) -> None:
    """Every failure is counted, the page says what to do, and a call opens to its messages, reply and attempts."""
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text(f"Ada Byron met Grace Hopper in Paris in {number}.", encoding="utf-8")
    model_server.set(faults=[{"fault": "nonsense"}])
    save_connection(connection_to(model_server).model_copy(update={"retries": 1, "embedding_model": ""}))
    window = make_window()
    window.session.use_connection("scripted")
    window.open_path(tmp_path)
    qtbot.waitUntil(lambda: window.desk.preparation.state == "ready", timeout=120_000)
    place = window.place("documents")
    qtbot.mouseClick(place.before_pane.start_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.indexing.state in ("done", "failed"), timeout=120_000)
    qtbot.waitUntil(lambda: not window.engine.jobs, timeout=120_000)
    window.show_place("documents")
    calls = window.indexing.calls
    assert (calls.total.calls, calls.total.lost) == (3, 3)
    assert "3 of 3 calls gave nothing" in place.loss_bar.sentence.text()
    assert "test the connection" in place.loss_bar.sentence.text()
    place.tabs.setCurrentIndex(1)
    place.calls_pane.table.setCurrentIndex(place.calls_pane.model.index(0, 0))
    window.registry.get("calls.open").trigger()
    qtbot.waitUntil(lambda: place.calls_pane.dialog is not None)
    dialog = place.calls_pane.dialog
    pages = [dialog.tabs.widget(at).toPlainText() for at in range(3)]
    assert "Ada Byron met Grace Hopper" in pages[0]
    assert pages[1].startswith("I am glad to help")
    assert pages[2].startswith("1. malformed") and "2. malformed" in pages[2]
    dialog.reject()
    model_server.set(faults=[])
    window.registry.get("calls.retry_all").trigger()
    qtbot.waitUntil(lambda: window.indexing.state == "done", timeout=120_000)
    assert window.indexing.calls.total.lost == 0 and not place.loss_bar.isVisible()
    qtbot.waitUntil(lambda: not window.engine.jobs, timeout=120_000)


def test_keys_are_asked_off_the_gui_thread(window: MainWindow, runner: Runner, qtbot, tmp_path: Path) -> None:
    import threading

    asked: list[str] = []

    class Slow(Keys):
        def get(self, connection: Connection) -> str | None:
            asked.append(threading.current_thread().name)
            return None

    window.session._keys = Slow()
    begin(window, qtbot, tmp_path)
    qtbot.waitUntil(lambda: bool(asked))
    assert asked[0] != threading.main_thread().name


def test_the_bill_takes_in_the_vectors_that_are_made_afterwards(
    make_window: MakeWindow, model_server: RunningServer, qtbot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from explorer.gui import vectors_job
    from explorer.planning.bill import load_bill

    monkeypatch.setattr(vectors_job, "LOOK_MS", 10)
    for number in range(2):
        (tmp_path / f"{number}.txt").write_text(f"Ada Byron met Grace Hopper in Paris in {number}.", encoding="utf-8")
    save_connection(connection_to(model_server))
    window = make_window()
    job = vectors_job.BackgroundVectors(window)
    window.session.use_connection("scripted")
    window.open_path(tmp_path)
    qtbot.waitUntil(lambda: window.desk.preparation.state == "ready", timeout=120_000)
    place = window.place("documents")
    estimate = window.desk.preparation.estimate
    with qtbot.waitSignal(job.ended, timeout=240_000) as ended:
        qtbot.mouseClick(place.before_pane.start_button, Qt.MouseButton.LeftButton)
    assert ended.args == ["made"]
    qtbot.waitUntil(lambda: not window.engine.jobs, timeout=60_000)
    said = [message.sentence for message in window.messages.messages()]
    assert any("Its vectors are still to be made" in sentence for sentence in said)
    (last,) = (sentence for sentence in said if sentence.startswith("With the vectors"))
    bill = load_bill(window.session.index.home)
    assert bill is not None and bill.sentence == last
    assert bill.total.cost.estimated == pytest.approx(estimate.cost)
    assert bill.stages["embed"].calls.actual == len(model_server.log("embeddings")) > 0
    calls = window.indexing.calls
    assert calls.kinds["embed"].calls == bill.stages["embed"].calls.actual
    assert calls.total.cost == pytest.approx(bill.total.cost.actual)
    window.show_place("documents")
    facts = [place.facts._grid.itemAtPosition(row, 1).widget().text() for row in range(place.facts._grid.rowCount())]
    assert last in facts
