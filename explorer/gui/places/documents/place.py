"""Documents: a row a file and the stages of indexing, live; start, pause, and stop in two visible steps."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QHeaderView,
    QSizePolicy,
    QStackedWidget,
    QTabBar,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from explorer.base.events import CapReached, FileSettled
from explorer.gui.calls_log import CallsLog, Spent
from explorer.gui.calls_source import CallsSource
from explorer.gui.indexing import IndexingRun
from explorer.gui.places.base import Place
from explorer.gui.places.documents.before_pane import BeforePane
from explorer.gui.places.documents.calls_pane import CallsPane
from explorer.gui.places.documents.files_model import PAID as FILES_PAID
from explorer.gui.places.documents.files_model import FileLine, FilesModel
from explorer.gui.places.documents.loss_bar import LossBar
from explorer.gui.places.documents.made import Facts, facts_of
from explorer.gui.places.documents.opened import changes_now, lines_of, sentence_of, with_changes
from explorer.gui.places.documents.run_bar import RunBar
from explorer.gui.places.documents.run_words import loss_words, run_words
from explorer.gui.places.documents.stages_model import PAID as STAGES_PAID
from explorer.gui.places.documents.stages_model import ProgressBars, StagesModel
from explorer.gui.places.documents.tables import fit_height, plain_table
from explorer.gui.preferences import Preferences
from explorer.gui.preparing import Preparation
from explorer.gui.widgets.cap_bar import CapBar
from explorer.gui.widgets.pane import EmptyState, Pane
from explorer.gui.words import count

_PART = 1_000  # files whose figures are put in between two events


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
        indexing.calls_changed.connect(self._hear_calls)
        self.source = CallsSource(self.session, self.engine, indexing, self)
        self.source.changed.connect(self._show_calls_of_source)
        self.session.index_opened.connect(self._show_index)
        self.session.index_closed.connect(self._clear)
        if self.session.index is not None:
            self._show_index(self.session.index)

    def prepare_with(self, preparation: Preparation) -> None:
        """Take what comes before a run that costs money."""
        self.preparation = self.source.preparation = preparation
        preparation.changed.connect(lambda: self._mind(self.run.state) if self._built else None)
        preparation.files_found.connect(self._list)

    def build(self) -> None:
        em = self.theme.em
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.bar = bar = RunBar(self.theme, self.registry)
        self.mark, self.words, self.open_button, self.start_button = (
            bar.mark, bar.words, bar.open_button, bar.start_button,
        )  # fmt: skip
        self.pause_button, self.resume_button, self.stop_button, self.abandon_button = (
            bar.pause_button, bar.resume_button, bar.stop_button, bar.abandon_button,
        )  # fmt: skip
        column.addWidget(bar)
        column.addWidget(self._warnings())
        panes = QVBoxLayout()
        panes.setContentsMargins(round(em * 0.9), round(em * 0.7), round(em * 0.9), round(em * 0.6))
        panes.setSpacing(round(em * 0.7))
        self.stages_pane = self._stages_pane()
        self.before_pane = BeforePane(self.preparation, self.theme, self.registry)
        self.before_pane.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        source, say = self.source, self.session.failed.emit
        self.calls_pane = CallsPane(source, self.run, self.engine, self.theme, self.registry, say)
        panes.addWidget(self.stages_pane)
        panes.addWidget(self.before_pane)
        panes.addWidget(self._tab_bar())
        panes.addWidget(self._files_pane(), 1)
        panes.addWidget(self.calls_pane, 1)
        source.grown.connect(self.calls_pane.refresh)
        column.addLayout(panes, 1)
        self._clock = QTimer(self, interval=500)
        self._clock.timeout.connect(self._tick)
        self.run.state_changed.connect(self._mind)
        self.theme.changed.connect(lambda: self._mind(self.run.state))
        self.model.modelReset.connect(self._count)
        self.model.dataChanged.connect(self._count)
        self.model.rowsInserted.connect(self._count)
        self.run.cap_reached.connect(self._take_cap)
        if self.run.calls.cap is not None:
            self._take_cap(self.run.calls.cap)
        self._mind(self.run.state)
        self._count()

    def run_pilot(self) -> None:
        """Read as many text units as the field says before anything else."""
        self.preparation.try_out(self.before_pane.pilot_units.value())

    def open_call(self) -> None:
        self.calls_pane.open_call()

    def retry_call(self) -> None:
        self.calls_pane.retry_call()

    def retry_all(self) -> None:
        """Make every call again that gave nothing."""
        self.source.retry(None)

    def retry_file(self) -> None:
        """Make the calls again that gave nothing and read the chosen file."""
        keys = self._lost_of_file()
        if keys:
            self.source.retry(keys)

    def _warnings(self) -> QWidget:
        """The bar of a cap that is reached, and that of calls that gave nothing."""
        em = self.theme.em
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(round(em * 0.9), round(em * 0.4), round(em * 0.9), 0)
        self.cap_bar = CapBar(self.theme)
        self.cap_bar.raised.connect(self._raise_cap)
        self.cap_bar.stopped.connect(self.run.stop)
        self.loss_bar = LossBar(self.theme, self.registry, self._show_calls)
        column.addWidget(self.cap_bar)
        column.addWidget(self.loss_bar)
        return page

    def _tab_bar(self) -> QTabBar:
        self.tabs = QTabBar()
        self.tabs.setAccessibleName("Files or calls")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.addTab("Files")
        self.tabs.addTab("Calls")
        self.tabs.currentChanged.connect(lambda _at: self._mind_tabs())
        return self.tabs

    def _stages_pane(self) -> Pane:
        pane = Pane("Indexing")
        self.stages = StagesModel(self.run, self.theme)
        self.stages.setParent(self)
        table = plain_table("Stages of indexing")
        table.setModel(self.stages)
        table.setItemDelegateForColumn(1, ProgressBars(self.theme, table))
        table.setSelectionMode(QTableView.SelectionMode.NoSelection)
        em = self.theme.em
        for at, width in enumerate((13, 10, 7, 5, 6, 6, 10, 7, 6, 5)):
            table.setColumnWidth(at, em * width)
        table.horizontalHeader().setSectionResizeMode(6, QHeaderView.ResizeMode.Stretch)
        fit_height(table, self.stages.rowCount())
        self.stages.modelReset.connect(lambda: fit_height(table, self.stages.rowCount()))
        self.stages_table = table
        self.facts = Facts()
        nothing = EmptyState("Drop a folder on the window, or open one: it is indexed here, stage by stage, in sight.")
        self._upper = (table, self.facts, nothing)
        for page in self._upper:
            pane.body.addWidget(page)
        nothing.setFixedHeight(table.height())
        pane.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        return pane

    def _files_pane(self) -> Pane:
        pane = Pane("Files")
        table = plain_table("Files of the folder")
        table.setModel(self.model)
        table.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)  # as listed until one is clicked
        table.setSortingEnabled(True)
        table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        em = self.theme.em
        for at, width in enumerate((20, 7, 4, 6, 7, 7, 6, 22, 6, 6, 5)):
            table.setColumnWidth(at, em * width)
        table.horizontalHeader().moveSection(7, len(FILES_PAID) + 7)  # the reason stands last
        table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        table.horizontalHeader().setMinimumSectionSize(em * 4)
        self.table = table
        self._lower = QStackedWidget()
        self._lower.addWidget(table)
        self._no_files = EmptyState("No folder and no index is open.", self.registry.get("file.open_folder"))
        self._lower.addWidget(self._no_files)
        pane.body.addWidget(self._lower)
        self.retry_link = pane.add_link(self.registry.get("index.retry_file"))
        table.selectionModel().currentChanged.connect(lambda *_: self._mind_file())
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
        """Take fates. What a model is still to read has been read from disk only, of a pilot not even that counts."""
        if self.run.order is not None:
            fate = "waiting" if self.run.piloting else "read"
            events = [replace(event, fate=fate) if event.fate == "indexed" else event for event in events]
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
        if index is not self.session.index or self.run.running or self.preparation.open:
            return
        self.model.set_lines(lines)
        self._put_spent()
        self.engine.run(
            lambda sink, scope: changes_now(index, scope), name="Looking for changes", quiet=True, turn=3,
            on_done=lambda changes: self._show_changes(index, lines, changes), on_error=self.session.notice.emit,
        )  # fmt: skip

    def _show_changes(self, index: Any, lines: list[FileLine], changes: dict[str, tuple[str, int]]) -> None:
        if changes and index is self.session.index and not (self.run.running or self.preparation.open):
            self.model.set_lines(with_changes(lines, changes))
            self._put_spent()
            self.session.notice.emit(sentence_of(changes))

    def _clear(self) -> None:
        if not self.run.running:
            self.model.set_lines([])
            if self._built:
                self._mind(self.run.state)

    def _mind(self, state: str) -> None:
        """Say how the run stands, and show the switches that mean something now."""
        run, index = self.run, self.session.index
        shape, colour, _ = run_words(run, index)
        self.bar.mind(run, state, shape, colour)
        self._say_words()
        if not run.running:
            self.cap_bar.put_away()
        self.loss_bar.say(loss_words(run, self.source.log))
        self._mind_upper(state)
        self._mind_tabs()
        self._tick()

    def _say_words(self) -> None:
        prepared, words = self.preparation, run_words(self.run, self.session.index)[2]
        if prepared.open and not self.run.running and prepared.folder is not None:
            words = prepared.sentence or f"{prepared.folder} waits for your yes: {prepared.why}."
        self.words.setText(words)

    def _tick(self) -> None:
        """Show what calls and time have changed, twice a second however many events come."""
        self.stages.refresh()
        self._say_words()
        if self.source.has_calls:
            if not self.source.of_store:
                self._put_spent()
            self._mind_file()
        lost = self.source.log.total.lost
        self.tabs.setTabText(1, f"Calls ({lost:,} gave nothing)" if lost else "Calls")
        self.calls_pane.refresh()

    def _put_spent(self) -> None:
        """What calls about each file were charged, while the files are those of these calls."""
        index = self.session.index
        of_run = self.run.running or index is None or index.folder is None or Path(index.folder) == self.run.folder
        if self.source.of_store:
            self._put_parts(self.source.log, list(self.source.log.files.items()))
        elif of_run:
            self.model.set_spent(self.source.log.files)

    def _put_parts(self, log: CallsLog, left: list[tuple[str, Spent]]) -> None:
        """Of a store all files come at once: a part of them between the window's events."""
        if log is self.source.log and left:
            self.model.set_spent(dict(left[:_PART]))
            if len(left) > _PART:
                QTimer.singleShot(0, self, lambda: self._put_parts(log, left[_PART:]))

    def _show_calls_of_source(self) -> None:
        """Other calls than before, or more of them, are there."""
        if self.source.of_store:
            self._put_spent()
        if self._built:
            self._mind(self.run.state)

    def _hear_calls(self) -> None:
        """Calls went by: the clock shows them while it goes."""
        if self._built and not self._clock.isActive():
            self._tick()

    def _take_cap(self, event: CapReached) -> None:
        self.cap_bar.ask(event)
        self._tick()

    def _raise_cap(self, name: str, value: float) -> None:
        self.run.raise_cap(name, value)
        self._tick()

    def _show_calls(self) -> None:
        self.tabs.setCurrentIndex(1)

    def _mind_tabs(self) -> None:
        """Files or calls; figures of calls only where a model made some, else why there are none."""
        has_calls = self.source.has_calls
        listed = has_calls or (self.session.index is not None and not self.run.running)
        self.tabs.setVisible(listed)
        if not listed and self.tabs.currentIndex():
            self.tabs.setCurrentIndex(0)
        calls = listed and self.tabs.currentIndex() == 1
        self.files_pane.setVisible(not calls)
        self.calls_pane.setVisible(calls)
        self.retry_link.setVisible(has_calls)
        for at in FILES_PAID:
            self.table.setColumnHidden(at, not has_calls)
        for at in (2, 4):  # the type stands in the name; most files are one document
            self.table.setColumnHidden(at, has_calls)
        self.table.setColumnWidth(7, self.theme.em * (20 if has_calls else 22))
        for at in STAGES_PAID:
            self.stages_table.setColumnHidden(at, not has_calls)
        self._mind_file()

    def _mind_file(self) -> None:
        able = self.source.idle and bool(self._lost_of_file())
        self.registry.get("index.retry_file").setEnabled(able)

    def _lost_of_file(self) -> frozenset[str]:
        row = self.table.currentIndex().row()
        lines = self.model.lines
        return self.source.log.lost_keys(lines[row].path) if 0 <= row < len(lines) else frozenset()

    def _mind_upper(self, state: str) -> None:
        run, index = self.run, self.session.index
        asks = self.preparation.open and not run.running
        self.before_pane.setVisible(asks)
        self.stages_pane.setVisible(not asks)
        if run.running or state in ("stopped", "failed"):
            shown = 0
            self.stages_pane.set_title("Pilot" if run.piloting else "Indexing")
            self.stages_pane.set_figure(run.folder.name if run.folder is not None else "")
        elif index is not None:
            self.facts.show_facts(facts_of(index, self.source.log if self.source.has_calls else None))
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

    def _count(self) -> None:
        lines = self.model.rowCount()
        self._lower.setCurrentIndex(0 if lines else 1)
        if not lines and not self.run.running:
            self._no_files.set_text("No folder and no index is open." if self.session.index is None
                                    else "This index names no files.")  # fmt: skip
        fates = " · ".join(f"{number:,} {fate}" for fate, number in self.model.fates().items())
        self.files_pane.set_figure(f"{count(lines, 'file')} · {fates}" if lines else "")
