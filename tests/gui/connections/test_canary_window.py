"""A key that is typed into the window, everything that is done with it there, also what fails: it is found nowhere."""

from __future__ import annotations

import logging

import pytest
from PySide6.QtCore import QAbstractItemModel, QModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView

from explorer.gui.indexing_job import Order
from explorer.models.connections import load_connections
from tests.canary import CANARY, leaks, leaks_in
from tests.gui.connections.conftest import settle
from tests.gui.connections.test_connections_page import everything_shown, trigger, type_into
from tests.indexing.model_folders import model_folder

PATIENCE = 120_000


def _cells(model: QAbstractItemModel, parent: QModelIndex = QModelIndex()) -> list[str]:
    roles = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole)
    found = []
    for row in range(model.rowCount(parent)):
        column = 0
        while (index := model.index(row, column, parent)).isValid():  # a list hides its one column
            found += [str(index.data(role)) for role in roles]
            column += 1
    return found


def check(window, tmp_path, capfd, caplog) -> None:
    shown = [everything_shown(window)]
    for view in window.findChildren(QAbstractItemView):
        if view.model() is not None:
            shown += _cells(view.model())
    assert not leaks_in("\n".join(shown).encode()), "the window shows the key"
    out, err = capfd.readouterr()
    assert not leaks_in((out + err).encode()), "the key was printed"
    for record in caplog.records:
        assert not leaks_in(f"{record.getMessage()} {record.args!r} {record.exc_text}".encode()), record.name
    assert leaks(tmp_path) == []


@pytest.mark.slow
def test_a_key_that_is_typed_is_found_nowhere(
    make_window, ring, qtbot, tmp_path, monkeypatch, model_server, capfd, caplog
) -> None:
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    caplog.set_level(logging.DEBUG)
    folder = model_folder(tmp_path / "letters", files=2, sentences=20)
    model_server.set(keys=[CANARY], models=["chat", "vec"], echo_key=True)
    window = make_window()
    window.show_place("connections")
    settle(window, qtbot)
    page = window.place("connections").connections
    trigger(window, qtbot, "new")
    type_into(qtbot, page.form.name, "canary")
    page.form.kind.setCurrentIndex(page.form.kind.findData("compatible"))
    page.form.base_url.setText(model_server.url)
    page.form.chat_model.setEditText("chat")
    page.form.embedding_model.setEditText("vec")
    type_into(qtbot, page.form.key.line, CANARY)
    trigger(window, qtbot, "save")
    trigger(window, qtbot, "test")
    assert any("384 dimensions" in line.sentence for line in page.test_pane.lines.lines)
    trigger(window, qtbot, "use")
    check(window, tmp_path, capfd, caplog)

    connection = load_connections()["canary"]
    order = Order(connection)
    assert CANARY not in repr(Order(connection, CANARY))
    assert window.indexing.start(folder, None, order)
    qtbot.waitUntil(lambda: window.indexing.state in ("done", "failed"), timeout=PATIENCE)
    assert window.indexing.state == "done", window.indexing.sentence
    qtbot.waitUntil(lambda: window.session.index is not None and not window.engine.jobs, timeout=PATIENCE)
    window.show_place("ask")
    ask = window.place("ask")
    ask.question.setText("Who met in Norderbach?")
    qtbot.waitUntil(lambda: not window.engine.jobs, timeout=PATIENCE)
    ask.ask()
    qtbot.waitUntil(lambda: window.session.trace is not None and not window.engine.jobs, timeout=PATIENCE)
    assert [entry for entry in model_server.log("chat") if entry.key]  # the server was really asked with it
    check(window, tmp_path, capfd, caplog)

    model_server.set(keys=["another"])  # revoked; the server repeats the key in its refusals
    (folder / "00.txt").write_text("Emil Stark left Altmark for Seefeld.")
    ask.question.setText("Who left Altmark?")
    ask.ask()
    qtbot.waitUntil(lambda: not window.engine.jobs, timeout=PATIENCE)
    assert window.indexing.start(folder, None, order)
    qtbot.waitUntil(lambda: window.indexing.state in ("done", "failed"), timeout=PATIENCE)
    assert window.indexing.state == "failed" and "refuses the key" in window.indexing.sentence
    window.show_place("connections")
    page.choose("canary")
    settle(window, qtbot)
    trigger(window, qtbot, "test")
    check(window, tmp_path, capfd, caplog)
    caplog.clear()
