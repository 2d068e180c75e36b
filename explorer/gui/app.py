"""Making the application and opening its window."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication

from explorer.base.errors import ExplorerError
from explorer.gui.actions import ActionRegistry
from explorer.gui.counts_job import BackgroundCounts
from explorer.gui.engine import Engine
from explorer.gui.outlined import is_large_at
from explorer.gui.preferences import Preferences
from explorer.gui.session import Session
from explorer.gui.theme import Theme
from explorer.gui.vectors_job import BackgroundVectors
from explorer.gui.window import MainWindow

SWITCH_SECONDS = 0.001
_COLLECT_MS = 100
_MANY = 25_000  # objects; looking through four times as many took 90 ms


def create_application(argv: Sequence[str] = ("graphrag-explorer",)) -> QApplication:
    """The one QApplication, named and with its icon.

    Raises ExplorerError where there is no screen: Qt would end the process without a word that helps.
    """
    running = QApplication.instance()
    if isinstance(running, QApplication):
        return running
    if not has_screen():
        raise ExplorerError(
            "There is no screen here (neither DISPLAY nor WAYLAND_DISPLAY is set); nothing was changed. Start it on a "
            "desktop, or use the commands index, ask and export in this terminal."
        )
    app = QApplication(list(argv))
    app.setOrganizationName("graphrag-explorer")
    app.setApplicationName("graphrag-explorer")
    app.setApplicationDisplayName("GraphRAG Explorer")
    app.setDesktopFileName("graphrag-explorer")
    from PySide6.QtGui import QIcon

    from explorer.base.paths import resource

    app.setWindowIcon(QIcon(str(resource("icons", "program.svg"))))
    return app


def has_screen() -> bool:
    """Whether Qt can open a window: always on Windows and macOS, elsewhere where a display or a platform is named."""
    if sys.platform in ("win32", "darwin"):
        return True
    return any(os.environ.get(name) for name in ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"))


def make_window(app: QApplication, *, scheme: str | None = None, preferences: Preferences | None = None) -> MainWindow:
    """A window with all that it needs, not shown yet. `scheme` takes the place of the remembered one."""
    preferences = preferences or Preferences()
    theme = Theme(app)
    theme.scheme = scheme or preferences.scheme
    theme.apply(app)
    engine = Engine()
    session = Session(engine)
    window = MainWindow(session, engine, theme, ActionRegistry(), preferences=preferences)
    for owned in (theme, engine, session, preferences, window.registry):
        owned.setParent(window)
    return window


def run(path: Path | None = None, *, sample: bool = False) -> int:
    """Open the window, on a path or on the bundled sample, and return when it is closed: the exit code.

    Raises ExplorerError where there is no screen.
    """
    app = create_application()
    sys.setswitchinterval(SWITCH_SECONDS)  # a thread that computes hands over to the window five times as soon
    window = make_window(app)
    BackgroundVectors(window)
    BackgroundCounts(window)
    keeper = GarbageKeeper(window, lambda: window.engine.jobs)
    window.session.index_opened.connect(keeper.freeze)
    sys.excepthook = _hook(window)
    for number in (signal.SIGINT, signal.SIGTERM):
        # From the event loop: asked to end before the window is shown, it would be shown after it was closed.
        signal.signal(number, lambda *_: QTimer.singleShot(0, window, window.close))
    window.show_place("start")
    window.show()
    QTimer.singleShot(0, window, lambda: _begin(window, path, sample))
    try:
        return app.exec()
    finally:
        sys.excepthook = sys.__excepthook__
        keeper.stop()


def _begin(window: MainWindow, path: Path | None, sample: bool) -> None:
    """Import what jobs need, then open; but the communities of a large index are shown before all else."""

    def then() -> None:
        window.look_for_servers()
        if path is not None:
            window.open_path(path)
        elif sample:
            window.open_sample()

    def choose(large: bool) -> None:
        if large and path is not None:
            window.session.outline_opened.connect(
                lambda _outline: window.warm_up(window.look_for_servers, turn=0), Qt.ConnectionType.SingleShotConnection
            )
            window.open_path(path)
        else:
            window.warm_up(then)

    window.engine.prepare(4)
    if path is None:
        window.warm_up(then)
    else:
        window.engine.run(lambda _sink, _scope: is_large_at(path), name="Starting", quiet=True, on_done=choose)


class GarbageKeeper(QObject):
    """Python's collector of reference cycles, run on the GUI thread only and in small steps.

    Left to itself it runs on whatever thread allocates: it could destroy a widget on a worker thread, and a full pass
    over the rows of a large index would hold the window.
    """

    def __init__(self, parent: QObject, busy: Callable[[], object] = list) -> None:
        super().__init__(parent)
        self._busy = busy
        gc.disable()
        self._turn = 0
        self._timer = QTimer(self)
        self._timer.setInterval(_COLLECT_MS)
        self._timer.timeout.connect(self._collect)
        self._timer.start()

    def freeze(self) -> None:
        """Take everything that stands now out of the collector's sight: the rows of an index hold no cycles."""
        gc.freeze()

    def stop(self) -> None:
        self._timer.stop()
        gc.enable()

    def _collect(self) -> None:
        """The youngest objects ten times a second, so that there are few of them even while a table is read; older
        ones seldom, and only while nothing runs. Where those are very many they are rows again: out of sight."""
        self._turn += 1
        old = (2 if self._turn % 3000 == 0 else 1 if self._turn % 200 == 0 else 0) if not self._busy() else 0
        if old and any(len(gc.get_objects(generation=age)) > _MANY for age in range(1, old + 1)):
            self.freeze()
        gc.collect(old)


def _hook(window: MainWindow) -> Callable[[type[BaseException], BaseException, TracebackType | None], None]:
    """An exception in a slot would only be printed: say it in the window as well."""

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        sys.__excepthook__(kind, error, trace)
        window.fail(f"A fault of the program ({kind.__name__}: {error}); what is on disk is kept. Try that again.")

    return hook
