"""The parts of the page of connections: the list, servers on this machine, the form with its buttons, the test."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QListView, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from explorer.gui.actions import ActionRegistry
from explorer.gui.engine import Engine
from explorer.gui.places.connections.form import ConnectionForm
from explorer.gui.places.connections.rows import ConnectionsModel
from explorer.gui.places.connections.servers_pane import ServersPane
from explorer.gui.places.connections.test_pane import TestPane
from explorer.gui.session import Session
from explorer.gui.theme import Theme
from explorer.gui.widgets.action_button import ActionButton
from explorer.gui.widgets.pane import EmptyState, Pane
from explorer.gui.widgets.sentences import sentence

_BUTTONS = (("save", "Save", "primary"), ("discard", "Discard", ""), ("test", "Test", ""), ("use", "Use this", ""))


class ConnectionsParts(QWidget):
    """Makes the widgets; what they do is the page's."""

    def __init__(
        self, session: Session, engine: Engine, theme: Theme, actions: ActionRegistry, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.session, self.engine, self.theme, self.registry = session, engine, theme, actions
        em = theme.em
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(round(em * 0.7))
        left = QVBoxLayout()
        left.setSpacing(round(em * 0.7))
        left.addWidget(self._list_pane(), 3)
        self.servers_pane = ServersPane(engine, theme, actions)
        left.addWidget(self.servers_pane, 2)
        row.addLayout(left, 4)
        right = QSplitter(Qt.Orientation.Vertical)
        right.setHandleWidth(round(em * 0.7))
        right.setChildrenCollapsible(False)
        right.addWidget(self._form_pane())
        self.test_pane = TestPane(engine, theme, actions.get("connections.stop_test"))
        right.addWidget(self.test_pane)
        right.setSizes([em * 32, em * 16])
        right.setStretchFactor(0, 2)
        right.setStretchFactor(1, 1)
        row.addWidget(right, 9)

    def _list_pane(self) -> Pane:
        self.list_pane = pane = Pane("Connections", action=self.registry.get("connections.new"))
        self.model = ConnectionsModel(self.theme, self)
        self.list = QListView()
        self.list.setAccessibleName("Connections")
        self.list.setModel(self.model)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.doubleClicked.connect(lambda _index: self.registry.get("connections.use").trigger())
        self.list_wrong = sentence(role="muted", selectable=True)
        self.list_wrong.setAccessibleName("What is wrong with the file of connections")
        self.list_wrong.hide()
        pane.body.addWidget(self.list_wrong)
        pane.body.addWidget(self.list, 1)
        return pane

    def _form_pane(self) -> Pane:
        self.form_pane = pane = Pane("Connection")
        self.form = ConnectionForm(self.theme)
        self.take_button = ActionButton(self.registry.get("connections.take_models"), "link", "Take these names")
        self.form.take_models.addWidget(self.take_button)
        self.offline = EmptyState("")
        self.stack = QStackedWidget()
        self.stack.addWidget(self.form)
        self.stack.addWidget(self.offline)
        pane.body.addWidget(self.stack, 1)
        self.wrong = sentence(role="wrong", selectable=True)
        self.wrong.setAccessibleName("What is wrong with the connection")
        self.wrong.hide()
        pane.body.addWidget(self.wrong)
        buttons = QHBoxLayout()
        get = self.registry.get
        self._form_buttons = []
        for id, text, role in _BUTTONS:
            button = ActionButton(get(f"connections.{id}"), role, text)
            buttons.addWidget(button)
            if id != "use":
                self._form_buttons.append(button)
        buttons.addStretch(1)
        remove = ActionButton(get("connections.remove"), "link", "Remove")
        buttons.addWidget(remove)
        self._form_buttons.append(remove)
        pane.body.addLayout(buttons)
        return pane

    def show_buttons(self, *, form: bool) -> None:
        """Show the buttons of the form, or only that which takes the offline analyst into use."""
        for button in self._form_buttons:
            button.setVisible(form)
