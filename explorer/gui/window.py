"""The window: the rail of places at the left, messages above the place that is shown, activity and status below."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QMainWindow,
    QMessageBox,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from explorer.base.paths import resource
from explorer.gui import window_actions
from explorer.gui.actions import ActionRegistry
from explorer.gui.connection import connection_words
from explorer.gui.dropping import DropHint, dropped_path
from explorer.gui.engine import Engine
from explorer.gui.indexing import STOPPING, IndexingRun
from explorer.gui.indexing_desk import IndexingDesk
from explorer.gui.job import Job
from explorer.gui.known_places import PLACES
from explorer.gui.places.base import Place
from explorer.gui.places.missing import MissingPlace
from explorer.gui.preferences import Preferences
from explorer.gui.preparing import Preparation
from explorer.gui.session import Session
from explorer.gui.theme import Theme
from explorer.gui.warm_up import warm_up
from explorer.gui.widgets.activity import ActivityPanel
from explorer.gui.widgets.help_dialog import HelpDialog
from explorer.gui.widgets.messages import MessageBar
from explorer.gui.widgets.palette import CommandPalette
from explorer.gui.widgets.pane import Pane
from explorer.gui.widgets.rail import Rail
from explorer.gui.widgets.status_bar import StatusBar

if TYPE_CHECKING:
    from explorer.tables.outline import Outline

_CLOSE_SECONDS = 12.0
_POLL_MS = 60


class MainWindow(QMainWindow):
    """One window over one session. `place(name)` gives a place; `show_place(name)` shows it."""

    def __init__(
        self,
        session: Session,
        engine: Engine,
        theme: Theme,
        actions: ActionRegistry,
        *,
        preferences: Preferences | None = None,
        indexing: IndexingRun | None = None,
        preparation: Preparation | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.session, self.engine, self.theme, self.registry = session, engine, theme, actions
        self.preferences = preferences or Preferences(parent=self)
        self.indexing = indexing or IndexingRun(engine, parent=self)
        self._places: dict[str, Place] = {}
        self._waiting_to_close = 0.0
        self._closed = False
        self._just_indexed: Path | None = None
        self.current = ""
        self.setWindowTitle("GraphRAG Explorer")
        self.setAcceptDrops(True)
        actions.added.connect(self.addAction)
        self.rail = Rail(actions, theme)
        self.messages = MessageBar(theme)
        self.stack = QStackedWidget()
        self.activity = ActivityPanel(engine, theme)
        self.activity.hide()
        self.command_palette = CommandPalette(session, actions, theme, self)
        self.drop_hint = DropHint(theme, self)
        window_actions.register(self)
        self.desk = IndexingDesk(self, preparation)
        for name, (*_, icon_name) in ((row[0], (row[0],)) for row in window_actions.PLACES):
            self.rail.add(name, actions.get(f"go.{name}"), icon_name)
        self.status = StatusBar(theme, actions.get("view.activity"))
        session.use_connection(self.preferences.connection)
        self.status.show_connection(connection_words(session).label)
        self._lay_out()
        self._connect()
        actions.get(f"view.{theme.scheme}").setChecked(True)
        self._mind_index(None)
        self.resize(theme.em * 80, theme.em * 50)
        if self.preferences.geometry is not None:
            self.restoreGeometry(QByteArray(self.preferences.geometry))

    def place(self, name: str) -> Place:
        """The place of that name, made on first use. Raises KeyError for an unknown name."""
        if name not in self._places:
            module, cls = PLACES[name]
            kind = getattr(importlib.import_module(module), cls) if _there(module) else MissingPlace.named(name)
            place = kind(self.session, self.engine, self.theme, self.registry, self.stack)
            self._places[name] = place
            attach = getattr(place, "attach", None)
            if attach is not None:
                attach(self.indexing, self.preferences)
            prepare_with = getattr(place, "prepare_with", None)
            if prepare_with is not None:
                prepare_with(self.desk.preparation)
            self.stack.addWidget(place)  # shows the first one, which is built then
        return self._places[name]

    def show_place(self, name: str) -> None:
        """Show a place, building it if it was never shown."""
        place = self.place(name)
        place.ensure_built()
        for child in place.findChildren(QWidget):
            child.setAcceptDrops(False)  # a folder dropped on any part of the window reaches the window
        for box in place.findChildren(QComboBox):
            box.view().setAccessibleName(box.accessibleName())
        self.current = name
        self.stack.setCurrentWidget(place)
        if not self.rail.isAncestorOf(self.focusWidget() or place):
            first_focusable(place).setFocus()  # a person who uses the rail by keyboard stays in it
        self.rail.set_current(self.registry.get(f"go.{name}"))

    def make_places(self) -> None:
        """Make the places that were not shown yet, so that the palette knows their actions (their pages wait)."""
        for name in PLACES:
            self.place(name)

    def warm_up(self, then: Callable[[], None] = lambda: None, *, turn: int | None = None) -> None:
        """Import what the first job would have to import, on a worker thread; then make all places and call `then`.

        With a `turn` it waits for the jobs of smaller ones.
        """

        def ready(_: object) -> None:
            self.make_places()
            then()

        places = [module for module, _ in PLACES.values() if _there(module)]
        self.engine.run(
            lambda sink, scope: warm_up(places, scope), name="Starting", quiet=True, turn=turn, on_done=ready
        )

    def look_for_servers(self) -> None:
        """Offer servers of language models that run on this machine, on Start and in Connections; nobody waits for it.

        Only while no language model is set up: whoever has one knows where to look for another.
        """

        def look(_sink: object, _scope: object) -> list[object]:
            from explorer.models.connections import load_connections
            from explorer.models.local_servers import find_local_servers

            return [] if load_connections() else list(find_local_servers())

        def offer(servers: list[object]) -> None:
            if servers:
                self.place("start").offer(servers)
                self.place("connections").offer(servers)

        self.engine.run(
            look, name="Looking for local servers", quiet=True, on_done=offer, on_error=lambda _sentence: None
        )

    def open_path(self, path: Path) -> None:
        """Open an index or a folder; a folder without an index is indexed where everybody sees it."""
        self.session.open_path(path)

    def open_sample(self) -> None:
        """Open the bundled corpus; its index lies in the user data directory, the program's folder stays as it is."""
        self.session.open_path(resource("sample"))

    def index_folder(self, folder: Path) -> None:
        """Index a folder, or go on with it, and show that; what costs money is asked about first."""
        self.desk.index_folder(folder)

    def index_again(self) -> None:
        """Index the folder of the open index, or the folder of the last run."""
        self.desk.index_again()

    def ask_folder(self) -> None:
        self._ask("Open a folder of documents")

    def ask_index(self) -> None:
        self._ask("Open a GraphRAG index: a project, its output folder, or a folder that was indexed")

    def set_scheme(self, scheme: str) -> None:
        """Light, dark or as the system has it; remembered."""
        self.theme.set_scheme(scheme)
        self.preferences.set_scheme(scheme)
        self.registry.get(f"view.{scheme}").setChecked(True)

    def toggle_activity(self) -> None:
        shown = not self.activity.isVisible()
        self.activity.setVisible(shown)
        self.registry.get("view.activity").setChecked(shown)

    def toggle_full_screen(self) -> None:
        if self.isFullScreen():
            self.showNormal()
        else:
            self.showFullScreen()

    def next_pane(self, step: int) -> None:
        """Put the focus into the first part of the next pane of this place that takes it."""
        panes = [pane for pane in self.stack.currentWidget().findChildren(Pane) if pane.isVisible()]
        if not panes:
            return
        focus = self.focusWidget()
        at = next((n for n, pane in enumerate(panes) if focus is not None and pane.isAncestorOf(focus)), -step)
        for turn in range(1, len(panes) + 1):
            target = first_focusable(panes[(at + step * turn) % len(panes)])
            if not isinstance(target, Pane):
                target.setFocus()
                return

    def show_help(self) -> QDialog:
        dialog = HelpDialog(self.registry, self.theme, self)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        return dialog

    def show_about(self) -> QDialog:
        from explorer import __version__

        box = QMessageBox(self)
        box.setWindowTitle("About GraphRAG Explorer")
        box.setText(
            f"GraphRAG Explorer {__version__}\n\nA folder of documents becomes a graph of communities with reports; "
            "answers show what every call read, found, kept and threw away.\n\nGPL-3.0-or-later. Made with Qt (LGPL)."
        )
        box.finished.connect(box.deleteLater)
        box.open()
        return box

    def say(self, sentence: str) -> None:
        """A sentence that is no error."""
        self.messages.say(sentence, "notice")

    def fail(self, sentence: str) -> None:
        """A sentence about something that could not be done."""
        self.messages.say(sentence, "failed")

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        path = dropped_path(event.mimeData())
        if path is not None:
            event.acceptProposedAction()
            self.drop_hint.show_for(path)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.drop_hint.hide()
        event.accept()

    def dropEvent(self, event: QDropEvent) -> None:
        self.drop_hint.hide()
        path = dropped_path(event.mimeData())
        if path is not None:
            event.acceptProposedAction()
            self.open_path(path)

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._closed:
            event.accept()
            return
        loud = [job for job in self.engine.jobs if not job.quiet]
        if loud and self._waiting_to_close < _CLOSE_SECONDS:
            event.ignore()
            if self._waiting_to_close == 0.0:
                self.say(f"{STOPPING} The window closes then.")
                for job in self.engine.jobs:
                    job.cancel()
            self._waiting_to_close += _POLL_MS / 1000
            QTimer.singleShot(_POLL_MS, self, self.close)
            return
        self._closed = True
        self.preferences.set_geometry(self.saveGeometry())
        self.preferences.sync()
        self.engine.stop(3.0)
        event.accept()

    def _lay_out(self) -> None:
        central = QWidget()
        row = QHBoxLayout(central)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        column = QVBoxLayout()
        column.setSpacing(0)
        column.addWidget(self.messages)
        column.addWidget(self.stack, 1)
        below = QVBoxLayout()
        em = self.theme.em
        below.setContentsMargins(round(em * 0.9), 0, round(em * 0.9), round(em * 0.6))
        below.addWidget(self.activity)
        column.addLayout(below)
        column.addWidget(self.status)
        row.addWidget(self.rail)
        row.addLayout(column, 1)
        self.setCentralWidget(central)

    def _connect(self) -> None:
        session, run = self.session, self.indexing
        session.place_wanted.connect(self.show_place)
        session.folder_wanted.connect(self._take_folder)
        session.index_opening.connect(self.status.show_opening)
        session.outline_opened.connect(self._take_outline)
        session.index_opened.connect(self._take_index)
        session.index_closed.connect(lambda: self._mind_index(None))
        session.connection_changed.connect(self._mind_connection)
        session.notice.connect(self.say)
        session.failed.connect(self.fail)
        session.failed.connect(lambda _sentence: self.status.show_index(session.index))
        run.noticed.connect(self.say)
        run.finished.connect(self._open_indexed)
        self.engine.job_started.connect(self._mind_job)
        self.engine.job_ended.connect(lambda _job: self.status.show_jobs(self.engine.jobs))

    def _mind_connection(self, name: str) -> None:
        self.preferences.set_connection(name)
        self.status.show_connection(connection_words(self.session).label)

    def _mind_job(self, job: Job) -> None:
        job.changed.connect(lambda: self.status.show_jobs(self.engine.jobs))
        self.status.show_jobs(self.engine.jobs)

    def _take_folder(self, folder: Path) -> None:
        self.status.show_index(self.session.index)
        if folder == self._just_indexed:
            self._just_indexed = None
            self.fail(f"{folder.name} was indexed, but its index cannot be found again; index it once more.")
            return
        self.preferences.remember(folder)
        self.index_folder(folder)

    def _take_index(self, index: object) -> None:
        self._just_indexed = None
        self.preferences.remember(Path(index.output if index.foreign else index.folder or index.home))
        self._mind_index(index)
        if self.current in ("", "start", "documents"):
            self.show_place("communities")

    def _take_outline(self, outline: Outline) -> None:
        """The communities of a large index: shown at once, while the rest of it is read."""
        self.status.show_outline(outline)
        self.setWindowTitle(f"{outline.name} – GraphRAG Explorer")
        self.registry.get("file.close_index").setEnabled(True)
        if self.current in ("", "start", "documents"):
            self.show_place("communities")

    def _open_indexed(self, folder: Path) -> None:
        index = self.session.index
        if index is None or (index.folder is not None and Path(index.folder) == folder):
            self._just_indexed = folder
            self.session.open_path(folder)
        else:
            self.say(f"{folder.name} is indexed; open it from the recent folders.")

    def _mind_index(self, index: object | None) -> None:
        self.status.show_index(index)
        self.setWindowTitle(f"{index.name} – GraphRAG Explorer" if index is not None else "GraphRAG Explorer")
        self.registry.get("file.close_index").setEnabled(index is not None)
        self.desk.mind(self.indexing.state)

    def _ask(self, title: str) -> None:
        recent = self.preferences.recent
        dialog = QFileDialog(self, title, str(recent[0].parent) if recent else str(Path.home()))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(lambda chosen: self.open_path(Path(chosen)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()


def first_focusable(widget: QWidget) -> QWidget:
    """The first part of a widget that takes the focus from the keyboard, or the widget itself."""
    for child in widget.findChildren(QWidget):
        takes = child.focusPolicy() in (Qt.FocusPolicy.StrongFocus, Qt.FocusPolicy.TabFocus, Qt.FocusPolicy.WheelFocus)
        if takes and child.isVisibleTo(widget) and child.isEnabled():
            return child
    return widget


def _there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False
