"""The bar above the panes: find, level, colour, filter, export."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QWidget,
    QWidgetAction,
)

from explorer.gui.actions import ActionRegistry
from explorer.gui.places.communities.colouring import MODES
from explorer.gui.places.communities.filters import FilterPanel
from explorer.gui.places.communities.find_box import FindBox
from explorer.gui.places.communities.level_slider import LevelSlider
from explorer.gui.theme import Theme


class Toolbar(QFrame):
    """Tells which level and colour a person chose; the filter panel and the find box speak for themselves."""

    level_wanted = Signal(int)
    colour_wanted = Signal(str)

    def __init__(
        self, theme: Theme, actions: ActionRegistry, exports: list[str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("TopBar")
        row = QHBoxLayout(self)
        margin = round(self.fontMetrics().height() * 0.7)
        row.setContentsMargins(margin, margin // 2, margin, margin // 2)
        row.setSpacing(margin)
        self.find = FindBox()
        row.addWidget(self.find, 1)
        self._label = QLabel("Level 0")
        self._label.setMinimumWidth(self.fontMetrics().horizontalAdvance("Level 00"))
        self.slider = LevelSlider(theme)
        self.slider.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.slider.setAccessibleName("Level of the communities")
        self.slider.valueChanged.connect(self._moved)
        self._label.setBuddy(self.slider)
        self._levels: list[int] = []
        row.addWidget(self._label)
        row.addWidget(self.slider)
        self.colour = self._menu_button("Colour: community", "What the colours of the graph stand for")
        self._modes = QActionGroup(self)
        for mode in MODES:
            action = self.colour.menu().addAction(mode.capitalize())
            action.setCheckable(True)
            action.setData(mode)
            self._modes.addAction(action)
        self._modes.actions()[0].setChecked(True)
        self._modes.triggered.connect(lambda action: self.set_mode(action.data()))
        row.addWidget(self.colour)
        self.filters = FilterPanel()
        self.filter = self._menu_button("Filter", "Leave entities out of the graph")
        holder = QWidgetAction(self)
        holder.setDefaultWidget(self.filters)
        self.filter.menu().addAction(holder)
        row.addWidget(self.filter)
        self.export = self._menu_button("Export", "Save the graph as a picture, or the reports")
        for id in exports:
            self.export.menu().addAction(actions.get(id))
        row.addWidget(self.export)

    def set_levels(self, levels: list[int], level: int) -> None:
        """The levels of the index, and the one that is shown."""
        self._levels = list(levels)
        self.slider.blockSignals(True)
        self.slider.setRange(0, max(len(levels) - 1, 0))
        self.slider.updateGeometry()
        self.slider.setEnabled(len(levels) > 1)
        self.slider.blockSignals(False)
        self.set_level(level)

    def set_level(self, level: int) -> None:
        """Show a level that was chosen elsewhere."""
        self._label.setText(f"Level {level}")
        self.slider.setAccessibleDescription(f"Level {level} of {', '.join(map(str, self._levels))}")
        self.slider.setToolTip(
            f"Level {level}: 0 is the coarsest" + (f", {self._levels[-1]} the finest" if self._levels else "")
        )
        if level in self._levels:
            self.slider.blockSignals(True)
            self.slider.setValue(self._levels.index(level))
            self.slider.blockSignals(False)

    def set_ready(self, ready: bool) -> None:
        """Whether there is a graph to act on."""
        for widget in (self.colour, self.filter, self.export, self.find):
            widget.setEnabled(ready)
        self.slider.setEnabled(ready and len(self._levels) > 1)

    @property
    def mode(self) -> str:
        """What the colours stand for."""
        return str(self._modes.checkedAction().data())

    def set_mode(self, mode: str) -> None:
        """Colour by "community", "type" or "degree"."""
        for action in self._modes.actions():
            action.setChecked(action.data() == mode)
        self.colour.setText(f"Colour: {mode}")
        self.colour_wanted.emit(mode)

    def mark_filtered(self, filtered: bool) -> None:
        self.filter.setText("Filter on" if filtered else "Filter")

    def _menu_button(self, text: str, tip: str) -> QPushButton:
        button = QPushButton(text)
        button.setToolTip(tip)
        button.setAccessibleName(f"{text}: {tip}")
        button.setMenu(QMenu(button))
        return button

    def _moved(self, place: int) -> None:
        if place < len(self._levels):
            self.level_wanted.emit(self._levels[place])
