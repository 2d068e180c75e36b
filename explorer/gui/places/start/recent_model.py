"""The folders and indexes that were opened before; those that are gone are greyed, never silently dropped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QSize, Qt

from explorer.base.paths import HOME_NAME
from explorer.gui.preferences import Preferences
from explorer.gui.theme import Theme


class RecentModel(QAbstractListModel):
    """A row a path, the last opened first."""

    def __init__(self, preferences: Preferences, theme: Theme) -> None:
        super().__init__()
        self._preferences, self._theme = preferences, theme
        self._rows: list[tuple[Path, bool]] = []
        preferences.recent_changed.connect(self.reload)
        self.reload()

    def reload(self) -> None:
        """Read the list again and look which of the paths still stand."""
        self.beginResetModel()
        self._rows = [(path, path.exists()) for path in self._preferences.recent]
        self.endResetModel()

    def path(self, index: QModelIndex) -> Path | None:
        """The path of a row, or None for no row."""
        return self._rows[index.row()][0] if index.isValid() else None

    def rowCount(self, parent: QModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def flags(self, index: QModelIndex) -> Qt.ItemFlag:
        # A path that is gone can still be chosen: to take it off the list.
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable if index.isValid() else Qt.ItemFlag.NoItemFlags

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        path, there = self._rows[index.row()]
        words = f"{_name(path)}\n{_short(path.parent)}" + ("" if there else " · is gone")
        if role == Qt.ItemDataRole.DisplayRole:
            return words
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return f"{path}{'' if there else ' (is gone)'}"
        if role == Qt.ItemDataRole.ForegroundRole:
            return None if there else self._theme.colour("muted")
        if role == Qt.ItemDataRole.SizeHintRole:
            return QSize(0, round(self._theme.em * 2.7))
        return None


def _name(path: Path) -> str:
    # "output" names half of all indexes: the project above it says which one.
    own = [part for part in path.parts if part not in ("output", HOME_NAME)]
    return own[-1] if own else path.name


def _short(path: Path) -> str:
    try:
        return f"~/{path.relative_to(Path.home())}"
    except ValueError:
        return str(path)
