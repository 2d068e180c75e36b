"""Documents: a row a file and the stages of indexing, live; start, pause, and stop in two visible steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QSizePolicy,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from explorer.base.events import FileSettled
from explorer.gui.indexing import STOPPING, IndexingRun
from explorer.gui.places.base import Place
from explorer.gui.places.documents.files_model import FileLine, FilesModel
from explorer.gui.places.documents.made import Facts, facts_of
from explorer.gui.places.documents.opened import changes_of, lines_of, sentence_of, with_changes
from explorer.gui.places.documents.stages_model import ProgressBars, StagesModel
from explorer.gui.preferences import Preferences
from explorer.gui.theme import tabular
from explorer.gui.widgets.action_button import ActionButton
from explorer.gui.widgets.pane import EmptyState, Pane
from explorer.gui.widgets.shapes import shape_pixmap
from explorer.gui.words import count

_STATES = {
    "idle": ("ring", "muted", ""),
    "running": ("dot", "accent", "Indexing."),
    "paused": ("pause", "warn", "Paused: nothing new is begun. Everything done is kept."),
    "stopping": ("pause", "warn", STOPPING),
    "done": ("check", "good", "Indexed."),
    "stopped": ("pause", "warn", ""),
    "failed": ("cross", "failed", ""),
}


class DocumentsPlace(Place):
    """See the module. The window attaches the run of indexing."""

    name, title, icon_name = "documents", "Documents", "documents"

    def attach(self, indexing: IndexingRun, preferences: Preferences) -> None:
        """Take what belongs to the window; rows are kept from now on, also before the page is built."""
        self.run = indexing
        self.model = FilesModel(self.theme)
        self.model.setParent(self)
        indexing.began.connect(self._begin)
        indexing.files_found.connect(self._list)
        indexing.files_settled.connect(self._settle)
        self.session.index_opened.connect(self._show_index)
        self.session.index_closed.connect(self._clear)
        if self.session.index is not None:
            self._show_index(self.session.index)

    def build(self) -> None:
        em = self.theme.em
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._bar())
        panes = QVBoxLayout()
        panes.setContentsMargins(round(em * 0.9), round(em * 0.7), round(em * 0.9), round(em * 0.6))
        panes.setSpacing(round(em * 0.7))
        self.stages_pane = self._stages_pane()
        panes.addWidget(self.stages_pane)
        panes.addWidget(self._files_pane(), 1)
        column.addLayout(panes, 1)
        self._clock = QTimer(self)
        self._clock.setInterval(500)
        self._clock.timeout.connect(self.stages.refresh)
        self.run.state_changed.connect(self._mind)
        self.theme.changed.connect(lambda: self._mind(self.run.state))
        self.model.modelReset.connect(self._count)
        self.model.dataChanged.connect(self._count)
        self.model.rowsInserted.connect(self._count)
        self._mind(self.run.state)
        self._count()

    def _bar(self) -> QWidget:
        em = self.theme.em
        bar = QFrame()
        bar.setObjectName("TopBar")
        row = QHBoxLayout(bar)
        row.setContentsMargins(round(em * 0.9), round(em * 0.5), round(em * 0.9), round(em * 0.5))
        row.setSpacing(round(em * 0.6))
        self.mark = QLabel()
        self.words = QLabel()
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setWordWrap(True)
        self.words.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        row.addWidget(self.mark)
        row.addWidget(self.words, 1)
        get = self.registry.get
        self.open_button = ActionButton(get("file.open_folder"), text="Open a folder…")
        self.start_button = ActionButton(get("index.again"), text="Index again")
        self.pause_button = ActionButton(get("index.pause"), text="Pause")
        self.resume_button = ActionButton(get("index.resume"), text="Go on")
        self.stop_button = ActionButton(get("index.stop"), text="Stop")
        for button in (
            self.open_button, self.start_button, self.pause_button, self.resume_button, self.stop_button,
        ):  # fmt: skip
            row.addWidget(button)
        return bar

    def _stages_pane(self) -> Pane:
        pane = Pane("Indexing")
        self.stages = StagesModel(self.run, self.theme)
        self.stages.setParent(self)
        table = _table("Stages of indexing")
        table.setModel(self.stages)
        table.setItemDelegateForColumn(1, ProgressBars(self.theme, table))
        table.setSelectionMode(QTableView.SelectionMode.NoSelection)
        em = self.theme.em
        for at, width in enumerate((13, 11, 8, 6, 7, 8)):
            table.setColumnWidth(at, em * width)
        table.horizontalHeader().setStretchLastSection(True)
        rows = self.stages.rowCount() * table.verticalHeader().defaultSectionSize()
        height = rows + table.horizontalHeader().sizeHint().height() + 4
        self.stages_table = table
        self.facts = Facts()
        nothing = EmptyState("Drop a folder on the window, or open one: it is indexed here, stage by stage, in sight.")
        self._upper = (table, self.facts, nothing)
        for page in self._upper:
            pane.body.addWidget(page)
        table.setFixedHeight(height)
        nothing.setFixedHeight(height)
        pane.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        return pane

    def _files_pane(self) -> Pane:
        pane = Pane("Files")
        table = _table("Files of the folder")
        table.setModel(self.model)
        table.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)  # as listed until one is clicked
        table.setSortingEnabled(True)
        table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        em = self.theme.em
        for at, width in enumerate((20, 7, 4, 6, 7, 7, 6, 22)):
            table.setColumnWidth(at, em * width)
        table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        table.horizontalHeader().setMinimumSectionSize(em * 4)
        self.table = table
        self._lower = QStackedWidget()
        self._lower.addWidget(table)
        self._no_files = EmptyState("No folder and no index is open.", self.registry.get("file.open_folder"))
        self._lower.addWidget(self._no_files)
        pane.body.addWidget(self._lower)
        self.files_pane = pane
        return pane

    def _begin(self, folder: Path) -> None:
        self.model.set_lines([])
        if self._built:
            self._no_files.set_text(f"Looking for documents in {folder} …")

    def _list(self, files: list[tuple[str, int, str]]) -> None:
        self.model.set_lines(
            FileLine(path, "skipped" if reason else "waiting", size, reason=reason) for path, size, reason in files
        )

    def _settle(self, events: list[FileSettled]) -> None:
        self.model.settle(events)

    def _show_index(self, index: Any) -> None:
        if self.run.running:
            return  # the rows of the run stay until it has ended
        self.set_settled(False)
        self.engine.run(
            lambda sink, scope: lines_of(index), name="Listing the files", quiet=True, turn=2,
            on_done=lambda lines: self._show_lines(index, lines), on_error=self.session.failed.emit,
        )  # fmt: skip
        if self._built:
            self._mind(self.run.state)

    def _show_lines(self, index: Any, lines: list[FileLine]) -> None:
        self.set_settled(True)
        if index is not self.session.index or self.run.running:
            return
        self.model.set_lines(lines)
        self.engine.run(
            lambda sink, scope: _changes(index, scope), name="Looking for changes", quiet=True, turn=3,
            on_done=lambda changes: self._show_changes(index, lines, changes), on_error=self.session.notice.emit,
        )  # fmt: skip

    def _show_changes(self, index: Any, lines: list[FileLine], changes: dict[str, tuple[str, int]]) -> None:
        if changes and index is self.session.index and not self.run.running:
            self.model.set_lines(with_changes(lines, changes))
            self.session.notice.emit(sentence_of(changes))

    def _clear(self) -> None:
        if not self.run.running:
            self.model.set_lines([])
            if self._built:
                self._mind(self.run.state)

    def _mind(self, state: str) -> None:
        """Say how the run stands, and show the switches that mean something now."""
        run, index = self.run, self.session.index
        shape, colour, words = _STATES[state]
        if not run.running and index is not None and run.state in ("idle", "done"):
            shape, colour = "check", "good"
            words = f"{index.name} is open."
        elif state == "idle":
            words = "Nothing is open yet."
        elif run.folder is not None and not run.sentence:
            words = f"{run.folder}: {words}"
        self.mark.setPixmap(shape_pixmap(shape, self.theme.colour(colour), self.theme.em))
        self.mark.setAccessibleName(state)
        self.words.setText(run.sentence or words)
        self.pause_button.setVisible(state == "running")
        self.resume_button.setVisible(state == "paused")
        self.stop_button.setVisible(run.running)
        self.stop_button.setText("Stopping" if state == "stopping" else "Stop")
        self.start_button.setVisible(self.start_button.isEnabled())
        self.start_button.setText("Go on" if state in ("stopped", "failed") else "Index again")
        self.open_button.setVisible(not run.running)
        self._mind_upper(state)

    def _mind_upper(self, state: str) -> None:
        run, index = self.run, self.session.index
        if run.running or state in ("stopped", "failed"):
            shown = 0
            self.stages_pane.set_title("Indexing")
            self.stages_pane.set_figure(run.folder.name if run.folder is not None else "")
        elif index is not None:
            self.facts.show_facts(facts_of(index))
            shown = 1
            self.stages_pane.set_title("This index")
            self.stages_pane.set_figure(index.name)
        else:
            shown = 0 if state == "done" else 2
            self.stages_pane.set_title("Indexing")
            self.stages_pane.set_figure("")
        for at, page in enumerate(self._upper):
            page.setVisible(at == shown)
        if run.running:
            self._clock.start()
        else:
            self._clock.stop()
            self.stages.refresh()

    def _count(self) -> None:
        lines = self.model.rowCount()
        self._lower.setCurrentIndex(0 if lines else 1)
        if not lines and not self.run.running:
            self._no_files.set_text("No folder and no index is open." if self.session.index is None
                                    else "This index names no files.")  # fmt: skip
        fates = " · ".join(f"{number:,} {fate}" for fate, number in self.model.fates().items())
        self.files_pane.set_figure(f"{count(lines, 'file')} · {fates}" if lines else "")


def _table(name: str) -> QTableView:
    table = QTableView()
    table.setAccessibleName(name)
    table.verticalHeader().hide()
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
    table.setVerticalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
    table.setFont(tabular(table.font()))
    height = table.fontMetrics().height()
    table.verticalHeader().setDefaultSectionSize(round(height * 1.6))
    table.horizontalHeader().setHighlightSections(False)
    return table


def _changes(index: Any, scope: Any) -> dict[str, tuple[str, int]]:
    from explorer.corpus.folder import find_files

    return changes_of(index, find_files, scope)
