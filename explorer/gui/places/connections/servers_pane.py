"""The pane of the servers that run on this machine: looked for on demand, and a connection is set up from one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QListView, QStackedWidget, QWidget

from explorer.gui.actions import ActionRegistry
from explorer.gui.engine import Engine
from explorer.gui.places.connections.servers import ServersModel
from explorer.gui.theme import Theme
from explorer.gui.widgets.action_button import ActionButton
from explorer.gui.widgets.pane import EmptyState, Pane
from explorer.gui.words import count

if TYPE_CHECKING:
    from explorer.models.local_servers import LocalServer


def find_servers() -> list[LocalServer]:
    from explorer.models.local_servers import find_local_servers

    return find_local_servers()


class ServersPane(Pane):
    """`found` tells that a search is over. `finder` is the engine's own; tests give another one."""

    found = Signal()
    failed = Signal(str)

    def __init__(self, engine: Engine, theme: Theme, actions: ActionRegistry, parent: QWidget | None = None) -> None:
        super().__init__("On this machine", action=actions.get("connections.find"), parent=parent)
        self._engine = engine
        self.finder: Callable[[], list[LocalServer]] = find_servers
        self.model = ServersModel(theme, self)
        self.view = QListView()
        self.view.setAccessibleName("Servers of language models on this machine")
        self.view.setModel(self.model)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.doubleClicked.connect(lambda _index: actions.get("connections.set_up").trigger())
        self._none = EmptyState(
            "Ollama, LM Studio, llama.cpp, vLLM, LiteLLM and their like are looked for on their usual ports."
        )
        self._stack = QStackedWidget()
        self._stack.addWidget(self._none)
        self._stack.addWidget(self.view)
        self.body.addWidget(self._stack, 1)
        self._button = ActionButton(actions.get("connections.set_up"), text="Set it up")
        self._button.hide()
        self.body.addWidget(self._button, 0, Qt.AlignmentFlag.AlignLeft)

    def find(self) -> None:
        """Look for servers, off the GUI thread."""
        self.set_figure("looking …")
        finder = self.finder
        self._engine.run(
            lambda sink, scope: finder(), name="Looking for local servers", quiet=True, on_done=self.show_servers,
            on_error=self.failed.emit,
        )  # fmt: skip

    def show_servers(self, servers: list[LocalServer]) -> None:
        """List the servers that were found."""
        self.model.set_servers(servers)
        self.set_figure(count(len(servers), "server") if servers else "none answers now")
        self._stack.setCurrentWidget(self.view if servers else self._none)
        self._button.setVisible(bool(servers))
        if servers:
            self.view.setCurrentIndex(self.model.index(0, 0))
        self.found.emit()

    @property
    def chosen(self) -> LocalServer | None:
        """The server that is chosen, or None."""
        index = self.view.currentIndex()
        return self.model.servers[index.row()] if index.isValid() else None
