"""The bar of a cap that is reached: the run has paused itself, and the person raises the cap or stops it here."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from explorer.base.events import CapReached
from explorer.gui.theme import Theme
from explorer.gui.widgets.shapes import shape_pixmap

_MOST = 1_000_000.0


class CapBar(QFrame):
    """Hidden until `ask(event)`. `raised(name, value)` gives the new cap, `stopped` that the run shall end here."""

    raised = Signal(str, float)
    stopped = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.event_shown: CapReached | None = None
        self.setObjectName("Pane")
        self.setAccessibleName("A cap is reached")
        em = theme.em
        row = QHBoxLayout(self)
        row.setContentsMargins(round(em * 0.7), round(em * 0.35), round(em * 0.7), round(em * 0.35))
        self._mark = QLabel()
        self._mark.setAccessibleName("Paused")
        self.sentence = QLabel()
        self.sentence.setTextFormat(Qt.TextFormat.PlainText)
        self.sentence.setWordWrap(True)
        self.sentence.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.MinimumExpanding)
        self.value = QDoubleSpinBox()
        self.value.setAccessibleName("The new cap")
        self.value.setGroupSeparatorShown(True)
        self.value.lineEdit().setTextMargins(round(em * 0.25), 0, 0, 0)
        self.raise_button = QPushButton("Raise to this")
        self.raise_button.setProperty("role", "primary")
        self.raise_button.clicked.connect(self._raise)
        self.stop_button = QPushButton("Stop here")
        self.stop_button.setToolTip("End the run with what it has; everything that came back is kept")
        self.stop_button.clicked.connect(self._stop)
        row.addWidget(self._mark)
        row.addWidget(self.sentence, 1)
        for widget in (self.value, self.raise_button, self.stop_button):
            row.addWidget(widget)
        theme.changed.connect(self._colour)
        self._colour()
        self.hide()

    def ask(self, event: CapReached) -> None:
        """Show a cap that is reached; what is offered is twice as much."""
        self.event_shown = event
        money = event.name == "max_cost"
        self.sentence.setText(event.sentence)
        self.value.setDecimals(_decimals(event.cap) if money else 0)
        self.value.setRange(event.spent, _MOST)
        self.value.setSingleStep(event.cap)
        self.value.setPrefix("$" if money else "")
        self.value.setSuffix("" if money else " calls")
        self.value.setValue(max(event.cap, event.spent) * 2)
        self.show()
        self.raise_button.setFocus()

    def put_away(self) -> None:
        self.event_shown = None
        self.hide()

    def _raise(self) -> None:
        event, value = self.event_shown, self.value.value()
        self.put_away()
        if event is not None:
            self.raised.emit(event.name, value)

    def _stop(self) -> None:
        self.put_away()
        self.stopped.emit()

    def _colour(self) -> None:
        self._mark.setPixmap(shape_pixmap("diamond", self.theme.colour("accent"), self.theme.em))


def _decimals(cap: float) -> int:
    """As many as the cap itself has, and two at least."""
    return next((places for places in (2, 3, 4, 5) if round(cap, places) == cap), 6)
