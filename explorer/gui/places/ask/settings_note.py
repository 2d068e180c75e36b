"""Where the values of knobs come from, in words: what a project's settings.yaml gave, and what of it was left out."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from explorer.gui.theme import Theme
from explorer.tables.settings_words import knob_words

if TYPE_CHECKING:
    from explorer.tables.settings_taken import Taken


class SettingsNote(QLabel):
    """`names` are the knobs of the panel, in words; hidden while no settings are open or they say nothing."""

    def __init__(self, theme: Theme, names: Mapping[str, str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names = names
        self.setAccessibleName("Where the values come from")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setFixedWidth(theme.em * 43)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.hide()

    def show_taken(self, taken: Taken | None, holding: Collection[str]) -> None:
        """Say what was taken, which of it still holds (`holding`), and what was left out."""
        lines = [] if taken is None else knob_words(taken, self._names, holding)
        self.setText("\n".join(lines))
        self.setFixedHeight(
            max(0, self.heightForWidth(self.width()))
        )  # a panel that pops up takes no heed of lines that wrap
        self.setVisible(bool(lines))
