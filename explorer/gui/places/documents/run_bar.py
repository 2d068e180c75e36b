"""The bar above Documents: how the run stands in one line, and the switches that mean something now."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy

from explorer.gui.actions import ActionRegistry
from explorer.gui.indexing import IndexingRun
from explorer.gui.theme import Theme
from explorer.gui.widgets.action_button import ActionButton
from explorer.gui.widgets.shapes import shape_pixmap


class RunBar(QFrame):
    """`mind` shows the switches of a state; `words` are the place's to set."""

    def __init__(self, theme: Theme, actions: ActionRegistry) -> None:
        super().__init__()
        self._theme = theme
        em = theme.em
        self.setObjectName("TopBar")
        row = QHBoxLayout(self)
        row.setContentsMargins(round(em * 0.9), round(em * 0.5), round(em * 0.9), round(em * 0.5))
        row.setSpacing(round(em * 0.6))
        self.mark = QLabel()
        self.words = QLabel()
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setWordWrap(True)
        self.words.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        row.addWidget(self.mark)
        row.addWidget(self.words, 1)
        get = actions.get
        self.open_button = ActionButton(get("file.open_folder"), text="Open a folder…")
        self.start_button = ActionButton(get("index.again"), text="Index again")
        self.pause_button = ActionButton(get("index.pause"), text="Pause")
        self.resume_button = ActionButton(get("index.resume"), text="Go on")
        self.stop_button = ActionButton(get("index.stop"), text="Stop")
        self.abandon_button = ActionButton(get("index.stop_now"), text="Stop now")
        for button in (
            self.open_button, self.start_button, self.pause_button, self.resume_button, self.stop_button,
            self.abandon_button,
        ):  # fmt: skip
            row.addWidget(button)

    def mind(self, run: IndexingRun, state: str, shape: str, colour: str) -> None:
        """Show the mark and the switches of a state."""
        self.mark.setPixmap(shape_pixmap(shape, self._theme.colour(colour), self._theme.em))
        self.mark.setAccessibleName(state)
        self.pause_button.setVisible(state == "running")
        self.resume_button.setVisible(state == "paused")
        self.stop_button.setVisible(run.running)
        self.stop_button.setText("Stopping" if state == "stopping" else "Stop")
        self.abandon_button.setVisible(state == "stopping" and run.order is not None)
        self.start_button.setVisible(self.start_button.isEnabled())
        self.start_button.setText("Go on" if state in ("stopped", "failed") else "Index again")
        self.open_button.setVisible(not run.running)
