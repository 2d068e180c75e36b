"""Which calls the window shows: those of its run, or those that stand in the call store of the index that is open."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from explorer.base.cancel import CancelScope
from explorer.base.events import CallSettled
from explorer.base.paths import HOME_NAME
from explorer.gui.calls_log import CallsLog
from explorer.gui.engine import Engine
from explorer.gui.indexing import IndexingRun
from explorer.gui.indexing_job import Order
from explorer.gui.job import Job
from explorer.gui.kept_log import KeptLog, add_page, open_kept, read_log, read_page
from explorer.gui.session import Session

if TYPE_CHECKING:
    from explorer.gui.preparing import Preparation

TURN = 4  # after the page, the files and what has changed in them
_READING = "Reading the call store of this index …"
_NONE = "No call was made yet. Calls to a language model are listed here as they come, those that gave nothing first."
_OTHERS = (
    "The connection, the prompts or the settings are not those that made this index, so that more than the failed "
    "calls would be made and paid: this is what a whole run takes. Nothing is sent before you say so."
)
_NO_FOLDER = "Where the documents of this index are is not known: open their folder, then make the calls again."
_CHANGED = (
    "Files of this folder have changed since it was indexed, so that more than the failed calls would be made and "
    "paid: this is what a whole run takes. Nothing is sent before you say so."
)


class CallsSource(QObject):
    """`changed` says that other calls are shown, `grown` that more of them are read. Reads on worker threads only."""

    changed = Signal()
    grown = Signal()

    def __init__(self, session: Session, engine: Engine, run: IndexingRun, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._engine, self._run = session, engine, run
        self.preparation: Preparation | None = None
        self.kept = KeptLog()
        self._of_run = run.running or run.order is not None  # whether the calls of the run are shown
        self._job: Job | None = None
        self._asking: Job | None = None
        session.index_opened.connect(self._take)
        session.index_closed.connect(self._leave)
        run.began.connect(self._follow)
        run.state_changed.connect(self._mind)
        run.charged_later.connect(self._again)
        if session.index is not None:
            self._take(session.index)

    @property
    def log(self) -> CallsLog:
        """The calls to show."""
        return self._run.calls if self._of_run else self.kept

    @property
    def of_store(self) -> bool:
        """Whether they are those of the index's store."""
        return not self._of_run

    @property
    def has_calls(self) -> bool:
        """Whether a language model made calls, or is about to."""
        return self._run.order is not None if self._of_run else self.kept.total.calls > 0

    @property
    def sentence(self) -> str:
        """Why there is no call to show."""
        if self._of_run:
            return _NONE
        return _READING if self._job is not None and not self.kept.sentence else self.kept.sentence or _NONE

    @property
    def idle(self) -> bool:
        """Whether calls that gave nothing could be made again now."""
        return not self._run.running and self._asking is None and self.has_calls

    def fetch(self) -> None:
        """Read the next calls of the store; `grown` follows."""
        kept = self.kept
        if self._of_run or self._job is not None or not kept.more:
            return
        self._job = self._engine.run(
            lambda _sink, _scope: read_page(kept), name="Reading calls", quiet=True,
            on_done=lambda page: self._add(kept, page), on_error=self._fail, on_cancelled=self._forget,
        )  # fmt: skip

    def open_call(self, key: str) -> Any:
        """Work for a worker thread: everything of one call, None where the store has none. Raises StorageError."""
        if self._of_run:
            from explorer.indexing.home import choose_home

            folder, home = self._run.folder, self._run.home
            return None if folder is None else open_kept(home or choose_home(folder)[0], key)
        return open_kept(self.kept.index.home, key)

    def retry(self, keys: frozenset[str] | None) -> None:
        """Make calls again that gave nothing: those of the keys, or all. For an index of an earlier day that is a run
        with the connection that the index remembers; where it would be more than that, its estimate comes first."""
        if self._of_run:
            self._run.retry(keys)
            return
        index = self.kept.index
        if not self.idle or index is None:
            return
        self._asking = self._engine.run(
            lambda _sink, scope: _who(index, scope), name="Looking for the connection of the index", quiet=True,
            on_done=lambda found: self._retry_with(index, keys, *found), on_error=self._refuse,
            on_cancelled=self._asked,
        )  # fmt: skip
        self.changed.emit()

    def _retry_with(self, index: Any, keys: frozenset[str] | None, again: Any, settings: Any, moved: bool) -> None:
        self._asked()
        if again.sentence:
            self._session.failed.emit(again.sentence)
            return
        if index is not self._session.index or self._run.running:
            return
        if index.folder is None:
            self._session.failed.emit(_NO_FOLDER)
            return
        folder = Path(index.folder)
        home = None if Path(index.home) == folder / HOME_NAME else Path(index.home)
        if again.options is not None and not moved:
            self._run.start(folder, home, Order(again.connection, retry=keys), again.options)
        elif self.preparation is not None:
            self._session.notice.emit(_CHANGED if moved and again.options is not None else _OTHERS)
            self.preparation.begin(folder, home, again.connection, settings)

    def _take(self, index: Any) -> None:
        if self._run.running:
            return
        run, folder = self._run, index.folder
        self._of_run = (
            run.order is not None and run.calls.total.calls > 0 and folder is not None and Path(folder) == run.folder
        )
        self.kept = KeptLog(index=index)
        self._read(index)
        self.changed.emit()

    def _read(self, index: Any) -> None:
        """Read the store unless the calls of the run are shown; what was read before stands until then."""
        self._drop()
        if not self._of_run:
            self._job = self._engine.run(
                lambda _sink, scope: read_log(index, scope), name="Reading the call store", quiet=True, turn=TURN,
                on_done=self._put, on_error=self._fail, on_cancelled=self._forget,
            )  # fmt: skip

    def _put(self, log: KeptLog) -> None:
        self._job = None
        if log.index is self._session.index:
            self.kept = log
            self.changed.emit()

    def _add(self, kept: KeptLog, page: list[CallSettled]) -> None:
        self._job = None
        if kept is self.kept:
            add_page(kept, page)
            self.grown.emit()

    def _fail(self, sentence: str) -> None:
        self._job = None
        self.kept.sentence = sentence
        self.changed.emit()

    def _forget(self) -> None:
        self._job = None

    def _refuse(self, sentence: str) -> None:
        self._asked()
        self._session.failed.emit(sentence)

    def _asked(self) -> None:
        self._asking = None
        self.changed.emit()

    def _follow(self, _folder: Path) -> None:
        """A run begins: what it makes is counted from 0, and what the store had stands aside."""
        self._of_run = True
        self._drop()
        self.changed.emit()

    def _mind(self, _state: str) -> None:
        """A run that ended before its first call leaves the calls of the store in sight."""
        run, index = self._run, self._session.index
        if run.running or not self._of_run or run.order is None or run.calls.total.calls or index is None:
            return
        if self.kept.index is index and self.kept.total.calls:
            self._of_run = False
            self.changed.emit()

    def _again(self, home: Path) -> None:
        """Calls may have been made for an index after its run: its bill and its store may have more now."""
        index = self._session.index
        if index is None or Path(index.home) != home:
            return
        if not self._of_run and self.kept.index is index:
            self._read(index)
        self.changed.emit()

    def _leave(self) -> None:
        self._drop()
        self.kept = KeptLog()
        self._of_run = self._run.running or self._run.order is not None
        self.changed.emit()

    def _drop(self) -> None:
        if self._job is not None:
            self._job.on_done = self._job.on_error = self._job.on_cancelled = None
            self._job.cancel()
            self._job = None


def _who(index: Any, scope: CancelScope) -> tuple[Any, Any, bool]:
    """Who would make the calls again, the settings of the folder's project, and whether files have changed."""
    from explorer.gui.folder_settings import folder_settings, may_have_settings
    from explorer.gui.places.documents.opened import changes_now
    from explorer.indexing.again import who_again

    folder = None if index.folder is None else Path(index.folder)
    settings = folder_settings(folder, index.home) if folder is not None and may_have_settings(folder) else None
    options = settings.options if settings is not None else None
    again = who_again(index, () if options is None else (options,))
    return again, settings, not again.sentence and bool(changes_now(index, scope))
