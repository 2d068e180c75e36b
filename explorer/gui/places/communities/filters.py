"""What the graph leaves out: by degree, by type, by name. The menu and the mask it stands for."""

from __future__ import annotations

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
        numbers, keys = scene.kinds
        mask &= np.isin(keys, [number for kind, number in numbers.items() if kind in types])
    words = name.split()
    if words:
        mask &= scene.names.mask(words)
    return mask


class FilterPanel(QWidget):
    """The widgets of the filter menu. `changed` is emitted with each change; read `mask`."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scene: Scene | None = None
        self._made: tuple[object, Bools | None] = (None, None)  # for which filters, and the mask
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
        self._scene, self._made = scene, (None, None)
        self.blockSignals(True)
        self.types.clear()
        counts: dict[str, int] = {}
        if scene is not None:
            numbers, keys = scene.kinds
            counts = dict(zip(numbers, np.bincount(keys, minlength=len(numbers)).tolist(), strict=True))
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
        types = None if len(chosen) == len(items) else chosen
        filters = (self._scene, self.degree.value(), types, self.name.text())
        if self._made[0] is None or filters != self._made[0]:
            self._made = (filters, filter_mask(*filters))
        return self._made[1]

    def clear(self) -> None:
        """Take all filters off."""
        self.blockSignals(True)
        self.degree.setValue(0)
        self.name.clear()
        for row in range(self.types.rowCount()):
            self.types.item(row).setCheckState(Qt.CheckState.Checked)
        self.blockSignals(False)
        self.changed.emit()
