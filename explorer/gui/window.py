"""The window: a rail of places at the left, the place that is shown, and the status bar."""

from __future__ import annotations

import importlib
from pathlib import Path

from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from explorer.gui.actions import ActionRegistry
from explorer.gui.engine import Engine
from explorer.gui.places.base import Place
from explorer.gui.session import Session
from explorer.gui.theme import Theme

PLACES = {
    "start": ("explorer.gui.places.start.place", "StartPlace"),
    "documents": ("explorer.gui.places.documents.place", "DocumentsPlace"),
    "communities": ("explorer.gui.places.communities.place", "CommunitiesPlace"),
    "ask": ("explorer.gui.places.ask.place", "AskPlace"),
    "fan-out": ("explorer.gui.places.fanout.place", "FanoutPlace"),
}


class MainWindow(QMainWindow):
    """One window over one session."""

    def __init__(
        self, session: Session, engine: Engine, theme: Theme, actions: ActionRegistry, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.session, self.engine, self.theme, self.registry = session, engine, theme, actions
        self._places: dict[str, Place] = {}
        self.stack = QStackedWidget()
        central = QWidget()
        row = QHBoxLayout(central)
        row.setContentsMargins(0, 0, 0, 0)
        column = QVBoxLayout()
        column.addWidget(self.stack)
        row.addLayout(column)
        self.setCentralWidget(central)
        actions.added.connect(self.addAction)
        session.place_wanted.connect(self.show_place)

    def place(self, name: str) -> Place:
        """The place of that name, made on first use. Raises KeyError for an unknown name."""
        if name not in self._places:
            module, cls = PLACES[name]
            place = getattr(importlib.import_module(module), cls)(
                self.session, self.engine, self.theme, self.registry, self.stack
            )
            self._places[name] = place
            self.stack.addWidget(place)
        return self._places[name]

    def show_place(self, name: str) -> None:
        self.stack.setCurrentWidget(self.place(name))

    def open_path(self, path: Path) -> None:
        self.session.open_path(path)
