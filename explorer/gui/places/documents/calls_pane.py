"""The calls of the run, or of the index's call store: counts, the failed ones first, each opens; failed ones are made
again alone or together."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QObject, Qt
from PySide6.QtWidgets import QHeaderView, QStackedWidget, QTableView

from explorer.base.cancel import CancelScope
from explorer.base.events import CallSettled, EventSink
from explorer.gui.actions import ActionRegistry
from explorer.gui.calls_source import CallsSource
from explorer.gui.engine import Engine
from explorer.gui.indexing import IndexingRun
from explorer.gui.kept_log import KeptLog
from explorer.gui.places.documents.call_dialog import CallDialog
from explorer.gui.places.documents.calls_model import CallsModel, fate_words
from explorer.gui.places.documents.tables import plain_table
from explorer.gui.theme import Theme
from explorer.gui.widgets.pane import EmptyState, Pane
from explorer.gui.words import count, money

if TYPE_CHECKING:
    from explorer.models.stored_call import StoredCall


class CallsPane(Pane):
    """`refresh` shows the calls as they are now. `say` tells what could not be opened."""

    def __init__(
        self,
        source: CallsSource,
        run: IndexingRun,
        engine: Engine,
        theme: Theme,
        actions: ActionRegistry,
        say: Callable[[str], None],
    ) -> None:
        super().__init__("Calls")
        self._source, self._run, self._engine, self._theme, self._say = source, run, engine, theme, say
        self.dialog: CallDialog | None = None
        self.model = CallsModel(theme, source.fetch, self)
        self.table = table = plain_table("Calls to a language model")
        table.setModel(self.model)
        table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        table.setTextElideMode(Qt.TextElideMode.ElideRight)
        for at, width in enumerate((8, 9, 16, 5, 5, 5, 4, 4)):
            table.setColumnWidth(at, theme.em * width)
        table.horizontalHeader().setSectionResizeMode(8, QHeaderView.ResizeMode.Stretch)
        table.activated.connect(lambda _index: self.open_call())
        table.selectionModel().currentChanged.connect(self._mind)
        self._stack = QStackedWidget()
        self._stack.addWidget(table)
        self._nothing = EmptyState(source.sentence)
        self._stack.addWidget(self._nothing)
        self.body.addWidget(self._stack)
        self._actions = actions
        for id in ("calls.open", "calls.retry", "calls.retry_all"):
            self.add_link(actions.get(id))
        run.state_changed.connect(lambda _state: self.refresh())
        self.refresh()

    @property
    def chosen(self) -> CallSettled | None:
        """The call of the current row."""
        row = self.table.currentIndex().row()
        return self.model.rows[row] if 0 <= row < len(self.model.rows) else None

    def refresh(self) -> None:
        """Read the log again: counts and rows."""
        chosen = self.chosen
        log = self._source.log
        if self.model.refresh(log) and chosen is not None:
            row = self.model.row_of(chosen.key)
            if row >= 0:
                self.table.setCurrentIndex(self.model.index(row, 0))
        self._nothing.set_text(self._source.sentence)
        self._stack.setCurrentIndex(0 if self.model.rows else 1)
        total = log.total
        fates = [f"{log.fates[fate]:,} {fate_words(fate)}" for fate in log.fates if fate != "ok" and log.fates[fate]]
        retries = [count(log.retries, "retry", "retries")] if log.retries else []
        tokens = [f"{total.tokens:,} tokens", money(total.cost)] if total.calls > total.cached else []
        more = []
        if isinstance(log, KeptLog):
            if log.again.tokens:
                more = [f"{money(log.again.cost)} of it for {count(log.again.calls, 'call')} made again since"]
        elif total.calls > len(self.model.rows):
            more = [f"the newest {len(self.model.rows):,} are shown"]
        words = [count(total.calls, "call"), *fates, *retries, *tokens, *more]
        self.set_figure(" · ".join(words) if total.calls else "")
        self._mind()

    def open_call(self) -> None:
        """Open the chosen call; it is read off the GUI thread."""
        call, source = self.chosen, self._source
        if call is None:
            return
        if not call.key:
            self._say("This call was never sent, so that nothing of it was kept.")
            return

        def work(_sink: EventSink, _scope: CancelScope) -> Any:
            return source.open_call(call.key)

        self._engine.run(work, name="Opening a call", quiet=True, on_done=self._show, on_error=self._say)

    def retry_call(self) -> None:
        """Make the chosen call again, and nothing else that failed."""
        if self.chosen is not None and self.chosen.key:
            self._source.retry(frozenset({self.chosen.key}))

    def _show(self, call: StoredCall | None) -> None:
        if call is None:
            self._say("The call is not in the call store: the run may have been started anew.")
            return
        source = self._source
        again = (lambda: source.retry(frozenset({call.key}))) if source.idle else None
        self.dialog = CallDialog(call, self._theme, self.window(), retry=again)
        self.dialog.finished.connect(self._forget)
        self.dialog.open()

    def _forget(self) -> None:
        if self.dialog is not None:
            self.dialog.deleteLater()
            self.dialog = None

    def _mind(self, *_: QModelIndex | QObject) -> None:
        """Which actions mean something now."""
        call, idle = self.chosen, self._source.idle
        self._actions.get("calls.open").setEnabled(call is not None)
        self._actions.get("calls.retry").setEnabled(
            idle and call is not None and call.fate in ("failed", "malformed") and bool(call.key)
        )
        self._actions.get("calls.retry_all").setEnabled(idle and self._source.log.total.lost > 0)
