"""What the command palette lists: actions and places in the index, ranked by how well their words fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, Qt
from PySide6.QtGui import QAction

from explorer.gui.loading import Target

LIMIT = 80


@dataclass(frozen=True)
class Entry:
    """One line: what it is called, a word about it, the keys; `action` or `target` is what choosing it does."""

    title: str
    detail: str
    keys: str = ""
    action: QAction | None = None
    target: Target | None = None

    @property
    def enabled(self) -> bool:
        return self.action is None or self.action.isEnabled()


def fit(query: str, text: str) -> int | None:
    """How well casefolded `text` fits casefolded `query`: 0 begins with it, 1 a word begins with it, 2 it is inside,
    3 all its words are inside; None not at all."""
    if not query or text.startswith(query):
        return 0
    if f" {query}" in text:
        return 1
    if query in text:
        return 2
    return 3 if all(word in text for word in query.split()) else None


def search(query: str, actions: Sequence[QAction], targets: Sequence[Target], commands_only: bool) -> list[Entry]:
    """The best LIMIT entries. Actions and targets are ranked together; at equal rank actions come first, then the
    order of the registry and of the index. With an empty query the actions, then the reports."""
    wanted = " ".join(query.casefold().split())
    ranked: list[tuple[int, int, int, Entry]] = []
    for position, action in enumerate(actions):
        category = str(action.property("category") or "")
        rank = fit(wanted, action.text().casefold())
        if rank is None and fit(wanted, f"{category} {action.text()}".casefold()) is not None:
            rank = 3
        if rank is not None:
            entry = Entry(action.text(), category, action.shortcut().toString(), action=action)
            ranked.append((rank, 0, position, entry))
    if not commands_only:
        found = 0
        for position, target in enumerate(targets):
            rank = fit(wanted, target.folded)
            if rank is not None:
                found += 1
                if found > 20 * LIMIT:
                    break  # the words fit nearly everything: more of it would not be looked at
                ranked.append((rank, 1, position, Entry(target.title, target.detail, target.kind, target=target)))
    ranked.sort(key=lambda item: item[:3])
    return [entry for *_, entry in ranked[:LIMIT]]


class PaletteModel(QAbstractListModel):
    """The entries of one search."""

    def __init__(self) -> None:
        super().__init__()
        self._entries: list[Entry] = []

    def set_entries(self, entries: list[Entry]) -> None:
        self.beginResetModel()
        self._entries = entries
        self.endResetModel()

    def entry(self, row: int) -> Entry:
        return self._entries[row]

    def rowCount(self, parent: QModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        entry = self._entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.title
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            words = (entry.title, entry.detail, entry.keys, "" if entry.enabled else "not possible now")
            return ", ".join(word for word in words if word)
        return entry if role == Qt.ItemDataRole.UserRole else None

    def flags(self, index: QModelIndex) -> Qt.ItemFlag:
        if not index.isValid() or not self._entries[index.row()].enabled:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
