"""The key of a connection in the form: where it is kept, what is possible here, and a line to enter it once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from explorer.gui.theme import Theme
from explorer.gui.widgets.sentences import sentence

if TYPE_CHECKING:
    from explorer.models.keys import KeyPlaces

_PLACES = (
    ("keyring", "in the keyring of this system"),
    ("session", "in memory, for this session only"),
    ("env", "in an environment variable"),
    ("none", "none: the server asks for no key"),
)
_ENV = "env:"


class KeyBox(QWidget):
    """`place` is what `connection.key` must say; `secret` what was typed and is not kept yet.

    A key that was kept is never shown again: the line is emptied, and its text is in no accessible name.
    """

    edited = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(round(theme.em * 0.3))
        row = QHBoxLayout()
        row.setSpacing(round(theme.em * 0.5))
        self.where = QComboBox()
        self.where.setAccessibleName("Where the key is kept")
        for place, words in _PLACES:
            self.where.addItem(words, place)
        self.line = QLineEdit()
        self.line.setEchoMode(QLineEdit.EchoMode.Password)
        self.line.setAccessibleName("The key; what is typed is not shown")
        self.line.setInputMethodHints(
            Qt.InputMethodHint.ImhSensitiveData
            | Qt.InputMethodHint.ImhNoPredictiveText
            | Qt.InputMethodHint.ImhHiddenText
        )
        self.variable = QLineEdit()
        self.variable.setAccessibleName("The name of the environment variable that holds the key")
        self.variable.setPlaceholderText("OPENAI_API_KEY")
        row.addWidget(self.where)
        row.addWidget(self.line, 1)
        row.addWidget(self.variable, 1)
        row.addStretch(0)
        column.addLayout(row)
        self.state = sentence(role="muted")
        self.state.setAccessibleName("Where the key is now")
        self.places = sentence(role="muted")
        column.addWidget(self.state)
        column.addWidget(self.places)
        self.state.hide()
        self._possible: KeyPlaces | None = None
        self.where.currentIndexChanged.connect(self._follow)
        self.where.activated.connect(lambda _index: self.edited.emit())
        self.line.textEdited.connect(lambda _text: self.edited.emit())
        self.variable.textEdited.connect(lambda _text: self.edited.emit())
        self._follow()

    def show_place(self, key: str) -> None:
        """Show where a connection's key is; what was typed is thrown away."""
        self.line.clear()
        kind = "env" if key.startswith(_ENV) else key
        self.variable.setText(key.removeprefix(_ENV) if kind == "env" else "")
        self.where.setCurrentIndex(max(0, self.where.findData(kind)))
        self._say_state("")
        self._follow()

    def show_state(self, sentence: str, present: bool) -> None:
        """Say where the key is now."""
        self._say_state(sentence)
        self.line.setPlaceholderText(
            "a key is kept; type another one to replace it" if present else "paste the key here"
        )

    def show_possible(self, places: KeyPlaces) -> None:
        """Say what is possible here; where there is no keyring that choice is closed."""
        self._possible = places
        items = self.where.model()
        assert isinstance(items, QStandardItemModel)
        items.item(0).setEnabled(places.keyring)
        items.item(0).setToolTip("" if places.keyring else places.reason)
        self._follow()

    @property
    def keyring(self) -> bool | None:
        """Whether there is a usable keyring; None while that is not known."""
        return None if self._possible is None else self._possible.keyring

    @property
    def place(self) -> str:
        kind = str(self.where.currentData())
        return f"{_ENV}{self.variable.text().strip()}" if kind == "env" else kind

    @property
    def secret(self) -> str:
        return self.line.text() if self.where.currentData() in ("keyring", "session") else ""

    def clear_secret(self) -> None:
        """Forget what was typed, also what could be undone."""
        self.line.clear()

    def _say_state(self, sentence: str) -> None:
        self.state.setText(sentence)
        self.state.setVisible(bool(sentence))

    def _follow(self) -> None:
        kind = self.where.currentData()
        self.line.setVisible(kind in ("keyring", "session"))
        self.variable.setVisible(kind == "env")
        if self._possible is None:
            self.places.setText("Looking for a keyring …")
        elif self._possible.keyring:
            self.places.setText(
                f"Keys can be kept in the keyring of this system ({self._possible.reason}), never in a file."
            )
        else:
            self.places.setText(
                f"{self._possible.reason} A key can be kept in memory for this session, or be read from an environment "
                "variable; it is never written to a file."
            )
        self.places.setVisible(kind != "none")
