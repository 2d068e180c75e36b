"""The token counts of an opened index's reports, made in the background: once its page is painted and nothing else
runs, in a process of low priority. Plans then look them up. Nobody has to wait for it, and it costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from explorer.base.cancel import CancelScope
from explorer.base.errors import ExplorerError
from explorer.base.events import EventSink
from explorer.gui.job import Job

if TYPE_CHECKING:
    from explorer.gui.window import MainWindow

LOOK_MS = 400
CALM = 4  # looks in a row at which nothing else runs
_LAST_TURN = 9

Runner = Callable[[Any, str, CancelScope], bool]
"""(index, tokenizer, scope) → whether counts were made."""


def _in_process(index: Any, tokenizer: str, scope: CancelScope) -> bool:
    from explorer.base.processes import run_in_process
    from explorer.planning.prime_counts import counts_missing, prime_counts

    if not counts_missing(index, tokenizer):  # type: ignore[arg-type]
        return False
    run_in_process(prime_counts, index.output, tokenizer, scope=scope)
    return True


class BackgroundCounts(QObject):
    """Watches a window. `runner` is the engine's own; tests give others."""

    ended = Signal(str)  # made | current | failed

    def __init__(self, window: MainWindow, *, runner: Runner = _in_process) -> None:
        super().__init__(window)
        self._window, self._runner = window, runner
        self._index: Any = None
        self._job: Job | None = None
        self._calm = 0
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self._look)
        window.session.index_opened.connect(self._take)
        window.session.index_closed.connect(self._leave)
        window.indexing.began.connect(self._leave)

    @property
    def waiting(self) -> bool:
        """Whether it waits for a calm moment, or works."""
        return self._timer.isActive() or self._job is not None

    def _take(self, index: Any) -> None:
        self._leave()
        self._index, self._calm = index, 0
        self._timer.start()

    def _leave(self) -> None:
        self._timer.stop()
        self._index = None
        if self._job is not None:
            self._job.cancel()
            self._job = None

    def _look(self) -> None:
        self._calm = 0 if self._window.engine.jobs else self._calm + 1
        if self._calm >= CALM:
            self._timer.stop()
            self._begin()

    def _begin(self) -> None:
        index, session = self._index, self._window.session

        def work(_sink: EventSink, scope: CancelScope) -> bool:
            from explorer.search.ask_model import model_defaults

            try:
                tokenizer = str(model_defaults(session.connection()).get("tokenizer", "cl100k_base"))
            except ExplorerError:
                tokenizer = "cl100k_base"  # the connection is gone; whoever uses it is told
            return self._runner(index, tokenizer, scope)

        self._job = job = self._window.engine.run(
            work, name="Counting the tokens of reports", quiet=True, turn=_LAST_TURN,
            on_done=lambda made: self._end(job, "made" if made else "current"),
            # Plans count for themselves where this could not: no word about it.
            on_error=lambda _sentence: self._end(job, "failed"),
        )  # fmt: skip

    def _end(self, job: Job, how: str) -> None:
        if job is self._job:
            self._job = None
            self.ended.emit(how)
