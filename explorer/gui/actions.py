"""The one registry of actions: menu, shortcuts, palette, help and tests read it and nothing else."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QKeySequence

CATEGORIES = ("File", "Go", "Index", "Communities", "Ask", "Connections", "View", "Help")


class ActionRegistry(QObject):
    """Every action of the program is a QAction made by `add`.

    `added` is emitted with each new action: the window adds it to itself, so that its shortcut works everywhere.
    """

    added = Signal(QAction)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._actions: dict[str, QAction] = {}

    def add(
        self,
        id: str,
        text: str,
        slot: Callable[[], object] | None = None,
        *,
        category: str,
        shortcut: str | QKeySequence | None = None,
        checkable: bool = False,
        tip: str = "",
    ) -> QAction:
        """Make an action and register it.

        `id` is "place.verb" and must be new; `text` is a short imperative; `category` is a menu of CATEGORIES;
        `slot` is called without arguments (of a checkable action read `isChecked`). Raises ValueError for a taken id.
        """
        if id in self._actions:
            raise ValueError(f"the action {id!r} is registered already")
        action = QAction(text, self)
        action.setObjectName(id)
        action.setProperty("category", category)
        action.setCheckable(checkable)
        action.setToolTip(tip or text)
        action.setStatusTip(tip or text)
        if shortcut is not None:
            action.setShortcut(QKeySequence(shortcut))
        if slot is not None:
            action.triggered.connect(lambda _checked=False: slot())
        self._actions[id] = action
        self.added.emit(action)
        return action

    def get(self, id: str) -> QAction:
        """The action of that id; KeyError where there is none."""
        return self._actions[id]

    def __contains__(self, id: str) -> bool:
        return id in self._actions

    def all(self) -> list[QAction]:
        """All actions, by category and then in the order of their registration."""
        order = {name: place for place, name in enumerate(CATEGORIES)}
        return sorted(self._actions.values(), key=lambda action: order.get(action.property("category"), 99))

    def categories(self) -> dict[str, list[QAction]]:
        """Actions by category, in the order of the menus."""
        grouped: dict[str, list[QAction]] = {}
        for action in self.all():
            grouped.setdefault(str(action.property("category")), []).append(action)
        return grouped
