"""Labels of words, shown as they are and never as markup: names of documents and replies of models stand in them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel


def sentence(text: str = "", role: str = "", *, wraps: bool = True, selectable: bool = False) -> QLabel:
    """A label of plain words. `role` is one of the style sheet's (muted, title, headline, wrong)."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(wraps)
    if role:
        label.setProperty("role", role)
    if selectable:
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
