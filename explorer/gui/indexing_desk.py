"""Who decides how a folder is indexed: at once where it costs nothing, else after its estimate and a yes. A folder of a
GraphRAG project is asked about too: its settings.yaml decides, unless the person wants our defaults."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from explorer.base.errors import InputError
from explorer.base.events import CapReached
from explorer.base.paths import resource, user_home_for
from explorer.gui.folder_settings import FolderSettings, folder_settings, may_have_settings
from explorer.gui.job import Job
from explorer.gui.preparing import Preparation
from explorer.gui.prompts_dialog import Desk, PromptsDialog

if TYPE_CHECKING:
    from explorer.gui.window import MainWindow
    from explorer.models.connection import Connection


class IndexingDesk(QObject):
    """Of one window: its run of indexing, what comes before it, and the actions about both."""

    def __init__(self, window: MainWindow, preparation: Preparation | None = None) -> None:
        super().__init__(window)
        self._window, self.run = window, window.indexing
        self._reading: Job | None = None  # the settings of the folder's project
        self.dialog: PromptsDialog | None = None
        self.preparation = preparation or Preparation(window.engine, self.run, parent=self)
        session = window.session
        self.run.key_of = lambda connection: session.keys.get(connection)
        self._register()
        self.run.state_changed.connect(self.mind)
        self.run.cap_reached.connect(self._tell_cap)
        self.preparation.changed.connect(self._mind_preparation)
        session.connection_changed.connect(self._change_connection)
        session.index_opened.connect(self._leave_question)

    def index_folder(self, folder: Path) -> None:
        """Index a folder, or go on with it, and show that. With a model its estimate comes first."""
        window, run = self._window, self.run
        window.show_place("documents")
        if run.running:
            going = run.folder.name if run.folder else "Another folder"
            window.fail(f"{going} is still being indexed; stop it or wait for its end, then open {folder.name} again.")
            return
        home = user_home_for(folder) if folder == resource("sample") else None
        try:
            connection = window.session.connection()
        except InputError as error:
            window.fail(f"{error.sentence} Nothing was begun.")
            return
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None
        if self._stood_still(folder, connection) and self._go_on(folder, home, connection):
            return
        if not may_have_settings(folder):
            self._begin(folder, home, connection, None)
            return
        job = window.engine.run(
            lambda sink, scope: folder_settings(folder, home), name=f"Reading settings of {folder.name}", quiet=True,
            on_done=lambda settings: self._begin(folder, home, connection, settings) if job is self._reading else None,
            on_error=window.fail,
        )  # fmt: skip
        self._reading = job

    def show_prompts(self) -> None:
        """Show the prompts that the project of the waiting folder offers."""
        prepared, window = self.preparation, self._window
        folder, home, settings = prepared.folder, prepared.home, prepared.settings
        if folder is None or settings is None:
            return
        now = [settings]

        def find() -> Sequence[Any]:
            now[0] = folder_settings(folder, home) or now[0]
            return now[0].offers

        desk = Desk(settings.taken.path.parent.name, settings.prompts, find)
        self.dialog = PromptsDialog(desk, window.theme, lambda: prepared.look_again(now[0]), window)
        self.dialog.show()

    def _begin(
        self, folder: Path, home: Path | None, connection: Connection | None, settings: FolderSettings | None
    ) -> None:
        self._reading = None
        if self.run.running:
            return
        if connection is None and settings is None:
            self.preparation.leave()
            self.run.start(folder, home)
        else:
            self.preparation.begin(folder, home, connection, settings)

    def _go_on(self, folder: Path, home: Path | None, connection: Connection | None) -> bool:
        if connection is not None:
            return self.run.go_on()
        self.preparation.leave()
        return self.run.start(folder, home, None, self.run.options)

    def index_again(self) -> None:
        """Index the folder of the open index, or the folder of the last run."""
        folder = self.folder_to_index()
        if folder is not None:
            self.index_folder(folder)

    def folder_to_index(self) -> Path | None:
        """The folder whose run did not end well, else that of the open index of ours, else that of the last run."""
        run, index = self.run, self._window.session.index
        if run.state in ("stopped", "failed") or index is None or index.foreign or index.folder is None:
            return run.folder
        return Path(index.folder)

    def mind(self, state: str) -> None:
        """Enable what means something in a state of the run."""
        get = self._window.registry.get
        get("index.pause").setEnabled(state == "running")
        get("index.resume").setEnabled(state == "paused")
        get("index.stop").setEnabled(state in ("running", "paused"))
        get("index.stop_now").setEnabled(state == "stopping" and self.run.order is not None)
        get("index.again").setEnabled(
            not self.run.running and not self.preparation.open and self.folder_to_index() is not None
        )
        self._mind_questions()

    def _stood_still(self, folder: Path, connection: object) -> bool:
        """Whether the run of this folder with this connection was begun and did not end well: its yes still holds."""
        run, order = self.run, self.run.order
        unfinished = run.state in ("stopped", "failed") and run.folder == folder
        if order is None:
            return unfinished and connection is None
        return unfinished and order.connection == connection and order.pilot is None

    def _register(self) -> None:
        add = self._window.registry.add
        prepared = self.preparation

        def calls(method: str) -> Callable[[], None]:
            return lambda: getattr(self._window.place("documents"), method)()

        for id, text, slot, tip in (
            ("index.stop_now", "Stop indexing now", self.run.abandon,
             "Do not wait for the calls in flight; what they bring is lost and may be charged"),
            ("index.start", "Start what was estimated", prepared.start, "Begin the run and its calls"),
            ("index.pilot", "Run a pilot of this folder", calls("run_pilot"),
             "Read a few text units first; what they cost is not paid again"),
            ("index.not_now", "Leave the folder for now", prepared.leave, "Begin nothing; nothing more is sent"),
            ("index.prompts", "Prompts of the project of this folder…", self.show_prompts,
             "What the prompts of its GraphRAG project would do here, and take them over"),
            ("index.retry_file", "Make the failed calls of this file again", calls("retry_file"),
             "The run goes on with these calls; everything else comes from the call store"),
            ("calls.open", "Open the call", calls("open_call"), "Its messages, its reply, what was repaired"),
            ("calls.retry", "Make the call again", calls("retry_call"), "This call alone; the other failed ones wait"),
            ("calls.retry_all", "Make all failed calls again", calls("retry_all"),
             "The run goes on with them; everything else comes from the call store"),
        ):  # fmt: skip
            add(id, text, slot, category="Index", tip=tip).setEnabled(False)

    def _mind_preparation(self) -> None:
        self.mind(self.run.state)

    def _mind_questions(self) -> None:
        get, prepared = self._window.registry.get, self.preparation
        ready = prepared.state == "ready"
        get("index.start").setEnabled(ready)
        get("index.pilot").setEnabled(ready and prepared.connection is not None)
        offered = prepared.settings is not None and bool(prepared.settings.offers)
        get("index.prompts").setEnabled(prepared.open and prepared.state != "piloting" and offered)
        get("index.not_now").setEnabled(prepared.open and prepared.state != "piloting")

    def _change_connection(self, _name: str) -> None:
        if not self.preparation.open:
            return
        try:
            self.preparation.change_connection(self._window.session.connection())
        except InputError as error:
            self._window.fail(error.sentence)

    def _leave_question(self, _index: object) -> None:
        """An index that is opened takes the page: a question about another folder is not asked behind it."""
        if self.preparation.state in ("estimating", "ready", "failed"):
            self.preparation.leave()

    def _tell_cap(self, event: CapReached) -> None:
        """A person who looks at another place must hear that the run waits."""
        window = self._window
        if window.current != "documents":
            window.messages.say(event.sentence, "notice", offers=(("Show", lambda: window.show_place("documents")),))
