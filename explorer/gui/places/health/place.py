"""The Health place: the state of every table, every defect with its remedy, and what was lost before the index was."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QLabel, QMenu, QSplitter, QVBoxLayout

from explorer.gui.finding import ACTION as FIND
from explorer.gui.job import Job
from explorer.gui.places.ask.tables import table
from explorer.gui.places.base import Place
from explorer.gui.places.health.rows import DEFECT_COLUMNS, LOSS_COLUMNS, TABLE_COLUMNS
from explorer.gui.widgets.pane import EmptyState, Pane
from explorer.gui.widgets.rows_model import Column
from explorer.gui.words import count

_TABLES = 9  # of GraphRAG and of ours
_NOTHING = "Open a folder, the sample or an output of GraphRAG: then this page says what is wrong in it."


class _Listed(Pane):
    """A pane with a table, or one sentence while there are no rows. So many rows as `whole` says are never cut."""

    def __init__(self, title: str, columns: Sequence[Column], whole: int = 0) -> None:
        super().__init__(title)
        self._whole = whole
        self.view, self.model = table(title, columns)
        self.view.setWordWrap(True)
        self.empty = EmptyState("")
        self.body.addWidget(self.view, 1)
        self.body.addWidget(self.empty, 1)
        self.show_rows([], "")

    def show_rows(self, rows: Sequence[Any], sentence: str) -> None:
        self.model.set_rows(rows)
        self.view.setVisible(bool(rows))
        self.empty.setVisible(not rows)
        self.empty.set_text(sentence)
        self.view.resizeRowsToContents()
        line = self.fontMetrics().height()
        for row in range(len(rows)):  # the lines of two rows are told apart by the room between them
            if self.view.rowHeight(row) > 1.8 * line:
                self.view.setRowHeight(row, self.view.rowHeight(row) + line // 3)
        if self._whole:
            high = sum(self.view.rowHeight(row) for row in range(min(len(rows), self._whole)))
            header = self.view.horizontalHeader().sizeHint().height()
            self.view.setMinimumHeight(min(header + high + line // 2, 18 * line))


def _run_words(path: Path) -> str:
    """The name of a run in a menu, where "&" would underline what follows it."""
    name = path.parent.name if path.name == "artifacts" else path.name
    if path.name in ("previous", "delta"):  # of an update, by its time
        name = f"{path.parent.name}, {path.name}"
    return name.replace("&", "&&")


class HealthPlace(Place):
    name, title, icon_name = "health", "Health", "health"

    def declare_actions(self, actions: Any) -> None:
        self.again = actions.add(
            "health.check", "Check again", self._check, category="Index", tip="Look through every table once more"
        )
        self.other_run = actions.add(
            "health.other_run", "Open another run…", self._choose_run, category="Index",
            tip="The other runs of this project that could have been opened",
        )  # fmt: skip
        self.other_run.setEnabled(False)
        self.runs = QMenu(self)
        self.session.index_opened.connect(self._offer)
        self.session.index_closed.connect(lambda: self._offer(None))

    def build(self) -> None:
        self._job: Job | None = None
        self._index: Any = None
        em = self.theme.em
        layout = QVBoxLayout(self)
        layout.setContentsMargins(em // 2, em // 2, em // 2, em // 2)
        layout.setSpacing(em // 2)
        self.tables = _Listed("Tables", TABLE_COLUMNS, whole=_TABLES)
        self._links = [self.tables.add_link(action) for action in (self.registry.get(FIND), self.other_run)]
        for link in self._links:
            link.defaultAction().changed.connect(self._show_links)
        self.tables.add_link(self.again)
        self._offer(self.session.index)
        self.defects = _Listed("Defects", DEFECT_COLUMNS)
        self.losses = _Listed("What was lost before the index was made", LOSS_COLUMNS)
        self.remarks = QLabel()
        self.remarks.setTextFormat(Qt.TextFormat.PlainText)
        self.remarks.setWordWrap(True)
        self.remarks.setProperty("role", "muted")
        self.tables.body.addWidget(self.remarks)
        splitter = QSplitter(Qt.Orientation.Vertical)
        splitter.setChildrenCollapsible(False)
        for pane, stretch in ((self.tables, 10), (self.defects, 11), (self.losses, 10)):
            splitter.addWidget(pane)
            splitter.setStretchFactor(splitter.count() - 1, stretch)
        layout.addWidget(splitter)
        self.session.index_opened.connect(lambda _: self._opened())
        self.session.index_closed.connect(self._opened)
        self._opened()

    def _offer(self, index: Any) -> None:
        """The other runs of the project whose index is open."""
        self.runs.clear()
        for path in index.others if index is not None else ():
            self.runs.addAction(_run_words(path), lambda path=path: self.session.open_path(path))
        self.other_run.setEnabled(not self.runs.isEmpty())
        self.other_run.setVisible(not self.runs.isEmpty())
        if self._built:
            self._show_links()

    def _show_links(self) -> None:
        """A link whose action leads nowhere now is not shown."""
        for link in self._links:
            link.setVisible(link.defaultAction().isVisible())

    def _choose_run(self) -> None:
        link = self._links[-1] if self._built else None
        shown = link is not None and link.isVisible()
        self.runs.popup(link.mapToGlobal(QPoint(0, link.height())) if link is not None and shown else QCursor.pos())

    def _opened(self) -> None:
        """Another index, or none. A page that nobody looks at is checked when it is shown."""
        self._index = None
        if self._job is not None and self._job.running:
            self._job.cancel()
        self._clear(_NOTHING if self.session.index is None else "")
        if self.session.index is not None and self.isVisible():
            self._check()

    def showEvent(self, event: Any) -> None:
        super().showEvent(event)
        if self.session.index is not None and self._index is not self.session.index:
            self._check()

    def prepare_screenshot(self) -> None:
        if self.session.index is not None and self._index is not self.session.index:
            self._check()

    def _check(self) -> None:
        index = self.session.index
        if index is None or not self._built:
            return
        self._index = index
        self._clear("Looking through every table …")
        self.set_settled(False)
        from explorer.gui.places.health.checking import check_opened

        self._job = self.engine.run(
            lambda sink, scope: check_opened(index.output, None if index.foreign else index.home, scope),
            name="Checking the index",
            quiet=True,
            on_done=lambda found: self._checked(index, found),
            on_error=lambda sentence: self._failed(index, sentence),
            on_cancelled=lambda: self.set_settled(True),
        )

    def _clear(self, sentence: str) -> None:
        for pane in (self.tables, self.defects, self.losses):
            pane.show_rows([], sentence)
            pane.set_figure("")
        self.remarks.clear()
        self.again.setEnabled(self.session.index is not None)

    def _failed(self, index: Any, sentence: str) -> None:
        if index is self.session.index:
            self._clear(sentence)
        self.set_settled(True)

    def _checked(self, index: Any, found: Any) -> None:
        if index is self.session.index:
            self._show(found)
        self.set_settled(True)

    def _show(self, found: Any) -> None:
        self.tables.show_rows(found.tables, "")
        self.tables.set_figure(f"made by {found.made_by}")
        self.defects.show_rows(found.defects, "Sound: nothing is missing or wrong.")
        kinds = len(found.defects)
        self.defects.set_figure(count(kinds, "kind") if kinds else "none")
        self.losses.show_rows(
            found.losses,
            "This index was made by this program: what its own run left out stands with the files and calls."
            if not self.session.index.foreign
            else "Nothing that its tables would show.",
        )
        self.losses.set_figure("no defect of the files" if found.losses else "")
        lines = list(found.notes)
        if found.other_runs:
            lines.append("Other runs that could be opened: " + "; ".join(found.other_runs))
        self.remarks.setText("\n".join(lines))
        self.remarks.setVisible(bool(lines))
