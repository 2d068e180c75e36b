"""A push button that is an action of the registry: same text, same tip, enabled together."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton, QWidget


class ActionButton(QPushButton):
    """`role` is "" or "primary" or "link"; `text` takes the place of the action's own, longer one."""

    def __init__(self, action: QAction, role: str = "", text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._action, self._text = action, text
        if role:
            self.setProperty("role", role)
        self.clicked.connect(action.trigger)
        action.changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        action = self._action
        self.setText(self._text or action.text())
        self.setAccessibleName(action.text())
        self.setEnabled(action.isEnabled())
        keys = action.shortcut().toString()
        self.setToolTip(f"{action.toolTip()} ({keys})" if keys else action.toolTip())
