"""The page while there is nothing to draw: what happened, and the buttons that lead on."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from explorer.gui.actions import ActionRegistry
from explorer.gui.finding import ACTION as FIND

_WORDS = {
    "nothing": (
        "No index is open",
        "Open a folder of documents, or the output of a GraphRAG run: its communities, their graph and their reports "
        "stand here.",
    ),
    "opening": ("Opening…", "The tables are being read."),
    "failed": ("This cannot be opened", ""),
    "no communities": (
        "This index has no communities",
        "Its table of communities is missing, empty or cannot be read; the health of the index says more. Where it has "
        "relationships, communities can be found in them: they are kept with your own data, and the folder stays as "
        "it is.",
    ),
}
_BUTTONS = ("file.open_folder", "file.open_index", "file.open_sample")


class NothingOpen(QWidget):
    """`show_state` chooses the words: "nothing", "opening", "failed" or "no communities"."""

    def __init__(self, actions: ActionRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._actions, self._state = actions, "nothing"
        column = QVBoxLayout(self)
        column.addStretch(2)
        self.headline, self.words = QLabel(), QLabel()
        self.headline.setProperty("role", "headline")
        self.words.setProperty("role", "muted")
        for label in (self.headline, self.words):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            column.addWidget(label)
        self.words.setMinimumHeight(self.fontMetrics().height() * 3)
        self._row = QHBoxLayout()
        self._row.addStretch(1)
        self.find = _button(actions, FIND) if FIND in actions else None
        if self.find is not None:
            self._row.addWidget(self.find)
            actions.get(FIND).changed.connect(self._offer)
        for id in _BUTTONS:
            if id in actions:
                self._row.addWidget(_button(actions, id))
        self._row.addStretch(1)
        column.addLayout(self._row)
        column.addStretch(3)
        self.show_state("nothing")

    def show_state(self, state: str, sentence: str = "") -> None:
        headline, words = _WORDS[state]
        self.headline.setText(headline)
        self.words.setText(sentence or words)
        self._state = state
        self._offer()

    def _offer(self) -> None:
        if self.find is not None:
            action = self._actions.get(FIND)
            self.find.setVisible(self._state == "no communities" and action.isVisible())
            self.find.setEnabled(action.isEnabled())


def _button(actions: ActionRegistry, id: str) -> QPushButton:
    action = actions.get(id)
    button = QPushButton(action.text())
    button.setAccessibleName(action.text())
    button.setToolTip(action.toolTip())
    button.clicked.connect(action.trigger)
    return button
