"""What stands where a place is not part of this installation."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout

from explorer.gui.places.base import Place
from explorer.gui.widgets.pane import EmptyState


class MissingPlace(Place):
    """Says so in one sentence."""

    title = "Not here"

    @classmethod
    def named(cls, name: str) -> type[Place]:
        """A class of this kind under the name of the place that is missing."""
        return type("MissingPlace", (cls,), {"name": name, "title": name.capitalize()})

    def build(self) -> None:
        layout = QVBoxLayout(self)
        layout.addWidget(EmptyState(f"The place {self.title} is not part of this installation."))
