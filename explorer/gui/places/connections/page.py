"""The page of connections: the list, the form of the one that is chosen, its test, and servers on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QMessageBox, QWidget

from explorer.base.errors import ExplorerError, InputError
from explorer.gui.actions import ActionRegistry
from explorer.gui.connection import offline_words
from explorer.gui.engine import Engine
from explorer.gui.places.connections.parts import ConnectionsParts
from explorer.gui.places.connections.rows import ConnectionRow
from explorer.gui.places.connections.saving import KeyFacts, drop_connection, keep_connection, key_facts
from explorer.gui.session import OFFLINE, Session
from explorer.gui.theme import Theme

if TYPE_CHECKING:
    from explorer.models.check_report import CheckLine, ConnectionReport
    from explorer.models.connection import Connection
    from explorer.tables.settings import GraphragSettings


class ConnectionsPage(ConnectionsParts):
    """What its actions do is in the methods of their names."""

    def __init__(
        self, session: Session, engine: Engine, theme: Theme, actions: ActionRegistry, parent: QWidget | None = None
    ) -> None:
        super().__init__(session, engine, theme, actions, parent)
        self._saved: dict[str, Connection] = {}
        self._wrong: dict[str, str] = {}
        self._results: dict[str, bool] = {}  # what the last test of a saved connection found
        self._editing: Connection | None = None  # as it is saved; None for a new one
        self._new = self._dirty = False
        self.list.selectionModel().currentChanged.connect(self._chosen)
        self.servers_pane.found.connect(self._mind)
        self.servers_pane.failed.connect(self._say)
        self.form.edited.connect(self._edit)
        self.form.refused.connect(self._say)
        session.connection_changed.connect(lambda _name: self.reload())
        session.connections_changed.connect(self.reload)
        session.index_opened.connect(lambda _index: self._mind())
        session.index_closed.connect(self._mind)
        self.reload()
        self.choose(session.connection_name)

    # -- what is chosen ------------------------------------------------------------------------------------------------

    def reload(self) -> None:
        """Read the connections again."""
        from explorer.models.connections import load_connections, unreadable_connections

        try:
            self._saved, self._wrong = load_connections(), unreadable_connections()
            self.list_wrong.hide()
        except InputError as error:
            self._saved, self._wrong = {}, {}
            self.list_wrong.setText(error.sentence)
            self.list_wrong.show()
        used = self.session.connection_name
        about = offline_words().label.partition(" · ")[2]
        rows = [ConnectionRow(OFFLINE, f"nothing is sent · {about}", "ready", used == OFFLINE)]
        rows += [self._row(connection) for connection in self._saved.values()]
        rows += [ConnectionRow(name, "its entry in the file", "unreadable") for name in self._wrong]
        if used not in [row.name for row in rows]:
            rows.append(ConnectionRow(used, "it is in use and not set up any more", "unreadable", True))
        chosen = self.chosen
        self.model.set_rows(rows)
        self.list_pane.set_figure(f"{len(self._saved)} set up")
        if chosen and not self._new:
            self._mark(chosen)
        self._mind()

    @property
    def chosen(self) -> str:
        """The name of the chosen row, "" for none (a new connection)."""
        index = self.list.currentIndex()
        return self.model.rows[index.row()].name if index.isValid() else ""

    def choose(self, name: str) -> None:
        """Show a connection; one that is not there shows the offline analyst."""
        place = self.model.place(name)
        self.list.setCurrentIndex(place if place.isValid() else self.model.index(0, 0))

    def _mark(self, name: str) -> None:
        place = self.model.place(name)
        if place.isValid() and place != self.list.currentIndex():
            selection = self.list.selectionModel()
            selection.blockSignals(True)
            self.list.setCurrentIndex(place)
            selection.blockSignals(False)
            self.list.viewport().update()

    def _row(self, connection: Connection) -> ConnectionRow:
        model = connection.chat_model or "no model yet"
        state = "untested" if connection.reply_mode is None else "ready"
        if connection.name in self._results:
            state = "ready" if self._results[connection.name] else "wrong"
        if self.test_pane.running and self.test_pane.tested == connection.name:
            state = "testing"
        address = connection.base_url.partition("//")[2] or "OpenAI"
        used = connection.name == self.session.connection_name
        return ConnectionRow(connection.name, f"{model} · {address}", state, used)

    def _chosen(self, now: QModelIndex, before: QModelIndex) -> None:
        if not now.isValid():
            return
        if self._dirty and before != now:
            name = self.form.name.text().strip() or "the new connection"
            self._say(f"Save or discard the changes of {name} first.", wrong=False)
            if before.isValid():
                self._mark(self.model.rows[before.row()].name)
            else:
                self.list.selectionModel().blockSignals(True)
                self.list.setCurrentIndex(QModelIndex())
                self.list.selectionModel().blockSignals(False)
            return
        self._new = False
        self._show(self.model.rows[now.row()].name)

    def _show(self, name: str) -> None:
        self._say("")
        if name in self._saved:
            self._fill(self._saved[name], saved=True)
            return
        self._editing, self._dirty = None, False
        self.form.key.clear_secret()
        if name == OFFLINE:
            self.offline.set_text(
                f"{offline_words().sentence}\n\nSet up a language model with New connection: OpenAI, Azure OpenAI, or "
                "any server that speaks as OpenAI's does, also on this machine."
            )
        else:
            reason = self._wrong.get(name, "it is not set up on this machine any more")
            self.offline.set_text(f"The connection {name} cannot be used: {reason}.")
        self.form_pane.set_title(name)
        self.stack.setCurrentWidget(self.offline)
        self.test_pane.hide()
        self._mind()

    def _fill(self, connection: Connection, *, saved: bool) -> None:
        self._editing = connection if saved else None
        self._new = not saved
        self._dirty = not saved
        self.form.show_connection(connection)
        self.form.verticalScrollBar().setValue(0)
        self.form_pane.set_title(connection.name if saved else "New connection")
        self.stack.setCurrentWidget(self.form)
        self.test_pane.show()
        self.test_pane.show_for(connection.name if saved else "")
        self._ask_key(connection)
        self._mind()

    def _ask_key(self, connection: Connection) -> None:
        keys = self.session.keys
        self.engine.run(
            lambda sink, scope: key_facts(keys, connection), name="Looking for the key", quiet=True,
            on_done=lambda facts: self._show_key(connection.name, facts), on_error=self._say,
        )  # fmt: skip

    def _show_key(self, name: str, facts: KeyFacts) -> None:
        self.form.key.show_possible(facts.places)
        if self._editing is not None and self._editing.name == name:
            self.form.key.show_state(facts.state.sentence, facts.state.present)
        elif self._new:
            self.form.key.show_state("", False)
            if not facts.places.keyring and self.form.key.place == "keyring":
                self.form.key.show_place("session")

    # -- what the actions do -------------------------------------------------------------------------------------------

    def new(self, connection: Connection | None = None) -> None:
        """A form for a new connection, filled with what is known of a server that was found."""
        from explorer.models.connection import Connection

        if self._dirty:
            self._say("Save or discard these changes first.", wrong=False)
            return
        if connection is None:
            connection = Connection(name=self._free("OpenAI"), kind="openai")
        else:
            connection = connection.model_copy(update={"name": self._free(connection.name)})
        self.list.selectionModel().blockSignals(True)
        self.list.setCurrentIndex(QModelIndex())
        self.list.selectionModel().blockSignals(False)
        self.list.viewport().update()
        self._say("")
        self._fill(connection, saved=False)
        self.form.name.setFocus()
        self.form.name.selectAll()

    def save(self) -> None:
        """Keep the form, and the key that was typed; the line of the key is then empty again."""
        try:
            connection = self.form.read()
        except InputError as error:
            self._say(error.sentence)
            return
        keys, secret, was = self.session.keys, self.form.key.secret, self._editing
        self._say("")
        self.engine.run(
            lambda sink, scope: keep_connection(keys, connection, secret, was), name=f"Saving {connection.name}",
            quiet=True, on_done=lambda remark: self._kept(connection, was, remark), on_error=self._not_kept,
        )  # fmt: skip

    def discard(self) -> None:
        """Show the connection as it is saved; a new one is thrown away."""
        self._dirty = False
        self.form.key.clear_secret()
        if self._editing is not None:
            self._say("")
            self._fill(self._editing, saved=True)
        else:
            self._new = False
            self.choose(self.session.connection_name)
            self._show(self.chosen)

    def use(self) -> None:
        """Let indexing and asking use the chosen connection from now on."""
        self.session.use_connection(self.chosen)

    def test(self) -> None:
        """Test the form as it stands, saved or not."""
        try:
            connection = self.form.read()
        except InputError as error:
            self._say(error.sentence)
            return
        self._say("")
        saved = self._editing is not None and not self._dirty
        self._results.pop(connection.name, None)

        def ended(report: ConnectionReport | None, stopped: bool) -> None:
            self._tested(connection, saved, report, stopped)

        self.test_pane.run(connection, self.session.keys, self.form.key.secret, ended)
        self.reload()

    def stop_test(self) -> None:
        self.test_pane.stop()

    def remove(self) -> QMessageBox:
        """Ask, then take the chosen connection and its key away."""
        name = self.chosen
        box = QMessageBox(self.window())
        box.setWindowTitle("Remove the connection")
        box.setText(f"Remove the connection {name}, and its key from the keyring?\n\nIndexes that it made stay.")
        yes = box.addButton("Remove", QMessageBox.ButtonRole.AcceptRole)
        box.addButton("Keep", QMessageBox.ButtonRole.RejectRole)
        box.buttonClicked.connect(lambda button: self._remove(name) if button is yes else None)
        box.finished.connect(box.deleteLater)
        box.open()
        return box

    def find(self) -> None:
        """Look for servers of language models on this machine."""
        self.servers_pane.find()

    def take_models(self) -> None:
        """Put the models that the settings of the open index's project name into the form."""
        settings = self._project_settings
        if settings is not None and self.stack.currentWidget() is self.form:
            self.form.put_models(settings.chat_model, settings.embedding_model)

    @property
    def _project_settings(self) -> GraphragSettings | None:
        index = self.session.index
        found: GraphragSettings | None = getattr(index, "settings", None)
        return found if found is not None and (found.chat_model or found.embedding_model) else None

    def set_up(self) -> None:
        """A new connection to the chosen server of this machine."""
        server = self.servers_pane.chosen
        if server is not None:
            self.new(server.as_connection())

    def show_example(self, connection: Connection, facts: KeyFacts, lines: list[CheckLine]) -> None:
        """A connection that is not saved anywhere, as if it had been tested; for pictures."""
        self._saved = {connection.name: connection}
        self._mark(connection.name)
        self._fill(connection, saved=True)
        self.form.key.show_possible(facts.places)
        self.form.key.show_state(facts.state.sentence, facts.state.present)
        self.test_pane.show_lines(connection.name, lines, "all is right")
        self._mind()

    # -- what comes back -----------------------------------------------------------------------------------------------

    def _kept(self, connection: Connection, was: Connection | None, remark: str) -> None:
        self._dirty = self._new = False
        self._editing = connection
        self.form.key.clear_secret()
        used = self.session.connection_name
        if was is not None:
            if (was.base_url, was.chat_model, was.key) != (connection.base_url, connection.chat_model, connection.key):
                self._results.pop(was.name, None)
            if was.name in self._results and was.name != connection.name:
                self._results[connection.name] = self._results.pop(was.name)
        self.session.connections_changed.emit()
        self.choose(connection.name)
        self._show(connection.name)
        if used == connection.name or (was is not None and used == was.name):
            self.session.use_connection(connection.name)
        self._say(remark)

    def _not_kept(self, sentence: str) -> None:
        possible = self.form.key.keyring
        hint = (
            "" if possible else " The key can be kept in memory for this session, or read from an environment variable."
        )
        self._say(f"{sentence} Nothing was saved.{hint if self.form.key.place == 'keyring' else ''}")

    def _remove(self, name: str) -> None:
        keys, connection = self.session.keys, self._saved.get(name)
        self._dirty = False
        self.engine.run(
            lambda sink, scope: drop_connection(keys, name, connection), name=f"Removing {name}", quiet=True,
            on_done=lambda remark: self._removed(name, remark), on_error=self._say,
        )  # fmt: skip

    def _removed(self, name: str, remark: str) -> None:
        self._results.pop(name, None)
        if self.session.connection_name == name:
            self.session.use_connection(OFFLINE)
            remark = f"{name} was in use: the offline analyst is used now. {remark}".strip()
        self.session.connections_changed.emit()
        self.choose(OFFLINE)
        self._show(OFFLINE)
        self._say(remark, wrong=False)

    def _tested(self, connection: Connection, saved: bool, report: ConnectionReport | None, stopped: bool) -> None:
        if report is not None and report.models:
            self.form.show_models(report.models)
        if saved and not stopped:
            self._results[connection.name] = report is not None and report.ok
        if report is not None and report.reply_mode not in (None, connection.reply_mode):
            self._remember(connection, saved, report)
        self.reload()

    def _remember(self, connection: Connection, saved: bool, report: ConnectionReport) -> None:
        """Keep which way to ask for JSON worked: with the saved connection, or in the form that is not saved yet."""
        from explorer.models.connections import remember_reply_mode

        try:
            if saved and report.reply_mode is not None and remember_reply_mode(connection, report.reply_mode):
                self._editing = connection.model_copy(update={"reply_mode": report.reply_mode})
                self.form.show_mode(report.reply_mode)
                self.session.connections_changed.emit()
                return
        except ExplorerError as error:
            self._say(error.sentence)
            return
        if self._new or (self._editing is not None and self._editing.name == connection.name):
            self.form.show_mode(report.reply_mode)

    def _edit(self) -> None:
        self._dirty = True
        self._mind()

    def _say(self, sentence: str, *, wrong: bool = True) -> None:
        self.wrong.setProperty("role", "wrong" if wrong else "muted")
        self.wrong.style().polish(self.wrong)
        self.wrong.setText(sentence)
        self.wrong.setVisible(bool(sentence))

    def _free(self, name: str) -> str:
        """The name, with a number where it is taken."""
        taken = {*self._saved, *self._wrong, OFFLINE}
        number, free = 1, name
        while free in taken:
            number += 1
            free = f"{name} {number}"
        return free

    def _mind(self) -> None:
        get, name = self.registry.get, self.chosen
        form = self.stack.currentWidget() is self.form
        testing = self.test_pane.running
        in_use = name == self.session.connection_name
        self.show_buttons(form=form or name != OFFLINE)
        settings = self._project_settings
        self.form.show_project_models(settings)
        self.take_button.setVisible(settings is not None)
        get("connections.take_models").setEnabled(form and settings is not None)
        get("connections.save").setEnabled(form and self._dirty)
        get("connections.discard").setEnabled(form and self._dirty)
        get("connections.test").setEnabled(form and not testing)
        get("connections.stop_test").setEnabled(testing)
        get("connections.stop_test").setVisible(testing)
        get("connections.use").setEnabled(not self._dirty and not in_use and (name == OFFLINE or name in self._saved))
        get("connections.remove").setEnabled(not self._new and (name in self._saved or name in self._wrong))
        get("connections.set_up").setEnabled(self.servers_pane.chosen is not None)
        state = "new, not saved" if self._new else "not saved" if self._dirty else "in use" if in_use and name else ""
        self.form_pane.set_figure(state)
