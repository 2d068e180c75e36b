"""The rail at the left: one button a place, its icon above its name, and the menu at the foot."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QFrame, QMenu, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from explorer.gui.actions import ActionRegistry
from explorer.gui.icons import icon
from explorer.gui.theme import Theme


class Rail(QFrame):
    """`add` a place's action (checkable); `set_current` says which one is shown."""

    def __init__(self, registry: ActionRegistry, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("Rail")
        self._registry, self._theme = registry, theme
        self._group = QActionGroup(self)
        self._buttons: dict[str, tuple[QToolButton, str]] = {}
        em = theme.em
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(round(em * 0.35), round(em * 0.9), round(em * 0.35), round(em * 0.5))
        self._column.setSpacing(round(em * 0.35))
        self._column.addStretch(1)
        self.menu = QMenu(self)
        self.menu.aboutToShow.connect(self._fill)
        menu = self._button("menu", "Menu", "menu")
        menu.setMenu(self.menu)
        menu.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu.setStyleSheet("QToolButton::menu-indicator { image: none; }")
        menu.setToolTip("All actions by subject (F10)")
        self.menu_button = menu
        self._column.addWidget(menu)
        theme.changed.connect(self._paint)

    def add(self, name: str, action: QAction, icon_name: str) -> None:
        """Put a place into the rail."""
        action.setCheckable(True)
        self._group.addAction(action)
        button = self._button(name, str(action.property("title") or action.text()), icon_name)
        button.clicked.connect(lambda: (action.trigger(), button.setChecked(action.isChecked())))
        button.setCheckable(True)
        button.setToolTip(f"{action.toolTip()} ({action.shortcut().toString()})")
        action.toggled.connect(button.setChecked)
        self._column.insertWidget(len(self._group.actions()) - 1, button)
        self._paint()

    def set_current(self, action: QAction) -> None:
        action.setChecked(True)

    def _button(self, name: str, title: str, icon_name: str) -> QToolButton:
        button = QToolButton(self)
        button.setText(title)
        button.setAccessibleName(title)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        font = button.font()
        font.setPointSizeF(font.pointSizeF() * 0.86)
        button.setFont(font)
        size = round(self._theme.em * 1.35)
        button.setIconSize(QSize(size, size))
        self._buttons[name] = (button, icon_name)
        return button

    def _paint(self) -> None:
        size = round(self._theme.em * 1.35)
        for button, icon_name in self._buttons.values():
            button.setIcon(icon(icon_name, self._theme.colour("muted"), self._theme.colour("accent"), size))

    def _fill(self) -> None:
        self.menu.clear()
        for category, actions in self._registry.categories().items():
            submenu = self.menu.addMenu(category)
            submenu.addActions([action for action in actions if action.isVisible()])
