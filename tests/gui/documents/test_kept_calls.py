"""The calls of an index that is opened the next day: listed from its call store, opened, made again."""

from __future__ import annotations

import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from explorer.gui.kept_log import PAGE
from explorer.gui.window import MainWindow
from explorer.indexing.run import index_folder
from explorer.models.call_store import CALLS_NAME, CallStore, StoredCall
from explorer.models.connections import remove_connection, save_connection
from explorer.tables.index_file import load_info
from tests.gui.conftest import MakeWindow
from tests.indexing.model_folders import connect, model_folder
from tests.indexing.plain_analyst import PlainAnalyst
from tests.servers.running import RunningServer

FAULTS = [
    {"fault": "refusal", "task": "entity_extraction", "match": "harbour 1"},
    {"fault": "nonsense", "task": "entity_extraction", "match": "harbour 2"},
    {"fault": "wrong_types", "task": "entity_extraction", "match": "harbour 3"},
]


@pytest.fixture
def folder(model_server: RunningServer, tmp_path: Path) -> Path:
    """Four files, indexed yesterday by a model: one whose call failed, one malformed, one repaired, one well."""
    save_connection(connect(model_server))
    model_server.set(faults=FAULTS)
    folder = model_folder(tmp_path / "letters", files=4, sentences=12)
    index_folder(folder, connection=connect(model_server))
    model_server.set(faults=[])
    return folder


def home_of(folder: Path) -> Path:
    return folder / ".graphrag-explorer"


def records(folder: Path) -> list[tuple[Any, ...]]:
    with sqlite3.connect(home_of(folder) / CALLS_NAME) as connection:
        found = connection.execute(
            "SELECT key, fate, billed_prompt_tokens + billed_output_tokens, cost, stage FROM calls ORDER BY id"
        ).fetchall()
    connection.close()
    return found


def open_documents(window: MainWindow, qtbot, path: Path) -> Any:
    """Open an index in a window that made no run, and wait for its calls."""
    window.open_path(path)
    qtbot.waitUntil(lambda: window.session.index is not None, timeout=30_000)
    window.show_place("documents")
    qtbot.waitUntil(lambda: not window.engine.jobs, timeout=30_000)
    return window.place("documents")


def rows(place: Any) -> list[list[str]]:
    model = place.calls_pane.model
    return [[model.index(r, c).data() for c in range(model.columnCount())] for r in range(model.rowCount())]


def test_the_calls_of_yesterday_are_listed_with_the_figures_of_the_store(
    make_window: MakeWindow, qtbot, folder: Path
) -> None:
    window = make_window()
    place = open_documents(window, qtbot, folder)
    stored = records(folder)
    source, log = place.source, place.source.log
    assert source.of_store and log.total.calls == len(stored) == len({key for key, *_ in stored})
    assert log.total.tokens == sum(tokens for _key, _fate, tokens, *_ in stored) > 0
    assert log.total.cost == pytest.approx(sum(cost for *_, cost, _stage in stored))
    assert {fate: number for fate, number in log.fates.items() if number} == Counter(fate for _k, fate, *_ in stored)
    assert {kind: spent.calls for kind, spent in log.kinds.items()} == Counter(stage for *_, stage in stored)
    shown = rows(place)
    assert len(shown) == len(stored)
    assert {(row[0], row[2]) for row in shown[:2]} == {("failed", "01.txt"), ("malformed", "02.txt")}
    assert all(row[8] for row in shown[:2]), "each says why"
    assert ["repaired", "03.txt"] in [[row[0], row[2]] for row in shown]
    assert place.loss_bar.isVisible() and f"2 of {len(stored)} calls gave nothing" in place.loss_bar.sentence.text()
    assert place.tabs.isVisible() and place.tabs.tabText(1) == "Calls (2 gave nothing)"
    qtbot.waitUntil(lambda: all(line.spent is not None for line in place.model.lines))
    files = {place.model.index(r, 0).data(): place.model.index(r, 8).data() for r in range(4)}
    assert files["01.txt"].endswith("(1 lost)") and files["02.txt"].endswith("(1 lost)")
    assert sum(spent.cost for spent in log.files.values()) == pytest.approx(log.total.cost)
    facts = dict(_facts(place))
    assert "Finding entities: 4 calls (2 lost)" in facts["Calls"]


def _facts(place: Any) -> list[tuple[str, str]]:
    grid = place.facts._grid
    return [
        (grid.itemAtPosition(row, 0).widget().text(), grid.itemAtPosition(row, 1).widget().text())
        for row in range(grid.rowCount())
        if grid.itemAtPosition(row, 0) is not None
    ]


def test_a_call_opens_to_its_messages_its_reply_and_its_attempts(make_window: MakeWindow, qtbot, folder: Path) -> None:
    window = make_window()
    place = open_documents(window, qtbot, folder)
    row = next(number for number, row in enumerate(rows(place)) if row[0] == "malformed")
    place.tabs.setCurrentIndex(1)
    place.calls_pane.table.setCurrentIndex(place.calls_pane.model.index(row, 0))
    window.registry.get("calls.open").trigger()
    qtbot.waitUntil(lambda: place.calls_pane.dialog is not None)
    dialog = place.calls_pane.dialog
    pages = [dialog.tabs.widget(at).toPlainText() for at in range(3)]
    assert "harbour 2" in pages[0]
    assert pages[1].startswith("I am glad to help")
    assert pages[2].startswith("1. malformed")
    dialog.reject()


@pytest.mark.parametrize("what", ["call", "file", "all"])
def test_calls_are_made_again_from_there_and_counted_once(
    make_window: MakeWindow, model_server: RunningServer, qtbot, folder: Path, what: str
) -> None:
    window = make_window()
    place = open_documents(window, qtbot, folder)
    before = records(folder)
    charged = place.source.log.total.cost
    model_server.reset()
    if what == "file":
        at = next(row for row, line in enumerate(place.model.lines) if line.path == "01.txt")
        place.table.setCurrentIndex(place.model.index(at, 0))
        window.registry.get("index.retry_file").trigger()
    elif what == "call":
        place.tabs.setCurrentIndex(1)
        at = next(number for number, row in enumerate(rows(place)) if row[2] == "01.txt" and row[0] == "failed")
        place.calls_pane.table.setCurrentIndex(place.calls_pane.model.index(at, 0))
        window.registry.get("calls.retry").trigger()
    else:
        window.registry.get("calls.retry_all").trigger()
    qtbot.waitUntil(lambda: window.indexing.running, timeout=30_000)
    qtbot.waitUntil(lambda: window.indexing.state == "done", timeout=120_000)
    qtbot.waitUntil(lambda: not window.engine.jobs, timeout=30_000)
    log = place.source.log
    assert not place.source.of_store, "the run of this window is shown now"
    again = records(folder)[len(before) :]
    assert log.total.tokens == sum(tokens for _key, _fate, tokens, *_ in again), "only what this run was charged"
    assert log.total.lost == (0 if what == "all" else 1)
    assert [stage for *_, stage in again].count("extract") == (2 if what == "all" else 1)
    assert len(model_server.log("chat")) == len(again), "everything else came from the store"
    fresh = make_window()
    place = open_documents(fresh, qtbot, folder)
    assert place.source.log.total.cost == pytest.approx(charged + sum(cost for *_, cost, _stage in again))
    assert place.source.log.total.lost == (0 if what == "all" else 1)
    assert place.loss_bar.isVisible() == (what != "all")


def test_the_connection_that_the_index_remembers_is_gone(make_window: MakeWindow, qtbot, folder: Path) -> None:
    remove_connection("scripted")
    window = make_window()
    open_documents(window, qtbot, folder)
    window.registry.get("calls.retry_all").trigger()
    qtbot.waitUntil(lambda: any("'scripted'" in said.sentence for said in window.messages.messages()))
    (sentence,) = (said.sentence for said in window.messages.messages() if "'scripted'" in said.sentence)
    assert "is not there any more" in sentence and "Nothing was begun." in sentence
    assert window.indexing.state == "idle"


@pytest.mark.parametrize("other", ["model", "file"])
def test_what_would_be_more_than_the_failed_calls_is_asked_first(
    make_window: MakeWindow, model_server: RunningServer, qtbot, folder: Path, other: str
) -> None:
    if other == "model":
        save_connection(connect(model_server, chat_model="another"))
    else:
        (folder / "new.txt").write_text("Anna Kern met Emil Stark in Altmark.", encoding="utf-8")
    window = make_window()
    place = open_documents(window, qtbot, folder)
    model_server.reset()
    window.registry.get("calls.retry_all").trigger()
    qtbot.waitUntil(lambda: window.desk.preparation.state == "ready", timeout=120_000)
    assert place.before_pane.isVisible() and window.indexing.state == "idle"
    words = "connection, the prompts or the settings" if other == "model" else "Files of this folder have changed"
    assert any(words in said.sentence for said in window.messages.messages())
    assert model_server.log("chat") == []


def test_a_call_that_another_model_made_good_is_no_loss(
    make_window: MakeWindow, model_server: RunningServer, qtbot, folder: Path
) -> None:
    index_folder(folder, connection=connect(model_server, chat_model="another", prices={}))
    window = make_window()
    place = open_documents(window, qtbot, folder)
    log = place.source.log
    assert log.total.lost == 0 and not place.loss_bar.isVisible()
    assert log.fates["replaced"] == 2 and log.lost_keys() == frozenset()
    assert [row[0] for row in rows(place)].count("replaced since") == 2
    assert log.total.cost is None, "a price that is not known is never 0"


def test_a_call_that_was_made_again_is_one_row_and_charged_twice(make_window: MakeWindow, qtbot, folder: Path) -> None:
    index_folder(folder, connection=connect_of(folder))
    window = make_window()
    place = open_documents(window, qtbot, folder)
    stored = records(folder)
    log = place.source.log
    assert log.total.calls == len({key for key, *_ in stored}) == len(stored) - 2
    assert log.total.lost == 0
    assert log.total.tokens == sum(tokens for _key, _fate, tokens, *_ in stored)
    assert log.again.calls == 2
    assert place.calls_pane.figure.text().endswith("of it for 2 calls made again since")


def connect_of(folder: Path) -> Any:
    from explorer.models.connections import find_connection

    info = load_info(home_of(folder))
    assert info is not None
    return find_connection(info.connection)


def test_an_index_made_elsewhere_says_why_there_are_no_calls(make_window: MakeWindow, qtbot, shared: Path) -> None:
    window = make_window()
    place = open_documents(window, qtbot, shared / "indexes" / "microsoft" / "verbs-v3.1.2")
    place.tabs.setCurrentIndex(1)
    assert place.calls_pane.isVisible() and place.calls_pane.model.rowCount() == 0
    assert place.source.sentence.startswith("This index was made elsewhere")
    assert not any(window.registry.get(id).isEnabled() for id in ("calls.open", "calls.retry", "calls.retry_all"))


def test_an_index_of_the_offline_analyst_says_why_there_are_no_calls(
    make_window: MakeWindow, qtbot, tmp_path: Path
) -> None:
    folder = model_folder(tmp_path / "letters", files=2, sentences=12)
    index_folder(folder)
    window = make_window()
    place = open_documents(window, qtbot, folder)
    assert records(folder), "its readings stand in the same file"
    assert place.source.sentence.startswith("The offline analyst made this index")
    assert place.source.log.total.calls == 0


@pytest.mark.parametrize(
    ("harm", "words"),
    [("gone", "is not there"), ("damaged", "is damaged"), ("newer", "newer version"), ("cut", "calls.sqlite")],
)
def test_a_store_that_cannot_be_read_is_one_sentence(
    make_window: MakeWindow, qtbot, folder: Path, harm: str, words: str
) -> None:
    path = home_of(folder) / CALLS_NAME
    if harm == "gone":
        path.unlink()
    elif harm == "damaged":
        path.write_bytes(b"no database at all" * 400)
    elif harm == "cut":
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 3])
    else:
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA user_version = 99")
        connection.close()
    before = path.read_bytes() if path.is_file() else b""
    window = make_window()
    place = open_documents(window, qtbot, folder)
    assert words in place.source.sentence, place.source.sentence
    assert place.source.log.total.calls == 0 and place.calls_pane.model.rowCount() == 0
    assert (path.read_bytes() if path.is_file() else b"") == before
    window.registry.get("calls.retry_all").trigger()
    assert window.indexing.state == "idle"


def test_many_calls_come_page_by_page(make_window: MakeWindow, qtbot, tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "letters", files=2, sentences=12)
    analyst = PlainAnalyst()
    analyst.name = "scripted"
    index_folder(folder, analyst=analyst)
    with CallStore(home_of(folder) / CALLS_NAME) as store:
        store.put_all([
            StoredCall(f"key {number}", "reports", "{}", "m", subject=f"community {number}", cost=0.25,
                       messages=(("user", "Write."),), billed_prompt_tokens=3, billed_output_tokens=2)
            for number in range(3 * PAGE)
        ])  # fmt: skip
    window = make_window()
    place = open_documents(window, qtbot, folder)
    model = place.calls_pane.model
    assert place.source.log.total.calls == 3 * PAGE and place.source.log.total.cost == 0.25 * 3 * PAGE
    assert PAGE <= model.rowCount() < 3 * PAGE
    while model.canFetchMore():
        known = model.rowCount()
        model.fetchMore(model.index(-1, -1))
        qtbot.waitUntil(lambda known=known: model.rowCount() > known)
    assert [row[2] for row in rows(place)] == [f"community {number}" for number in reversed(range(3 * PAGE))]
