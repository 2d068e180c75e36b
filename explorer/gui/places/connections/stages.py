"""Another model and other parameters for single stages, as an editable table: a row a stage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt, Signal

from explorer.base.errors import InputError
from explorer.gui.places.connections.typed import parameters_text, read_parameters
from explorer.models.connection import STAGES

_HEADINGS = ("Stage", "Model", "Parameters")
_WORDS = {
    "extract": "Finding entities", "glean": "Finding more of them", "claims": "Finding claims",
    "describe": "Joining descriptions", "reports": "Writing reports", "embed": "Making vectors",
    "rate": "Rating reports", "map": "Reading reports", "reduce": "Writing the answer",
    "answer": "Answering from rows",
}  # fmt: skip


class StagesModel(QAbstractTableModel):
    """`models` and `parameters` are what was entered; an empty cell takes the connection's own."""

    edited = Signal()
    refused = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.models: dict[str, str] = {}
        self.parameters: dict[str, dict[str, object]] = {}

    def show(self, models: Mapping[str, str], parameters: Mapping[str, Mapping[str, object]]) -> None:
        self.beginResetModel()
        self.models = dict(models)
        self.parameters = {stage: dict(values) for stage, values in parameters.items()}
        self.endResetModel()

    def rowCount(self, parent: QModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(STAGES)

    def columnCount(self, parent: QModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(_HEADINGS)

    def headerData(self, section: int, way: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if way == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _HEADINGS[section]
        if way == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        return None

    def flags(self, index: QModelIndex) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        editable = index.column() == 1 or (index.column() == 2 and STAGES[index.row()] != "embed")
        return flags | Qt.ItemFlag.ItemIsEditable if editable else flags

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        stage = STAGES[index.row()]
        text = (
            _WORDS[stage], self.models.get(stage, ""), parameters_text(self.parameters.get(stage, {})),
        )[index.column()]  # fmt: skip
        if role == Qt.ItemDataRole.EditRole:
            return text
        if role == Qt.ItemDataRole.DisplayRole:
            return text or "–"
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return text or f"{_HEADINGS[index.column()]} of {_WORDS[stage]}: that of the connection"
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{_WORDS[stage]} ({stage}): {text or 'as the connection has it'}"
        return None

    def setData(self, index: QModelIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.EditRole or not index.isValid():
            return False
        stage, text = STAGES[index.row()], str(value).strip()
        if index.column() == 1:
            self.models.pop(stage, None)
            if text:
                self.models[stage] = text
        else:
            try:
                parameters = read_parameters(text)
            except InputError as error:
                self.refused.emit(error.sentence)
                return False
            self.parameters.pop(stage, None)
            if parameters:
                self.parameters[stage] = parameters
        self.dataChanged.emit(index, index)
        self.edited.emit()
        return True
