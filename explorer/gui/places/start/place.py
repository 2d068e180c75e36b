"""Start: a place to drop a folder, what was opened before, the bundled sample, and what the connection can do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QListView, QStackedWidget, QVBoxLayout, QWidget

from explorer.gui.actions import ActionRegistry
from explorer.gui.connection import connection_words
from explorer.gui.indexing import IndexingRun
from explorer.gui.places.base import Place
from explorer.gui.places.start.drop_zone import DropZone
from explorer.gui.places.start.recent_model import RecentModel
from explorer.gui.preferences import Preferences
from explorer.gui.widgets.pane import EmptyState, Pane
from explorer.gui.widgets.sentences import sentence
from explorer.gui.widgets.shapes import shape_pixmap
from explorer.gui.words import count

if TYPE_CHECKING:
    from explorer.models.local_servers import LocalServer

_MARKS = {"full": ("check", "good"), "plain": ("ring", "accent"), "broken": ("cross", "failed")}


class StartPlace(Place):
    """See the module. The window attaches the preferences."""

    name, title, icon_name = "start", "Start", "start"

    def attach(self, indexing: IndexingRun, preferences: Preferences) -> None:
        """Take what belongs to the window (called before the page is built)."""
        self._preferences = preferences

    def declare_actions(self, actions: ActionRegistry) -> None:
        self.forget = actions.add("start.forget", "Take off the recent list", self._forget, category="File",
                                  tip="The folder itself is not touched")  # fmt: skip
        self.forget.setEnabled(False)

    def build(self) -> None:
        em = self.theme.em
        row = QHBoxLayout(self)
        row.setContentsMargins(round(em * 0.9), round(em * 0.9), round(em * 0.9), round(em * 0.6))
        row.setSpacing(round(em * 0.7))
        get = self.registry.get
        zone = Pane("Open", "a folder, an index, or the sample")
        self.zone = DropZone(self.theme, get("file.open_folder"), [get("file.open_index"), get("file.open_sample")])
        zone.body.addWidget(self.zone)
        row.addWidget(zone, 3)
        side = QVBoxLayout()
        side.setSpacing(round(em * 0.7))
        side.addWidget(self._recent_pane(), 1)
        side.addWidget(self._connection_pane())
        row.addLayout(side, 2)
        self.theme.changed.connect(self._colour)

    def _recent_pane(self) -> QWidget:
        pane = Pane("Recent", action=self.forget)
        self._recent_title = pane
        self.model = RecentModel(self._preferences, self.theme)
        self.model.setParent(self)
        self.recent = QListView()
        self.recent.setAccessibleName("Recent folders and indexes")
        self.recent.setModel(self.model)
        self.recent.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.recent.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.recent.activated.connect(self._open)
        self.recent.clicked.connect(self._open)
        self.recent.addAction(self.forget)
        self.recent.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.recent.selectionModel().currentChanged.connect(self._mind)
        self._recent_stack = QStackedWidget()
        self._recent_stack.addWidget(self.recent)
        self._recent_stack.addWidget(EmptyState("Nothing was opened yet. What you open is listed here."))
        pane.body.addWidget(self._recent_stack)
        self.model.modelReset.connect(self._count)
        self._count()
        return pane

    def _connection_pane(self) -> QWidget:
        self._connection = pane = Pane("Connection", action=self.registry.get("go.connections"))
        line = QHBoxLayout()
        self._mark = QLabel()
        line.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        self._sentence = _words()
        line.addWidget(self._sentence, 1)
        pane.body.addLayout(line)
        self._offer = _words("muted")
        self._offer.hide()
        pane.body.addWidget(self._offer)
        self.session.connection_changed.connect(self._show_connection)
        self._show_connection()
        return pane

    def offer(self, servers: list[LocalServer]) -> None:
        """Say which servers of language models run on this machine; the place Connections sets one up."""
        self.ensure_built()
        if servers:
            found = " and ".join(f"{server.name} ({count(len(server.models), 'model')})" for server in servers)
            word = "runs" if len(servers) == 1 else "run"
            self._offer.setText(f"{found} {word} on this machine and can be used: go to Connections.")
        self._offer.setVisible(bool(servers))

    def _show_connection(self) -> None:
        self._words = connection_words(self.session)
        self._connection.set_figure(self._words.label)
        self._sentence.setText(self._words.sentence)
        self.zone.say_where(
            "What is read is sent to the server of the connection in use."
            if self._words.leaves
            else "Nothing leaves this machine."
        )
        self._colour()

    def _colour(self) -> None:
        shape, colour = _MARKS[self._words.state]
        self._mark.setPixmap(shape_pixmap(shape, self.theme.colour(colour), self.theme.em))
        self._mark.setAccessibleName("cannot be used" if self._words.state == "broken" else "ready")

    def _count(self) -> None:
        rows = self.model.rowCount()
        self._recent_stack.setCurrentIndex(0 if rows else 1)
        self._recent_title.set_figure(count(rows, "folder or index", "folders and indexes") if rows else "")
        self.forget.setEnabled(False)

    def _mind(self, index: QModelIndex) -> None:
        self.forget.setEnabled(index.isValid())

    def _open(self, index: QModelIndex) -> None:
        path: Path | None = self.model.path(index)
        if path is not None:
            self.session.open_path(path)

    def _forget(self) -> None:
        path = self.model.path(self.recent.currentIndex()) if self._built else None
        if path is not None:
            self._preferences.forget(path)


def _words(role: str = "") -> QLabel:
    label = sentence(role=role)
    label.setAlignment(Qt.AlignmentFlag.AlignTop)
    return label
