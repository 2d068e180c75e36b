"""The bar above the panes: find, level, colour, filter, export."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSlider,
    QWidget,
    QWidgetAction,
)

from explorer.gui.actions import ActionRegistry
from explorer.gui.places.communities.colouring import MODES
from explorer.gui.places.communities.filters import FilterPanel
from explorer.gui.places.communities.find_box import FindBox


class Toolbar(QFrame):
    """`level_wanted` and `colour_wanted` tell what a person chose; the filter panel and find box speak for themselves."""

    level_wanted = Signal(int)
    colour_wanted = Signal(str)

    def __init__(self, actions: ActionRegistry, exports: list[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("TopBar")
        row = QHBoxLayout(self)
        margin = round(self.fontMetrics().height() * 0.7)
        row.setContentsMargins(margin, margin // 2, margin, margin // 2)
        row.setSpacing(margin)
        self.find = FindBox()
        row.addWidget(self.find, 1)
        self._label = QLabel("&Level 0")
        self._label.setMinimumWidth(self.fontMetrics().horizontalAdvance("Level 00"))
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setFixedWidth(round(self.fontMetrics().height() * 5.5))
        self.slider.setPageStep(1)
        self.slider.setTickPosition(QSlider.TickPosition.TicksBelow)
        self.slider.setTickInterval(1)
        self.slider.setAccessibleName("Level of the communities")
        self.slider.valueChanged.connect(self._moved)
        self._label.setBuddy(self.slider)
        self._levels: list[int] = []
        row.addWidget(self._label)
        row.addWidget(self.slider)
        self.colour = QComboBox()
        self.colour.setAccessibleName("Colour by")
        for mode in MODES:
            self.colour.addItem(f"Colour: {mode}", mode)
        self.colour.currentIndexChanged.connect(lambda place: self.colour_wanted.emit(self.colour.itemData(place)))
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
        self.slider.setEnabled(len(levels) > 1)
        self.slider.blockSignals(False)
        self.set_level(level)

    def set_level(self, level: int) -> None:
        """Show a level that was chosen elsewhere."""
        self._label.setText(f"&Level {level}")
        self.slider.setAccessibleDescription(f"Level {level} of {', '.join(map(str, self._levels))}")
        self.slider.setToolTip(f"Level {level}: 0 is the coarsest" + (f", {self._levels[-1]} the finest" if self._levels else ""))
        if level in self._levels:
            self.slider.blockSignals(True)
            self.slider.setValue(self._levels.index(level))
            self.slider.blockSignals(False)

    def set_ready(self, ready: bool) -> None:
        """Whether there is a graph to act on."""
        for widget in (self.colour, self.filter, self.export, self.find):
            widget.setEnabled(ready)
        self.slider.setEnabled(ready and len(self._levels) > 1)

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
