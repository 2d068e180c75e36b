"""Before the start: what the settings.yaml of the folder's project decides, and the prompts that it offers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from explorer.gui.actions import ActionRegistry
from explorer.gui.theme import Theme
from explorer.gui.widgets.action_button import ActionButton
from explorer.gui.widgets.sentences import sentence
from explorer.gui.words import count
from explorer.tables.settings_words import value_words

if TYPE_CHECKING:
    from explorer.gui.folder_settings import FolderSettings


class SettingsBox(QWidget):
    """`chosen` tells that a person wants the values of the file, or the defaults. Hidden without a project."""

    chosen = Signal(bool)

    def __init__(self, theme: Theme, actions: ActionRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(round(theme.em * 0.25))
        self.use = QCheckBox()
        self.use.setAccessibleName("Use the values of settings.yaml")
        self.use.toggled.connect(self.chosen)
        self.values, self.prompts = sentence(selectable=True), sentence(selectable=True)
        self.left_out = sentence(role="muted", selectable=True)
        self.values.setAccessibleName("Values of settings.yaml")
        self.left_out.setAccessibleName("What of settings.yaml was left out")
        self.prompts.setAccessibleName("Prompts of the project")
        row = QHBoxLayout()
        row.addWidget(self.prompts, 1)
        self.prompts_button = ActionButton(actions.get("index.prompts"), "link", "Its prompts…")
        row.addWidget(self.prompts_button)
        for widget in (self.use, self.values, self.left_out):
            column.addWidget(widget)
        column.addLayout(row)
        self.hide()

    def show_settings(self, settings: FolderSettings | None) -> None:
        """Show what a project decides and offers; None hides the box."""
        self.setVisible(settings is not None)
        if settings is None:
            return
        taken = settings.taken
        self.use.setText(f"Use the values of {taken.path.name} (otherwise the defaults of this program)")
        self.use.setToolTip(str(taken.path))
        with QSignalBlocker(self.use):
            self.use.setChecked(settings.used)
        self.use.setVisible(bool(taken.values))
        words = value_words(taken.values)
        self.values.setText(
            f"From {taken.path}: {words}." if settings.used else f"The defaults hold; not used: {words}."
        )
        self.values.setVisible(bool(taken.values))
        self.left_out.setText("\n".join([*taken.left_out, *([settings.models] if settings.models else [])]))
        self.left_out.setVisible(bool(self.left_out.text()))
        able = sum(not offer.wrong for offer in settings.offers)
        used = sum(offer.taken for offer in settings.offers)
        self.prompts.setText(
            f"The project has {count(len(settings.offers), 'prompt')} of its own: {able} could be sent here, "
            f"{used or 'none'} of them {'are' if used > 1 else 'is'} used."
        )
        for widget in (self.prompts, self.prompts_button):
            widget.setVisible(bool(settings.offers))
