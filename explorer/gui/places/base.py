"""What every place of the window is: a widget with a name, built when it is first shown."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from explorer.gui.actions import ActionRegistry
from explorer.gui.engine import Engine
from explorer.gui.session import Session
from explorer.gui.theme import Theme


class Place(QWidget):
    """A page of the window.

    A subclass sets `name`, `title`, `icon_name`, registers its actions in `declare_actions` (called from the
    constructor, cheap, so that the palette knows them before the page was ever shown) and makes its widgets in
    `build` (called once, before the first show; the index may be open already: read `self.session.index`).
    `settled` is False while the page waits for work whose result it will show; screenshots wait for it.
    """

    name: str = ""
    title: str = ""
    icon_name: str = ""

    settled_changed = Signal(bool)

    def __init__(
        self, session: Session, engine: Engine, theme: Theme, actions: ActionRegistry, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.session, self.engine, self.theme, self.registry = session, engine, theme, actions
        self._built = False
        self._settled = True
        self.setObjectName(f"place-{self.name}")
        self.setAccessibleName(self.title)
        self.declare_actions(actions)

    def declare_actions(self, actions: ActionRegistry) -> None:
        """Register the actions of this place."""

    def build(self) -> None:
        """Make the widgets and connect the session's signals."""

    def ensure_built(self) -> None:
        """Build if that has not happened yet."""
        if not self._built:
            self._built = True
            self.build()

    def prepare_screenshot(self) -> None:
        """Bring the page into the state that its picture shows; it may clear `settled` until that is reached."""

    @property
    def settled(self) -> bool:
        return self._settled

    def set_settled(self, settled: bool) -> None:
        if settled != self._settled:
            self._settled = settled
            self.settled_changed.emit(settled)

    def showEvent(self, event: QShowEvent) -> None:
        self.ensure_built()
        super().showEvent(event)

    def keep(self, item: QObject) -> QObject:
        """Give an object (a timer, a model) this place as its owner."""
        item.setParent(self)
        return item
