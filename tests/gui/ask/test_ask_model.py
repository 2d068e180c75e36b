"""The Ask page with a connection in use, against a server that speaks as OpenAI's does."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from checkers.ledger_checker import check_trace
from PySide6.QtWidgets import QApplication, QPushButton, QTableView
from pytestqt.qtbot import QtBot
from search.small_index import make_index

from explorer.gui.actions import ActionRegistry
from explorer.gui.engine import Engine
from explorer.gui.places.ask.place import AskPlace
from explorer.gui.session import Session
from explorer.gui.theme import Theme
from explorer.models.connection import Connection
from explorer.models.connections import save_connection
from explorer.models.prices import Price
from tests.servers.running import RunningServer
from tests.servers.settings import FaultRule

PATIENCE = 120_000
CANARY = "sk-canary-3c19d75be0"
QUESTION = "What do word2 and word3 have in common?"


@pytest.fixture
def mine(model_server: RunningServer, monkeypatch: pytest.MonkeyPatch) -> Connection:
    monkeypatch.setenv("ASK_TEST_KEY", CANARY)
    connection = Connection(
        name="mine", base_url=model_server.url, chat_model="m", key="env:ASK_TEST_KEY", concurrency=3,
        prices={"m": Price(prompt=2.0, output=8.0)}, retries=2,
    )  # fmt: skip
    save_connection(connection)
    return connection


@pytest.fixture
def place(qtbot: QtBot, tmp_path: Path, mine: Connection) -> Iterator[AskPlace]:
    """The page over a small index, five reports in five batches, with the connection in use."""
    engine = Engine()
    theme = Theme()
    theme.set_scheme("light")
    index = make_index(tmp_path)
    session = Session(engine, opener=lambda path: index, layouter=lambda index, sink, scope: None)
    page = AskPlace(session, engine, theme, ActionRegistry())
    qtbot.addWidget(page)
    page.resize(1200, 760)
    page.show()
    session.open_path(tmp_path)
    qtbot.waitUntil(lambda: session.index is not None, timeout=PATIENCE)
    session.use_connection("mine")
    page.knobs.numbers["max_context_tokens"].setMinimum(1)
    page.knobs.numbers["max_context_tokens"].setValue(60)
    page.question.setText(QUESTION)
    qtbot.waitUntil(lambda: "5 batches" in page.plan_line.text() and "$" in page.plan_line.text(), timeout=PATIENCE)
    yield page
    page._timer.stop()
    assert engine.stop(60.0)


def run(place: AskPlace, qtbot: QtBot, begin: Callable[[], object]) -> Any:
    """Begin something and wait for its trace, which is checked from outside."""
    before = place.session.trace
    begin()
    qtbot.waitUntil(lambda: not place.control.running and place.settled, timeout=PATIENCE)
    trace = place.session.trace
    assert trace is not None and trace is not before, place.answer_empty.label.text()
    text = trace.model_dump_json()
    assert check_trace(json.loads(text), place.session.index.output) == []
    assert CANARY not in text
    return trace


def words(place: AskPlace) -> str:
    return "\n".join((place.answer.toPlainText(), place.run_line.text(), place.losses.text()))


def test_the_plan_names_who_answers_and_what_it_costs(place: AskPlace) -> None:
    assert place.plan_bar.connection.text() == "mine · m"
    assert "$" in place.plan_line.text() and "unknown" not in place.plan_line.text()
    assert place.knobs.numbers["concurrency"].value() == 3
    place.session.use_connection("offline")
    assert place.plan_bar.connection.text() == "Offline analyst"


def test_the_answer_streams_and_the_line_says_what_it_cost(
    place: AskPlace, qtbot: QtBot, model_server: RunningServer
) -> None:
    model_server.set(chunk_delay=0.3)
    seen: list[str] = []
    place.control.text.connect(lambda text, anew: seen.append(place.answer.toPlainText()))
    lines: list[str] = []
    place.control.changed.connect(lambda: lines.append(place.control.line()))
    trace = run(place, qtbot, place.ask)
    growing = [text for text in seen if text]
    assert len(growing) > 2
    assert all(later.startswith(earlier) for earlier, later in pairwise(growing))
    assert trace.answer.text.startswith(growing[0].rstrip())
    assert any(line.startswith("Writing the answer · 5 calls · $0.") for line in lines)
    assert "6 calls" in place.run_line.text() and "$0." in place.run_line.text()
    qtbot.waitUntil(lambda: "5 batches are paid for already" in place.plan_line.text(), timeout=PATIENCE)
    again = run(place, qtbot, place.ask)
    assert "$0.0000" in place.run_line.text()
    assert {call.fate for call in again.calls} == {"cached"}
    assert len(model_server.log("chat")) == 6


def test_lost_batches_are_asked_again_from_the_calls_pane(
    place: AskPlace, qtbot: QtBot, model_server: RunningServer
) -> None:
    model_server.set(faults=[FaultRule("refusal", task="map_points", match="word[34] word[34]")])
    run(place, qtbot, place.ask)
    assert place.retry_action.isEnabled()
    assert place.retry_action.iconText() == "Ask the 2 lost again"
    assert "refuses" in words(place) or "failed" in place.calls.figure.text()
    model_server.set(faults=[])
    before = len(model_server.log("chat"))
    trace = run(place, qtbot, place.retry_action.trigger)
    assert trace.ledger.calls.fates == {"cached": 3, "ok": 3}
    assert len(model_server.log("chat")) == before + 3
    assert not place.retry_action.isEnabled()


def test_a_batch_opens_to_what_was_repaired_and_is_asked_again(
    place: AskPlace, qtbot: QtBot, model_server: RunningServer
) -> None:
    model_server.set(
        faults=[
            FaultRule("nonsense", task="map_points", match="word3 word3", attempts=1),
            FaultRule("fenced", task="map_points", match="word3 word3"),
        ]
    )
    run(place, qtbot, place.ask)
    place._open_batch(3)
    dialog = place.dialog
    text = [label.text() for label in dialog.findChildren(type(place.losses))]
    assert any("What was repaired: The points were taken out of the words around them." in line for line in text)
    assert [dialog.tabs.tabText(at) for at in range(dialog.tabs.count())][2:] == [
        "Prompt as sent", "Reply as it came", "Attempts (2)",
    ]  # fmt: skip
    attempts = dialog.tabs.widget(4)
    assert isinstance(attempts, QTableView)
    rows = [attempts.model().index(row, 1).data() for row in range(2)]
    assert rows == ["malformed", "ok"]
    assert "I am glad to help" in attempts.model().index(0, 6).data()
    model_server.set(faults=[])
    before = len(model_server.log("chat"))
    (again,) = [button for button in dialog.findChildren(QPushButton) if button.text() == "Ask this batch again"]
    trace = run(place, qtbot, again.click)
    assert model_server.log("chat")[before].task == "map_points"
    assert [call.fate for call in trace.calls if call.stage == "map"].count("ok") == 1


def test_a_wrong_key_is_said_and_every_batch_has_its_fate(
    place: AskPlace, qtbot: QtBot, model_server: RunningServer
) -> None:
    model_server.set(keys=["another"], echo_key=True)
    trace = run(place, qtbot, place.ask)
    assert trace.answer.status == "failed"
    assert "key" in place.answer.toPlainText()
    assert "5 failed" in place.batches.figure.text()
    assert len(model_server.log()) == 1
    for widget in place.findChildren(type(place.losses)):
        assert CANARY not in widget.text()
    model_server.set(keys=[CANARY])
    assert run(place, qtbot, place.retry_action.trigger).answer.status == "answered"


def test_a_connection_that_is_gone_is_said(place: AskPlace, qtbot: QtBot) -> None:
    place.session.use_connection("never set up")
    place.ask()
    qtbot.waitUntil(lambda: not place.control.running and place.settled, timeout=PATIENCE)
    assert "never set up" in place.answer_empty.label.text()
    qtbot.waitUntil(lambda: "never set up" in place.plan_line.text(), timeout=PATIENCE)


def test_at_a_cap_the_bar_asks_and_a_raise_goes_on(place: AskPlace, qtbot: QtBot, model_server: RunningServer) -> None:
    place.knobs.max_calls.setValue(2)
    place.ask()
    qtbot.waitUntil(place.cap_bar.isVisible, timeout=PATIENCE)
    assert "2 of at most 2 calls" in place.cap_bar.sentence.text()
    assert place.control.line().startswith("Paused at the cap")
    assert place.cap_bar.value.value() == 4
    place.cap_bar.value.setValue(40)
    place.cap_bar.raise_button.click()
    qtbot.waitUntil(lambda: not place.control.running and place.settled, timeout=PATIENCE)
    assert not place.cap_bar.isVisible()
    assert place.session.trace.answer.status == "answered"


def test_at_a_cap_the_run_can_be_stopped_with_what_it_has(
    place: AskPlace, qtbot: QtBot, model_server: RunningServer
) -> None:
    place.knobs.max_cost.setValue(0.0009)
    place.ask()
    qtbot.waitUntil(place.cap_bar.isVisible, timeout=PATIENCE)
    assert "at most US$ 0.0009" in place.cap_bar.sentence.text()
    trace = run(place, qtbot, place.cap_bar.stop_button.click)
    assert trace.answer.status == "cancelled"
    assert "at most US$ 0.0009" in place.answer.toPlainText()
    assert place.retry_action.isEnabled()


def test_a_stop_finishes_what_is_out_and_a_second_one_lets_it_go(
    place: AskPlace, qtbot: QtBot, model_server: RunningServer
) -> None:
    model_server.set(faults=[FaultRule("slow", seconds=600.0, after=1)])
    place.ask()
    qtbot.waitUntil(lambda: place.control.live.out == 3, timeout=PATIENCE)
    place.ask_button.click()
    QApplication.processEvents()
    assert place.run_line.text().startswith("Finishing 3 calls in flight, at most $")
    assert place.ask_button.text() == "Let them go"
    trace = run(place, qtbot, place.ask_button.click)
    assert trace.answer.status == "cancelled"
    assert trace.ledger.calls.fates == {"ok": 1, "cancelled": 3}


def test_closing_while_calls_are_out_waits_no_longer_than_it_is_told(
    place: AskPlace, qtbot: QtBot, model_server: RunningServer
) -> None:
    model_server.set(faults=[FaultRule("slow", seconds=600.0, after=1)])
    place.ask()
    qtbot.waitUntil(lambda: place.control.live.out == 3, timeout=PATIENCE)
    assert place.engine.stop(16.0)
    assert not place.control.running


def test_a_key_that_is_missing_is_said_where_the_question_was_asked(
    place: AskPlace, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, model_server: RunningServer
) -> None:
    monkeypatch.delenv("ASK_TEST_KEY")
    place.ask()
    qtbot.waitUntil(lambda: not place.control.running and place.settled, timeout=PATIENCE)
    assert "ASK_TEST_KEY" in place.answer_empty.label.text()
    assert not model_server.log()
