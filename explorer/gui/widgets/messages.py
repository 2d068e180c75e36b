"""Sentences that stay until they are read: what failed, what changed. Never a dialog, never a vanishing toast."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from explorer.gui.theme import Theme
from explorer.gui.widgets.shapes import shape_pixmap

_SHAPES = {"failed": "cross", "notice": "diamond"}
_COLOURS = {"failed": "failed", "notice": "accent"}
_MAX = 3

Offer = tuple[str, Callable[[], None]]


class Message(QFrame):
    """One sentence with its mark, buttons for what it offers to do, one to copy it and one to put it away."""

    def __init__(
        self, kind: str, sentence: str, theme: Theme, parent: QWidget | None = None, offers: Sequence[Offer] = ()
    ) -> None:
        super().__init__(parent)
        self.kind, self.sentence, self._theme = kind, sentence, theme
        self.setObjectName("Pane")
        em = theme.em
        row = QHBoxLayout(self)
        row.setContentsMargins(round(em * 0.7), round(em * 0.35), round(em * 0.4), round(em * 0.35))
        self._mark = QLabel()
        self._mark.setAccessibleName("Error" if kind == "failed" else "Notice")
        text = QLabel(sentence)
        text.setTextFormat(Qt.TextFormat.PlainText)
        text.setWordWrap(True)
        text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.MinimumExpanding)
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        text.setAccessibleName(f"{self._mark.accessibleName()}: {sentence}")
        row.addWidget(self._mark)
        row.addWidget(text, 1)
        for word, offered in offers:
            self._offer(row, word, offered)
        for word, does, hint in (("Copy", self._copy, "Copy this sentence"), ("Dismiss", self.dismiss, "Put it away")):
            button = QPushButton(word)
            button.setProperty("role", "link")
            button.setAccessibleName(f"{hint}: {sentence[:60]}")
            button.clicked.connect(does)
            row.addWidget(button)
        theme.changed.connect(self._colour)
        self._colour()

    def _offer(self, row: QHBoxLayout, word: str, does: Callable[[], None]) -> None:
        """A button that does what the sentence asks about; the sentence is settled then."""

        def take() -> None:
            self.dismiss()
            does()

        button = QPushButton(word)
        button.setAccessibleName(f"{word}: {self.sentence[:60]}")
        button.clicked.connect(take)
        row.addWidget(button)

    def dismiss(self) -> None:
        self.hide()
        self.setParent(None)
        self.deleteLater()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.sentence)

    def _colour(self) -> None:
        colour = self._theme.colour(_COLOURS[self.kind])
        self._mark.setPixmap(shape_pixmap(_SHAPES[self.kind], colour, self._theme.em))


class MessageBar(QWidget):
    """The newest sentences above the place that is shown, the last one on top."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._column = QVBoxLayout(self)
        em = theme.em
        self._column.setContentsMargins(round(em * 0.9), round(em * 0.5), round(em * 0.9), 0)
        self._column.setSpacing(round(em * 0.3))
        self.hide()

    def say(self, sentence: str, kind: str = "notice", *, offers: Sequence[Offer] = ()) -> Message:
        """Show a sentence; `kind` is notice or failed. A sentence that stands there already is not repeated.

        `offers` are what can be done about it: a word for the button, and what it does.
        """
        for message in self.messages():
            if message.sentence == sentence:
                return message
        message = Message(kind, sentence, self._theme, self, offers)
        message.destroyed.connect(self._settle)
        self._column.insertWidget(0, message)
        for old in self.messages()[_MAX:]:
            old.dismiss()
        self.show()
        return message

    def clear(self) -> None:
        for message in self.messages():
            message.dismiss()
        self.hide()

    def messages(self) -> list[Message]:
        """What is shown now, the newest first."""
        items = (self._column.itemAt(place).widget() for place in range(self._column.count()))
        return [item for item in items if isinstance(item, Message)]

    def _settle(self) -> None:
        if not self.messages():
            self.hide()
