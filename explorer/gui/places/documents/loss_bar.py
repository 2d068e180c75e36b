"""The bar about calls that gave nothing: how many, why most of them, what to do."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy

from explorer.gui.actions import ActionRegistry
from explorer.gui.theme import Theme
from explorer.gui.widgets.action_button import ActionButton
from explorer.gui.widgets.shapes import shape_pixmap


class LossBar(QFrame):
    """Hidden while there is nothing to say. `show_calls` brings the list of calls to sight."""

    def __init__(self, theme: Theme, actions: ActionRegistry, show_calls: Callable[[], None]) -> None:
        super().__init__()
        self._theme = theme
        self.setObjectName("Pane")
        self.setAccessibleName("Calls that gave nothing")
        em = theme.em
        row = QHBoxLayout(self)
        row.setContentsMargins(round(em * 0.7), round(em * 0.35), round(em * 0.7), round(em * 0.35))
        self._mark = QLabel()
        self._mark.setAccessibleName("Failed")
        self.sentence = QLabel()
        self.sentence.setAccessibleName("What calls gave nothing")
        self.sentence.setTextFormat(Qt.TextFormat.PlainText)
        self.sentence.setWordWrap(True)
        self.sentence.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.MinimumExpanding)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        show = QPushButton("Show them")
        show.setAccessibleName("Show the calls that gave nothing")
        show.clicked.connect(show_calls)
        self.retry_button = ActionButton(actions.get("calls.retry_all"), "primary", text="Make them again")
        row.addWidget(self._mark)
        row.addWidget(self.sentence, 1)
        row.addWidget(show)
        row.addWidget(self.retry_button)
        theme.changed.connect(self._colour)
        self._colour()
        self.hide()

    def say(self, sentence: str) -> None:
        """Show a sentence, or hide for an empty one."""
        self.sentence.setText(sentence)
        self.setVisible(bool(sentence))

    def _colour(self) -> None:
        self._mark.setPixmap(shape_pixmap("cross", self._theme.colour("failed"), self._theme.em))
