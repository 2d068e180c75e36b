"""Connections in the window: setting one up, its key, its test, taking it into use, removing it."""

from __future__ import annotations

import json

import keyring
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from explorer.gui.window import MainWindow
from explorer.models.connection import Connection
from explorer.models.connections import connections_file, load_connections, save_connection
from explorer.models.local_servers import LocalServer
from tests.gui.connections.conftest import SECRET, settle
from tests.models.keyrings import LockedKeyring


def trigger(window: MainWindow, qtbot, id: str) -> None:
    action = window.registry.get(f"connections.{id}")
    assert action.isEnabled(), f"{id} is not possible now"
    action.trigger()
    settle(window, qtbot)


def words(page) -> str:
    return page.wrong.text() if page.wrong.isVisible() else ""


def type_into(qtbot, line: QLineEdit, text: str) -> None:
    line.clear()
    qtbot.keyClicks(line, text)


def set_up(window: MainWindow, page, qtbot, *, name: str = "work", secret: str = SECRET) -> None:
    trigger(window, qtbot, "new")
    type_into(qtbot, page.form.name, name)
    page.form.chat_model.setEditText("gpt-4o")
    if secret:
        type_into(qtbot, page.form.key.line, secret)
    trigger(window, qtbot, "save")


def everything_shown(window: MainWindow) -> str:
    """All texts of all widgets, as they are painted or read aloud."""
    found = []
    for widget in window.findChildren(QWidget):
        for part in ("text", "placeholderText", "toPlainText", "currentText", "title"):
            read = getattr(widget, part, None)
            if callable(read):
                found.append(str(read()))
        found += [widget.accessibleName(), widget.accessibleDescription(), widget.toolTip(), widget.statusTip()]
    return "\n".join(found)


def test_the_offline_analyst_stands_first_and_is_in_use(page) -> None:
    assert [row.name for row in page.model.rows] == ["offline"]
    assert page.model.index(0, 0).data().startswith("offline · in use")
    assert page.stack.currentWidget() is page.offline
    assert "sends nothing anywhere" in page.offline.label.text()


def test_a_connection_is_set_up_and_its_key_goes_into_the_keyring_alone(window, page, ring, qtbot) -> None:
    set_up(window, page, qtbot)
    assert words(page) == ""
    assert load_connections()["work"].chat_model == "gpt-4o"
    assert ring.kept == {("graphrag-explorer", "work"): SECRET}
    assert page.form.key.line.text() == ""
    assert page.form.key.state.text() == "The key is in the keyring of this system."
    assert SECRET not in everything_shown(window)
    assert not page.form.key.line.isUndoAvailable()
    assert SECRET not in connections_file().read_text()
    assert [row.name for row in page.model.rows] == ["offline", "work"] and page.chosen == "work"
    assert window.session.connection_name == "offline"  # it is used when the person says so


def test_what_is_typed_as_a_key_is_not_readable_while_it_is_typed(window, page, qtbot) -> None:
    trigger(window, qtbot, "new")
    type_into(qtbot, page.form.key.line, SECRET)
    assert page.form.key.line.echoMode() == QLineEdit.EchoMode.Password
    assert page.form.key.line.displayText() != SECRET
    page.form.key.line.selectAll()
    qtbot.keyClick(page.form.key.line, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    from PySide6.QtGui import QGuiApplication

    assert SECRET not in QGuiApplication.clipboard().text()
    trigger(window, qtbot, "discard")
    assert page.form.key.line.text() == ""


def test_every_field_comes_back(window, page, qtbot) -> None:
    connection = Connection.model_validate(
        {
            "name": "all", "kind": "azure", "base_url": "https://x.example", "api_version": "2024-10-21",
            "chat_model": "big", "embedding_model": "vec", "stage_models": {"map": "mini", "rate": "nano"},
            "parameters": {"temperature": 0, "stop": ["a, b", "c"], "user": "me"},
            "stage_parameters": {"rate": {"max_tokens": 50}}, "concurrency": 3, "requests_per_minute": 60,
            "tokens_per_minute": 90_000, "context_window": 8192, "tokenizer": "cl100k_base",
            "prices": {"big": {"prompt": 2.5, "output": 10.0}}, "key": "env:MY_KEY", "timeout": 20.0, "retries": 2,
            "reply_mode": "json_object",
        }
    )  # fmt: skip
    save_connection(connection)
    window.session.connections_changed.emit()
    page.choose("all")
    settle(window, qtbot)
    assert page.form.read() == connection
    assert "MY_KEY, which is not set" in page.form.key.state.text()
    type_into(qtbot, page.form.name, "renamed")
    trigger(window, qtbot, "save")
    assert load_connections() == {"renamed": connection.model_copy(update={"name": "renamed"})}


def test_a_new_name_takes_the_key_along(window, page, ring, qtbot) -> None:
    set_up(window, page, qtbot)
    type_into(qtbot, page.form.name, "home")
    trigger(window, qtbot, "save")
    assert ring.kept == {("graphrag-explorer", "home"): SECRET}
    assert list(load_connections()) == ["home"]


def test_a_key_that_moves_to_memory_leaves_the_keyring(window, page, ring, qtbot) -> None:
    set_up(window, page, qtbot)
    page.form.key.where.setCurrentIndex(page.form.key.where.findData("session"))
    page.form.key.edited.emit()
    trigger(window, qtbot, "save")
    assert not ring.kept
    assert load_connections()["work"].key == "session"
    assert window.session.keys.get(load_connections()["work"]) == SECRET
    assert "this session only" in page.form.key.state.text()


def test_without_a_keyring_the_window_says_why_and_offers_what_is_left(window, page, ring, qtbot) -> None:
    keyring.set_keyring(keyring.backends.fail.Keyring())
    trigger(window, qtbot, "new")
    key = page.form.key
    assert "no keyring that can be reached" in key.places.text() and "never written to a file" in key.places.text()
    assert not key.where.model().item(0).isEnabled()
    assert key.place == "session"
    type_into(qtbot, page.form.name, "work")
    type_into(qtbot, key.line, SECRET)
    trigger(window, qtbot, "save")
    assert load_connections()["work"].key == "session"
    assert window.session.keys.get(load_connections()["work"]) == SECRET
    assert SECRET not in connections_file().read_text()


def test_a_locked_keyring_is_said_and_does_not_hold_the_window(window, page, ring, qtbot) -> None:
    window.session._keys = type(window.session.keys)(limit=0.2)
    save_connection(Connection(name="work", kind="openai"))
    window.session.connections_changed.emit()
    locked = LockedKeyring()
    keyring.set_keyring(locked)
    page.choose("work")
    settle(window, qtbot)
    assert "does not answer" in page.form.key.state.text()
    locked.unlock.set()


def test_what_is_wrong_is_said_at_the_form_and_nothing_is_saved(window, page, qtbot) -> None:
    trigger(window, qtbot, "new")
    page.form.kind.setCurrentIndex(page.form.kind.findData("compatible"))
    page.form.edited.emit()
    trigger(window, qtbot, "save")
    assert "base_url is needed" in words(page)
    page.form.base_url.setText("localhost:11434/v1")
    trigger(window, qtbot, "save")
    assert "begins with http://" in words(page)
    page.form.base_url.setText("https://me:password@host/v1")
    trigger(window, qtbot, "save")
    assert "could be secrets" in words(page) and "password@" not in words(page)
    type_into(qtbot, page.form.key.line, "two words")
    page.form.base_url.setText("https://host/v1")
    trigger(window, qtbot, "save")
    assert "cannot be a key" in words(page)
    assert not load_connections()


def test_changes_are_not_lost_by_a_click_on_another_row(window, page, qtbot) -> None:
    set_up(window, page, qtbot)
    page.form.chat_model.setEditText("another")
    page.choose("offline")
    assert page.chosen == "work" and page.form.chat_model.currentText() == "another"
    assert "Save or discard the changes of work first." in words(page)
    trigger(window, qtbot, "discard")
    assert page.form.chat_model.currentText() == "gpt-4o"
    page.choose("offline")
    assert page.chosen == "offline"


def test_a_connection_in_use_is_shown_everywhere_and_remembered(window, page, qtbot, tmp_path) -> None:
    set_up(window, page, qtbot)
    told: list[str] = []
    window.session.connection_changed.connect(told.append)
    trigger(window, qtbot, "use")
    assert told == ["work"] and window.session.connection().chat_model == "gpt-4o"
    assert window.status.connection.text() == "work · gpt-4o"
    assert page.model.index(1, 0).data().startswith("work · in use")
    window.show_place("start")
    start = window.place("start")
    shown = [label.text() for label in start.findChildren(QLabel) if label.isVisible()]
    assert any("What is read of your documents is sent there" in text for text in shown)
    assert not any("Nothing leaves this machine" in text for text in shown)
    assert not any("later version" in text for text in shown)
    assert window.preferences.connection == "work"
    window.show_place("connections")
    page.form.chat_model.setEditText("gpt-5")
    trigger(window, qtbot, "save")
    assert window.status.connection.text() == "work · gpt-5"
    page.choose("offline")
    trigger(window, qtbot, "use")
    assert "offline analyst" in window.status.connection.text()
    assert window.preferences.connection == "offline"


def test_a_server_on_this_machine_sends_nothing_away(window, page, qtbot) -> None:
    save_connection(Connection(name="mine", base_url="http://localhost:11434/v1", chat_model="m", key="none"))
    window.session.use_connection("mine")
    window.show_place("start")
    shown = [label.text() for label in window.place("start").findChildren(QLabel) if label.isVisible()]
    assert any("It runs on this machine" in text for text in shown)
    assert any("Nothing leaves this machine" in text for text in shown)


def test_a_connection_that_is_gone_is_said_and_not_replaced_in_silence(make_window, qtbot, ring) -> None:
    first = make_window()
    first.preferences.set_connection("gone")
    first.preferences.sync()
    window = make_window()
    assert window.status.connection.text() == "gone · cannot be used"
    window.show_place("start")
    shown = [label.text() for label in window.place("start").findChildren(QLabel) if label.isVisible()]
    assert any("no connection named 'gone'" in text for text in shown)
    window.show_place("connections")
    settle(window, qtbot)
    page = window.place("connections").connections
    assert page.model.rows[-1].state == "unreadable"
    page.choose("offline")
    trigger(window, qtbot, "use")
    assert [row.name for row in page.model.rows] == ["offline"]


def test_removing_takes_the_key_along_and_goes_back_to_offline(window, page, ring, qtbot) -> None:
    set_up(window, page, qtbot)
    trigger(window, qtbot, "use")
    box = page.remove()
    assert "Indexes that it made stay" in box.text()
    next(button for button in box.buttons() if button.text() == "Remove").click()
    settle(window, qtbot)
    assert not load_connections() and not ring.kept
    assert window.session.connection_name == "offline"
    assert "the offline analyst is used now" in words(page)


def test_an_entry_that_cannot_be_read_is_listed_with_its_reason(window, page, qtbot) -> None:
    connections_file().parent.mkdir(parents=True, exist_ok=True)
    connections_file().write_text(json.dumps({"connections": [{"name": "new", "from_the_future": 1}]}))
    window.session.connections_changed.emit()
    page.choose("new")
    assert "from_the_future" in page.offline.label.text()
    connections_file().write_text("{")
    window.session.connections_changed.emit()
    assert "damaged" in page.list_wrong.text() and page.list_wrong.isVisible()


def test_the_test_shows_its_lines_and_what_it_learnt_is_kept(window, page, qtbot, model_server) -> None:
    model_server.set(keys=[SECRET], models=["chat", "vec"], modes=["json_object", "text"])
    trigger(window, qtbot, "new")
    type_into(qtbot, page.form.name, "server")
    page.form.kind.setCurrentIndex(page.form.kind.findData("compatible"))
    page.form.base_url.setText(model_server.url)
    page.form.chat_model.setEditText("chat")
    page.form.embedding_model.setEditText("vec")
    type_into(qtbot, page.form.key.line, SECRET)
    trigger(window, qtbot, "test")  # before anything was saved
    texts = [line.sentence for line in page.test_pane.lines.lines]
    assert any("asked for a JSON object" in text for text in texts)
    assert any("384 dimensions" in text for text in texts)
    assert page.form.reply_mode.currentData() == "json_object"
    assert [page.form.chat_model.itemText(n) for n in range(page.form.chat_model.count())] == ["chat", "vec"]
    assert not load_connections()
    trigger(window, qtbot, "save")
    assert load_connections()["server"].reply_mode == "json_object"
    model_server.set(modes=["json_schema", "text"])
    trigger(window, qtbot, "test")
    assert load_connections()["server"].reply_mode == "json_schema"
    assert page.model.rows[1].state == "ready"
    model_server.set(keys=["another"], echo_key=True)
    trigger(window, qtbot, "test")
    assert page.model.rows[1].state == "wrong"
    assert any("refuses the key (401)" in line.sentence for line in page.test_pane.lines.lines)
    assert SECRET not in everything_shown(window) + repr(page.test_pane.lines.lines)
    first = page.test_pane.lines.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert first.startswith("Wrong: ")


def test_a_test_can_be_stopped(window, page, qtbot, model_server) -> None:
    model_server.set(latency=60.0)
    save_connection(Connection(name="slow", base_url=model_server.url, chat_model="chat", key="none"))
    window.session.connections_changed.emit()
    page.choose("slow")
    settle(window, qtbot)
    window.registry.get("connections.test").trigger()
    qtbot.waitUntil(lambda: bool(page.test_pane.lines.lines))  # the list of models has come, the chat call is out
    assert page.model.rows[1].state == "testing"
    trigger(window, qtbot, "stop_test")
    assert page.test_pane.figure.text() == "stopped"
    assert page.model.rows[1].state == "untested"
    assert window.registry.get("connections.test").isEnabled()


def test_a_missing_key_is_a_line_of_the_test(window, page, qtbot) -> None:
    save_connection(Connection(name="keyless", kind="openai", chat_model="gpt-4o"))
    window.session.connections_changed.emit()
    page.choose("keyless")
    settle(window, qtbot)
    trigger(window, qtbot, "test")
    (line,) = page.test_pane.lines.lines
    assert line.state == "wrong" and "no key for the connection keyless in the keyring" in line.sentence


def test_local_servers_are_found_and_one_is_set_up(window, page, qtbot) -> None:
    server = LocalServer("Ollama", "http://127.0.0.1:11434/v1", ("llama3.2:3b", "nomic-embed-text"))
    page.servers_pane.finder = lambda: [server]
    trigger(window, qtbot, "find")
    assert page.servers_pane.model.index(0, 0).data() == "Ollama · 2 models\nhttp://127.0.0.1:11434/v1"
    trigger(window, qtbot, "set_up")
    trigger(window, qtbot, "save")
    made = load_connections()["Ollama"]
    assert (made.chat_model, made.embedding_model, made.key) == ("llama3.2:3b", "nomic-embed-text", "none")
    trigger(window, qtbot, "set_up")
    assert page.form.name.text() == "Ollama 2"
    page.servers_pane.finder = lambda: []
    trigger(window, qtbot, "find")
    assert page.servers_pane.figure.text() == "none answers now"


def test_start_offers_servers_of_this_machine(window, qtbot) -> None:
    start = window.place("start")
    start.offer([LocalServer("Ollama", "http://127.0.0.1:11434/v1", ("llama3.2:3b",))])
    window.show_place("start")
    shown = [label.text() for label in start.findChildren(QLabel) if label.isVisible()]
    assert any(text.startswith("Ollama (1 model) runs on this machine") for text in shown)
    start.offer([])
    assert not any(
        "runs on this machine and" in label.text() for label in start.findChildren(QLabel) if label.isVisible()
    )


@pytest.mark.parametrize("number", [0, 1, 2])
def test_every_part_has_a_name(window, page, number: int) -> None:
    place = window.place("connections")
    window.registry.get("connections.new").trigger()
    place.show_page(number)
    nameless = [
        type(widget).__name__
        for widget in place.findChildren(QWidget)
        if widget.focusPolicy() != Qt.FocusPolicy.NoFocus
        and not widget.accessibleName()
        and not widget.objectName().startswith("qt_")
        and type(widget) is not QWidget
        and not getattr(widget, "text", lambda: "")()
        and widget.focusProxy() is None
    ]
    assert not nameless


def test_a_picture_of_the_place_shows_nobodys_own_connections(window, page, qtbot) -> None:
    save_connection(Connection(name="private", base_url="https://secret.example/v1", chat_model="m", key="none"))
    window.session.connections_changed.emit()
    window.place("connections").prepare_screenshot()
    settle(window, qtbot)
    rows = [page.model.index(row, 0).data() for row in range(page.model.rowCount())]
    assert not any("private" in row or "secret" in row for row in rows)
    assert list(load_connections()) == ["private"]
