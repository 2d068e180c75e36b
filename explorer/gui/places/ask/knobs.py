"""The knobs of global search, each with GraphRAG's default beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from explorer.gui.places.ask.settings_note import SettingsNote
from explorer.gui.theme import Theme
from explorer.search.options import GlobalOptions

if TYPE_CHECKING:
    from explorer.tables.settings_taken import Taken

_NUMBERS = (
    ("max_context_tokens", "Tokens of a batch", 500, 1_000_000, 500),
    ("data_max_tokens", "Tokens of points in the reduce prompt", 0, 1_000_000, 500),
    ("concurrency", "Calls at once", 1, 256, 1),
    ("map_max_length", "Words asked of a map reply", 50, 20_000, 50),
    ("reduce_max_length", "Words asked of the answer", 50, 20_000, 50),
)
_MODES = (
    ("roll_up", "Deepest report of each entity (paper, GraphRAG up to 1.2)"),
    ("at_or_below", "Every report at or below it (GraphRAG since 2.0)"),
)


_GRAPHRAG = GlobalOptions()  # type: ignore[call-arg]


class Knobs(QFrame):
    """A panel under its button. `options(level)` reads it; `changed` tells that a value moved.

    Where a GraphRAG project is open, the knobs begin with the values of its settings.yaml, and say so.
    """

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("Pane")
        self.setAccessibleName("Knobs of the search")
        layout = QVBoxLayout(self)
        self.note = SettingsNote(theme, {key: words for key, words, *_ in _NUMBERS})
        layout.addWidget(self.note)
        self.project: Taken | None = None
        form = self._form = QFormLayout()
        layout.addLayout(form)
        self._turned: set[str] = set()
        self._defaults: dict[str, Any] = {}
        self.reports = QComboBox()
        self.reports.setAccessibleName("Which reports stand for the level")
        for key, words in _MODES:
            self.reports.addItem(words, key)
        self.reports.currentIndexChanged.connect(self.changed)
        form.addRow("Reports", self.reports)
        form.addRow("", _muted("default here: the deepest · GraphRAG 3 sends every one"))
        self.numbers: dict[str, QSpinBox] = {}
        for key, words, low, high, step in _NUMBERS:
            box = QSpinBox()
            box.setRange(low, high)
            box.setSingleStep(step)
            box.setGroupSeparatorShown(True)
            box.setValue(getattr(_GRAPHRAG, key))
            box.setAccessibleName(words)
            box.valueChanged.connect(lambda _value, key=key: self._turn(key))
            self.numbers[key] = box
            form.addRow(words, box)
        self.keep_filling = QCheckBox("Go on after the first point that does not fit (GraphRAG: off)")
        self.nearest_ancestor = QCheckBox("An ancestor speaks for a community without a report (GraphRAG: off)")
        for box in (self.keep_filling, self.nearest_ancestor):
            box.toggled.connect(self.changed)
            layout.addWidget(box)
        self.max_cost = QDoubleSpinBox()
        self.max_cost.setRange(0.0, 10_000.0)
        self.max_cost.setDecimals(4)
        self.max_cost.setSingleStep(0.05)
        self.max_cost.setPrefix("$")
        self.max_calls = QSpinBox()
        self.max_calls.setRange(0, 1_000_000)
        for cap, words in ((self.max_cost, "Pause at this cost"), (self.max_calls, "Pause after this many calls")):
            cap.setSpecialValueText("no cap")
            cap.setAccessibleName(words)
            form.addRow(words, cap)
        self.show_caps(False)
        self.reset_button, self.again_button = (
            QPushButton("Back to the defaults"),
            QPushButton("As settings.yaml has it"),
        )
        self.reset_button.clicked.connect(self.reset)
        self.again_button.clicked.connect(self.as_project)
        buttons = QHBoxLayout()
        buttons.addWidget(self.reset_button)
        buttons.addWidget(self.again_button)
        buttons.addStretch(1)
        layout.addLayout(buttons)
        self._mind()

    def options(self, level: int | None) -> GlobalOptions:
        """The options as the panel stands, at that level."""
        return GlobalOptions(
            level=level,
            reports=self.reports.currentData(),
            keep_filling=self.keep_filling.isChecked(),
            nearest_ancestor=self.nearest_ancestor.isChecked(),
            **{key: box.value() for key, box in self.numbers.items()},
        )

    @property
    def turned(self) -> frozenset[str]:
        """The knobs among those with a connection's own default that a person turned."""
        return frozenset(self._turned)

    def use(self, defaults: Mapping[str, Any], *, paid: bool) -> None:
        """Show the connection's own values of the knobs that nobody turned, and the caps where calls are paid for."""
        self._defaults = dict(defaults)
        self.show_caps(paid)
        value = defaults.get("concurrency", _GRAPHRAG.concurrency)
        box = self.numbers["concurrency"]
        if "concurrency" not in self._turned and isinstance(value, int):
            with QSignalBlocker(box):
                box.setValue(value)

    def use_project(self, taken: Taken | None) -> None:
        """Begin with the values of a project's settings; None for no project. The same project again changes nothing:
        what a person turned stays."""
        if taken == self.project:
            return
        before, self.project = self._projected, taken
        for key in {*before, *self._projected}:
            box = self.numbers[key]
            value = self._projected.get(key, getattr(_GRAPHRAG, key))
            if key in self._projected or box.value() == before[key]:
                self._set(box, value)
        self._mind()

    def as_project(self) -> None:
        """The values of the project's settings.yaml again; the other knobs stay."""
        for key, value in self._projected.items():
            self._set(self.numbers[key], value)
        self._mind()
        self.changed.emit()

    @property
    def from_project(self) -> list[str]:
        """The knobs that stand as the project's settings have them."""
        return [key for key, value in self._projected.items() if self.numbers[key].value() == value]

    @property
    def button_words(self) -> str:
        """What the button of this panel says: whether the values of a settings.yaml hold, and whether all of them."""
        if self.project is None or not (self.project.values or self.project.left_out):
            return "Knobs ▾"
        left = len(self.project.left_out)
        words = [f"{len(self.from_project)} from {self.project.path.name}"] + ([f"{left} left out"] if left else [])
        return f"Knobs: {', '.join(words)} ▾"

    @property
    def _projected(self) -> dict[str, int]:
        values = {} if self.project is None else self.project.values
        return {key: value for key in self.numbers if isinstance(value := values.get(key), int)}

    def _set(self, box: QSpinBox, value: int) -> None:
        """Set a value that may lie past what a person would turn to."""
        with QSignalBlocker(box):
            box.setRange(min(box.minimum(), value), max(box.maximum(), value))
            box.setValue(value)

    def _mind(self) -> None:
        """Say beside each knob what GraphRAG has, and whether the value is that of the project."""
        projected = self.from_project
        for key, box in self.numbers.items():
            source = f"{self.project.path.name} · " if self.project is not None and key in projected else ""
            box.setSuffix(f"   ({source}GraphRAG: {getattr(_GRAPHRAG, key):,})")
        self.note.show_taken(self.project, projected)
        self.again_button.setVisible(bool(self._projected))
        self.again_button.setEnabled(len(projected) < len(self._projected))
        if self.project is not None:
            self.again_button.setText(f"As {self.project.path.name} has it")

    def show_caps(self, shown: bool) -> None:
        """Show the fields of the caps: only calls that are paid for have them."""
        for cap in (self.max_cost, self.max_calls):
            self._form.setRowVisible(cap, shown)

    def reset(self) -> None:
        self.reports.setCurrentIndex(0)
        for key, box in self.numbers.items():
            box.setValue(int(self._defaults.get(key, getattr(_GRAPHRAG, key))))
        self._turned.clear()
        self.max_cost.setValue(0.0)
        self.max_calls.setValue(0)
        self.keep_filling.setChecked(False)
        self.nearest_ancestor.setChecked(False)

    def _turn(self, key: str) -> None:
        if key == "concurrency":
            self._turned.add(key)
        self._mind()
        self.changed.emit()


def _muted(text: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("role", "muted")
    return label
