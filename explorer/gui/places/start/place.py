"""Start: a place to drop a folder, what was opened before, the bundled sample, and what the connection can do."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QHBoxLayout, QLabel, QListView, QStackedWidget, QVBoxLayout, QWidget

from explorer.gui.actions import ActionRegistry
from explorer.gui.connection import offline_connection
from explorer.gui.indexing import IndexingRun
from explorer.gui.places.base import Place
from explorer.gui.places.start.drop_zone import DropZone
from explorer.gui.places.start.recent_model import RecentModel
from explorer.gui.preferences import Preferences
from explorer.gui.widgets.pane import EmptyState, Pane
from explorer.gui.widgets.shapes import shape_pixmap
from explorer.gui.words import count


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
        self._colour()

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
        connection = offline_connection()
        pane = Pane("Connection", connection.label)
        self._connection_full = connection.full
        line = QHBoxLayout()
        self._mark = QLabel()
        self._mark.setAccessibleName("ready")
        line.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        for label in (QLabel(connection.sentence), QLabel("Language models can be connected in a later version.")):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            label.setAlignment(Qt.AlignmentFlag.AlignTop)
            if line.count() == 1:
                line.addWidget(label, 1)
                pane.body.addLayout(line)
            else:
                label.setProperty("role", "muted")
                pane.body.addWidget(label)
        return pane

    def _colour(self) -> None:
        shape, colour = ("check", "good") if self._connection_full else ("ring", "accent")
        pixmap: QPixmap = shape_pixmap(shape, self.theme.colour(colour), self.theme.em)
        self._mark.setPixmap(pixmap)

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
