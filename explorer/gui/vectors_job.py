"""The vectors of an opened index, made in the background: after its first page is painted, in a process of its own.

Nothing is paid without a yes: a connection makes vectors by itself only for an index that was made here just now,
whose bill was known before it began. Else the window asks, as it does where vectors of another model are there.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from explorer.base.cancel import CancelScope
from explorer.base.events import Event, EventSink, Notice
from explorer.gui.job import Job
from explorer.gui.words import count

if TYPE_CHECKING:
    from explorer.gui.window import MainWindow
    from explorer.models.connection import Connection

LOOK_MS = 300
CALM = 3  # looks in a row at which nothing else runs: the page is painted, a person looks at it
_LAST_TURN = 9

Runner = Callable[[Path, Any, "str | None", bool, EventSink, CancelScope], Any]


def _in_process(
    home: Path, connection: Connection | None, key: str | None, renew: bool, sink: EventSink, scope: CancelScope
) -> Any:
    from explorer.base.jobs import run_job
    from explorer.gui.vectors_child import vectors_in_child

    return run_job(vectors_in_child, home, connection, key, renew, sink=sink, scope=scope)


def _settle(home: Path) -> Any:
    from explorer.planning.late_vectors import bill_with_vectors

    return bill_with_vectors(home)


def _plan(index: Any) -> Any:
    from explorer.gui.vectors_child import plan_vectors

    return plan_vectors(index)


class BackgroundVectors(QObject):
    """Watches a window: makes the vectors of what is opened, steps aside while a folder is indexed.

    `planner(index)` and `runner(home, connection, key, renew, sink, scope)` are the engine's own; tests give others.
    """

    ended = Signal(str)  # made | current | asked | unable | stopped | failed

    def __init__(
        self,
        window: MainWindow,
        *,
        planner: Callable[[Any], Any] = _plan,
        runner: Runner = _in_process,
        biller: Callable[[Path], Any] = _settle,
    ) -> None:
        super().__init__(window)
        self._window, self._planner, self._runner, self._biller = window, planner, runner, biller
        self._index: Any = None
        self._job: Job | None = None
        self._just_made: Path | None = None  # the folder that was indexed here just now
        self._wanted = False  # a person asked for them
        self._told: set[str] = set()
        self._question = ""  # the sentence that stands above the page and waits for a yes
        self._calm = 0
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self._look)
        session, indexing = window.session, window.indexing
        session.index_opened.connect(self._take)
        session.index_closed.connect(self._leave)
        indexing.began.connect(self._step_aside)
        indexing.finished.connect(self._mark)
        window.registry.add(
            "index.vectors", "Make the vectors of this index", self.want, category="Index",
            tip="Vectors let questions find what is alike; what has not changed is kept",
        ).setEnabled(False)  # fmt: skip

    @property
    def waiting(self) -> bool:
        """Whether it waits for a calm moment, or works."""
        return self._timer.isActive() or self._job is not None

    def want(self) -> None:
        """Make the vectors of the open index now, whoever has to be paid for it."""
        if self._index is not None and self._job is None:
            self._timer.stop()
            self._wanted = True
            self._begin()

    def _take(self, index: Any) -> None:
        self._leave()
        ours = not index.foreign and index.info is not None
        self._window.registry.get("index.vectors").setEnabled(ours)
        if ours:
            self._index, self._calm = index, 0
            self._timer.start()

    def _leave(self) -> None:
        self._timer.stop()
        self._settle_question()
        self._index, self._wanted = None, False
        self._window.registry.get("index.vectors").setEnabled(False)
        if self._job is not None:
            self._job.cancel()
            self._job = None

    def _mark(self, folder: Path) -> None:
        self._just_made = folder

    def _step_aside(self) -> None:
        """A folder is indexed now, perhaps this one: that comes first. What is done is kept."""
        if self._job is not None:
            self._job.cancel()
            self._job = None
        if self._index is not None:
            self._calm = 0
            self._timer.start()

    def _look(self) -> None:
        window = self._window
        busy = window.indexing.running or window.session.opening or window.session.laying or window.engine.jobs
        self._calm = 0 if busy else self._calm + 1
        if self._calm >= CALM:
            self._timer.stop()
            self._begin()

    def _begin(self) -> None:
        index = self._index
        self._job = self._window.engine.run(
            lambda _sink, _scope: self._planner(index), name="Vectors", quiet=True, turn=_LAST_TURN,
            on_done=lambda plan: self._follow(index, plan), on_error=self._fail,
        )  # fmt: skip

    def _follow(self, index: Any, plan: Any) -> None:
        if index is not self._index:
            return
        self._job = None
        if plan.sentence:
            self._tell(plan.sentence)
            self.ended.emit("unable")
        elif plan.state.state == "current":
            if self._wanted:
                self._window.say(plan.state.sentence)
            self._bill(index, plan.connection, made=False)
            self.ended.emit("current")
        elif plan.state.state == "other_model":
            self._ask(f"{plan.state.sentence} {self._who(plan)}", "Make them anew", plan.connection, renew=True)
        elif plan.connection is None or self._wanted or self._is_new(index):
            self._make(plan.connection, renew=False)
        else:
            self._ask(f"{plan.state.sentence} {self._who(plan)}", "Make them", plan.connection, renew=False)

    def _who(self, plan: Any) -> str:
        texts = count(plan.state.texts if plan.state.state == "other_model" else plan.state.to_embed, "text")
        if plan.connection is None:
            return f"The offline model would make those of {texts}."
        return f"{plan.connection.name} would be sent {texts} for {plan.model}, and may charge for it."

    def _is_new(self, index: Any) -> bool:
        return self._just_made is not None and index.folder is not None and Path(index.folder) == self._just_made

    def _ask(self, sentence: str, word: str, connection: Connection | None, *, renew: bool) -> None:
        index = self._index

        def yes() -> None:
            if index is self._index and self._job is None:
                self._make(connection, renew=renew)

        self._question = sentence
        self._window.messages.say(sentence, "notice", offers=((word, yes),))
        self.ended.emit("asked")

    def _settle_question(self) -> None:
        """Take away a question that has been answered, or whose index is closed."""
        for message in self._window.messages.messages():
            if self._question and message.sentence == self._question:
                message.dismiss()
        self._question = ""

    def _make(self, connection: Connection | None, *, renew: bool) -> None:
        self._settle_question()
        index, keys = self._index, self._window.session.keys

        def work(sink: EventSink, scope: CancelScope) -> Any:
            key = keys.get(connection) if connection is not None else None
            return self._runner(index.home, connection, key, renew, sink, scope)

        def hear(events: list[Event]) -> None:
            for event in events:
                if isinstance(event, Notice):
                    self._tell(event.sentence)
            if index.folder is not None:
                self._window.indexing.hear_later(Path(index.folder), events)

        def stopped() -> None:
            self._charged(index)
            self._stopped()

        def failed(sentence: str) -> None:
            self._charged(index)
            self._fail(sentence)

        self._job = self._window.engine.run(
            work, name="Vectors", on_batch=hear, on_error=failed, on_cancelled=stopped,
            on_done=lambda result: self._made(index, connection, result),
        )  # fmt: skip

    def _made(self, index: Any, connection: Connection | None, result: Any) -> None:
        question = getattr(result, "question", "")
        if not question:
            self._bill(index, connection)
        if index is not self._index:
            return
        self._job = None
        if question:
            self._ask(question, "Make them anew", connection, renew=True)
        else:
            self.ended.emit("made")

    def _bill(self, index: Any, connection: Connection | None, *, made: bool = True) -> None:
        """The vectors are whole, `made` now or before: a bill that waits for them takes them in."""

        def told(bill: Any) -> None:
            if bill is not None:
                self._window.say(bill.sentence)
            if made or bill is not None:
                self._charged(index)

        if connection is not None:
            self._window.engine.run(
                lambda _sink, _scope: self._biller(Path(index.home)), name="The bill", quiet=True,
                on_done=told, on_error=self._window.say,
            )  # fmt: skip

    def _charged(self, index: Any) -> None:
        self._window.indexing.charged_later.emit(Path(index.home))

    def _stopped(self) -> None:
        self._job = None
        self.ended.emit("stopped")

    def _fail(self, sentence: str) -> None:
        self._job = None
        self._tell(sentence)
        self.ended.emit("failed")

    def _tell(self, sentence: str) -> None:
        """A sentence once a session, however often indexes are opened."""
        if sentence not in self._told or self._wanted:
            self._told.add(sentence)
            self._window.say(sentence)
