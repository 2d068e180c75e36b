"""The Ask page as a person sees it, with a trace by hand."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt, QUrl
from pytestqt.qtbot import QtBot

from explorer.gui.actions import ActionRegistry
from explorer.gui.engine import Engine
from explorer.gui.places.ask.place import AskPlace
from explorer.gui.session import Citation, Session
from explorer.gui.theme import Theme

from .traces import made_trace


@pytest.fixture
def place(qtbot: QtBot) -> Iterator[AskPlace]:
    engine = Engine()
    theme = Theme()
    theme.set_scheme("light")
    page = AskPlace(Session(engine), engine, theme, ActionRegistry())
    qtbot.addWidget(page)
    page.resize(1200, 760)
    page.show()
    yield page
    engine.stop()


def show(place: AskPlace, qtbot: QtBot) -> None:
    """A run, to the last pane."""
    place.session.set_trace(made_trace())
    qtbot.waitUntil(lambda: place.settled)


def test_without_an_index_the_page_says_what_to_do(place: AskPlace) -> None:
    assert "Open a folder" in place.answer_empty.label.text()
    place.ask()
    assert "no index" in place.plan_line.text()
    assert not place.ask_button.isEnabled()


def test_a_question_without_a_word_is_not_asked(place: AskPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[object] = []
    monkeypatch.setattr(Session, "index", property(lambda _: object()))
    monkeypatch.setattr(place, "_begin", lambda *asked: begun.append(asked))
    place.question.setText("¿?")
    place._timer.stop()  # the plan of an index that is none
    place.ask()
    assert "no word" in place.plan_line.text() and begun == []


def test_a_trace_fills_the_answer_the_ledger_and_all_panes(place: AskPlace, qtbot: QtBot) -> None:
    show(place, qtbot)
    assert "Two themes." in place.answer.toPlainText()
    assert "<img src=x> stays text." in place.answer.toPlainText()
    assert "9 points = 4 kept + 3 cut by the budget + 1 cut, would have fitted + 1 score zero ✓" in place.losses.text()
    assert "45%" in place.losses.text()
    assert place.batches.model.rowCount() == 6
    assert place.points.model.rowCount() == 9
    assert place.selection.rows_model.rowCount() == 6
    assert "global search does not select" in place.selection.note.text()
    assert place.calls.model.rowCount() == 7


def test_an_unbalanced_ledger_is_said(place: AskPlace) -> None:
    trace = made_trace()
    trace.ledger.points.balanced = False
    place.session.set_trace(trace)
    assert "does not balance" in place.losses.text()


def test_a_citation_of_the_answer_opens_what_it_names(place: AskPlace) -> None:
    place.session.set_trace(made_trace())
    cited: list[object] = []
    places: list[str] = []
    place.session.citation_chosen.connect(cited.append)
    place.session.place_wanted.connect(places.append)
    place.answer.anchorClicked.emit(QUrl("cite:Reports:4"))
    assert cited == [Citation("Reports", 4)]
    assert places == ["communities"]


def test_a_click_on_a_bar_opens_the_batch_with_its_prompt_and_reply(place: AskPlace, qtbot: QtBot) -> None:
    show(place, qtbot)
    place.batches.chart.grab()  # the first paint lays the marks
    mark = place.batches.chart.marks[3]
    qtbot.mouseClick(place.batches.chart, Qt.MouseButton.LeftButton, pos=mark.rect.center().toPoint())
    assert place.dialog.windowTitle() == "Batch 4"
    assert place.dialog.tabs.count() == 4
    place.dialog.close()


def test_the_keyboard_walks_the_bars_and_says_each(place: AskPlace, qtbot: QtBot) -> None:
    show(place, qtbot)
    chart = place.batches.chart
    chart.grab()
    chart.setFocus()
    qtbot.keyClick(chart, Qt.Key.Key_Right)
    qtbot.keyClick(chart, Qt.Key.Key_Right)
    assert chart.accessibleDescription().startswith("Batch 2: relevant. 1 point kept, 1 cut, 1 without a score.")


def test_a_chart_turns_into_a_table(place: AskPlace, qtbot: QtBot) -> None:
    show(place, qtbot)
    place.registry.get("ask.points-table").setChecked(True)
    assert place.points.view.isVisible()
    assert not place.points.chart.isVisible()
