"""What the window remembers between two starts: colour scheme, size, recent folders. One readable INI file."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes

import platformdirs
from PySide6.QtCore import QByteArray, QObject, QSettings, Signal

_RECENT_MAX = 12
_BYTES = "bytes:"  # before a path whose bytes are no UTF-8; no absolute path begins so


class Preferences(QObject):
    """Reads and writes `window.ini` in the user's configuration directory, or at `path`."""

    recent_changed = Signal()

    def __init__(self, path: Path | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        if path is None:
            folder = platformdirs.user_config_dir("graphrag-explorer", appauthor=False, ensure_exists=True)
            path = Path(folder) / "window.ini"
        self._settings = QSettings(str(path), QSettings.Format.IniFormat, self)

    @property
    def scheme(self) -> str:
        """ "light", "dark" or "system" (also where the file says something else)."""
        value = str(self._settings.value("window/scheme", "system"))
        return value if value in ("light", "dark") else "system"

    def set_scheme(self, scheme: str) -> None:
        self._settings.setValue("window/scheme", scheme)

    @property
    def connection(self) -> str:
        """The name of the connection that was in use last; it may be gone by now."""
        return str(self._settings.value("models/connection", "offline") or "offline")

    def set_connection(self, name: str) -> None:
        self._settings.setValue("models/connection", name)

    @property
    def geometry(self) -> QByteArray | None:
        value = self._settings.value("window/geometry")
        return value if isinstance(value, QByteArray) and not value.isEmpty() else None

    def set_geometry(self, geometry: QByteArray) -> None:
        self._settings.setValue("window/geometry", geometry)

    @property
    def recent(self) -> list[Path]:
        """Folders and indexes that were opened, the last one first; some may be gone by now."""
        value = self._settings.value("recent/paths", [])
        names = [value] if isinstance(value, str) else list(value or [])
        return [_path(str(name)) for name in names]

    def remember(self, path: Path) -> None:
        """Put a path at the top of the recent ones."""
        path = path.expanduser().absolute()
        self._store([path, *(other for other in self.recent if other != path)][:_RECENT_MAX])

    def forget(self, path: Path) -> None:
        """Take a path off the recent ones."""
        self._store([other for other in self.recent if other != path])

    def sync(self) -> None:
        """Write the file now."""
        self._settings.sync()

    def _store(self, paths: list[Path]) -> None:
        self._settings.setValue("recent/paths", [_kept(path) for path in paths])
        self.recent_changed.emit()


def _kept(path: Path) -> str:
    """A path as the file keeps it: Qt's texts lose a byte that is no UTF-8, which is written as %FF."""
    text = str(path)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return _BYTES + quote(os.fsencode(path))
    return text


def _path(kept: str) -> Path:
    return Path(os.fsdecode(unquote_to_bytes(kept.removeprefix(_BYTES)))) if kept.startswith(_BYTES) else Path(kept)
