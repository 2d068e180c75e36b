"""Pictures of every place, as they look once all they wait for has come. For the README, tests and review."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QBuffer, QEventLoop, QIODevice, Qt, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from explorer.base.errors import ExplorerError
from explorer.base.events import EventSink, StageFinished, StageProgress, StageStarted, ignore
from explorer.base.files import write_atomic
from explorer.gui.app import create_application, make_window
from explorer.gui.known_places import PLACES
from explorer.gui.preferences import Preferences
from explorer.gui.window import MainWindow

PATIENCE = 180.0
_QUIET = 0.25  # seconds without a running job or an unsettled place before a picture is taken


class NotSettled(ExplorerError):
    """A place waited too long for what it shows."""


def take_screenshots(
    path: Path, out: Path, *, scheme: str = "light", size: tuple[int, int] = (1280, 800), sink: EventSink = ignore
) -> list[Path]:
    """Open the index at `path` and write `<place>-<scheme>.png` for every place into `out`; returns the files.

    `size` is in device-independent pixels: with QT_SCALE_FACTOR the pictures are larger by that factor. Raises
    ExplorerError where the index cannot be opened, a place does not settle, or a file cannot be written.
    """
    before = qInstallMessageHandler(_say)
    try:
        return _take(path, out, scheme, size, sink)
    finally:
        qInstallMessageHandler(before)


def _say(kind: QtMsgType, _where: object, message: str) -> None:
    """Qt's own remarks, but for one that the platform without a screen makes about every window."""
    if "propagateSizeHints" not in message:
        sys.stderr.write(f"{message}\n")


def _take(path: Path, out: Path, scheme: str, size: tuple[int, int], sink: EventSink) -> list[Path]:
    app = create_application()
    preferences = Preferences(out / ".window.ini")  # nothing of the user's own is read or written
    window = make_window(app, scheme=scheme, preferences=preferences)
    window.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen, app.platformName() != "offscreen")
    failures: list[str] = []
    window.session.failed.connect(failures.append)
    window.session.folder_wanted.disconnect()
    window.session.folder_wanted.connect(lambda folder: failures.append(f"{folder} has no index yet; index it first."))
    try:
        window.resize(*size)
        window.show_place("start")
        window.show()
        window.open_path(path)
        _wait(app, lambda: bool(failures) or window.session.index is not None, "the index")
        if window.session.index is None:
            raise ExplorerError(failures[0])
        window.messages.clear()
        sink(StageStarted("screenshots", len(PLACES)))
        written = []
        for done, name in enumerate(PLACES, start=1):
            written.append(_picture(app, window, name, out / f"{name}-{scheme}.png"))
            sink(StageProgress("screenshots", done, len(PLACES)))
        sink(StageFinished("screenshots", 0.0, {"pictures": len(written)}))
        return written
    finally:
        for job in window.engine.jobs:
            job.cancel()
        window.engine.stop(5.0)
        window.close()
        window.deleteLater()
        app.sendPostedEvents()
        (out / ".window.ini").unlink(missing_ok=True)


def _picture(app: QApplication, window: MainWindow, name: str, target: Path) -> Path:
    place = window.place(name)
    window.show_place(name)
    place.prepare_screenshot()
    _wait(app, lambda: place.settled and not window.engine.jobs, place.title)
    window.messages.clear()
    app.processEvents()
    image = window.grab().toImage()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    write_atomic(target, lambda part: _write(part, bytes(buffer.data().data())))
    return target


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def _wait(app: QApplication, ready: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE
    still_since: float | None = None
    while time.monotonic() < end:
        app.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 30)
        if not ready():
            still_since = None
        elif still_since is None:
            still_since = time.monotonic()
        elif time.monotonic() - still_since > _QUIET:
            return
        time.sleep(0.005)
    raise NotSettled(f"{what} was not ready after {PATIENCE:.0f} s; no picture of it was made. Try a smaller index.")
