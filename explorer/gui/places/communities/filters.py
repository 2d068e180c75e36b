"""What the graph leaves out: by degree, by type, by name. The menu and the mask it stands for."""

from __future__ import annotations

from collections import Counter

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QGridLayout, QLabel, QLineEdit, QListView, QPushButton, QSpinBox, QWidget

from explorer.gui.places.communities.scene import Bools, Scene


def filter_mask(scene: Scene, least_degree: int, types: frozenset[str] | None, name: str) -> Bools | None:
    """Which entities pass: degree, type among `types` (None: every type), name holding the words. None: all do."""
    if least_degree <= 0 and types is None and not name.strip():
        return None
    mask = scene.degree >= least_degree
    if types is not None:
        mask &= np.array([kind in types for kind in scene.types], dtype=np.bool_)
    words = name.casefold().split()
    if words:
        mask &= np.array([all(word in title.casefold() for word in words) for title in scene.titles], dtype=np.bool_)
    return mask


class FilterPanel(QWidget):
    """The widgets of the filter menu. `changed` is emitted with each change; read `mask`."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scene: Scene | None = None
        grid = QGridLayout(self)
        self.degree = QSpinBox()
        self.degree.setRange(0, 1_000_000)
        self.degree.setAccessibleName("Least degree")
        self.name = QLineEdit()
        self.name.setPlaceholderText("words of the name")
        self.name.setAccessibleName("Words that the name must hold")
        self.name.setClearButtonEnabled(True)
        self.types = QStandardItemModel(self)
        self.list = QListView()
        self.list.setModel(self.types)
        self.list.setAccessibleName("Types that are shown")
        self.list.setUniformItemSizes(True)
        self.list.setMinimumWidth(self.fontMetrics().averageCharWidth() * 34)
        self.list.setMaximumHeight(self.fontMetrics().height() * 11)
        self.reset = QPushButton("Show everything")
        self.reset.setAccessibleName("Take all filters off")
        self.reset.clicked.connect(self.clear)
        for row, (text, widget) in enumerate(
            (("Least &degree", self.degree), ("&Name holds", self.name), ("&Types", self.list))
        ):
            label = QLabel(text)
            label.setBuddy(widget)
            grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(widget, row, 1)
        grid.addWidget(self.reset, 3, 1)
        self.degree.valueChanged.connect(lambda _value: self.changed.emit())
        self.name.textChanged.connect(lambda _text: self.changed.emit())
        self.types.itemChanged.connect(lambda _item: self.changed.emit())

    def set_scene(self, scene: Scene | None) -> None:
        self._scene = scene
        self.blockSignals(True)
        self.types.clear()
        counts = Counter(scene.types) if scene is not None else Counter()
        for kind in sorted(counts, key=lambda kind: (-counts[kind], kind)):
            item = QStandardItem(f"{kind.lower() or 'no type'}   {counts[kind]:,}")
            item.setData(kind)
            item.setCheckable(True)
            item.setCheckState(Qt.CheckState.Checked)
            item.setEditable(False)
            self.types.appendRow(item)
        self.degree.setValue(0)
        self.name.clear()
        self.blockSignals(False)

    def mask(self) -> Bools | None:
        """What passes the filters, by entity; None where all do."""
        if self._scene is None:
            return None
        items = [self.types.item(row) for row in range(self.types.rowCount())]
        chosen = frozenset(str(item.data()) for item in items if item.checkState() == Qt.CheckState.Checked)
        return filter_mask(
            self._scene, self.degree.value(), None if len(chosen) == len(items) else chosen, self.name.text()
        )

    def clear(self) -> None:
        """Take all filters off."""
        self.blockSignals(True)
        self.degree.setValue(0)
        self.name.clear()
        for row in range(self.types.rowCount()):
            self.types.item(row).setCheckState(Qt.CheckState.Checked)
        self.blockSignals(False)
        self.changed.emit()
