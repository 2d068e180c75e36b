"""Prices of models as an editable table. A price that nobody knows stays "unknown": an empty cell, never 0."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt, Signal

from explorer.base.errors import InputError
from explorer.gui.places.connections.typed import price_text, read_price
from explorer.gui.theme import Theme

if TYPE_CHECKING:
    from explorer.models.prices import Price

_HEADINGS = ("Model", "Prompt, $ a million", "Output, $ a million", "From")
_UNKNOWN = "unknown"


class PricesModel(QAbstractTableModel):
    """`own` are the prices entered here, by model; `fallback` those that hold where none is, with where they are from.

    A cell is edited in place; an empty prompt price takes the own price away. Of a model that nobody knows both prices
    must be entered before they count (0 for the output of an embedding model): half a price would be a wrong bill.
    """

    edited = Signal()
    refused = Signal(str)

    def __init__(self, theme: Theme, own_words: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme, self._own_words = theme, own_words
        self.models: list[str] = []
        self.own: dict[str, Price] = {}
        self._fallback: dict[str, tuple[Price, str]] = {}
        self._half: dict[str, float] = {}  # the prompt price of a model whose output price is still unknown

    def show(self, models: Iterable[str], own: Mapping[str, Price], fallback: Mapping[str, tuple[Price, str]]) -> None:
        """Show these models, in this order."""
        self.beginResetModel()
        self.models, self.own, self._fallback = list(models), dict(own), dict(fallback)
        self._half = {}
        self.endResetModel()

    def set_models(self, models: Iterable[str]) -> None:
        """Show other models; what was entered for those that go away is kept in `own`."""
        models = list(models)
        if models != self.models:
            self.beginResetModel()
            self.models = models
            self.endResetModel()

    def restore(self, row: int) -> None:
        """Take an own price away."""
        if 0 <= row < len(self.models) and self.own.pop(self.models[row], None) is not None:
            self._tell(row)

    def rowCount(self, parent: QModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.models)

    def columnCount(self, parent: QModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(_HEADINGS)

    def headerData(self, section: int, way: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if way == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _HEADINGS[section]
        if way == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section in (1, 2) else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None

    def flags(self, index: QModelIndex) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsEditable if index.column() in (1, 2) else flags

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        model = self.models[index.row()]
        own = self.own.get(model)
        price, origin = (own, self._own_words) if own is not None else self._fallback.get(model, (None, ""))
        column = index.column()
        half = self._half.get(model)
        if half is not None and price is None:
            if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
                return (model, price_text(half), _UNKNOWN, "enter the output price too; 0 for an embedding model")[
                    column
                ]
            if role == Qt.ItemDataRole.EditRole:
                return price_text(half) if column == 1 else ""
        if role == Qt.ItemDataRole.EditRole:
            return "" if price is None else price_text((price.prompt, price.output)[column - 1])
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            if column == 0:
                return model
            if column == 3:
                return origin or "no price is known"
            return _UNKNOWN if price is None else price_text((price.prompt, price.output)[column - 1])
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{model}: {origin or 'the price is unknown'}"
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._theme.colour("muted") if own is None and column else None
        if role == Qt.ItemDataRole.TextAlignmentRole and column in (1, 2):
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    def setData(self, index: QModelIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.EditRole or index.column() not in (1, 2):
            return False
        from explorer.models.prices import Price

        model = self.models[index.row()]
        try:
            number = read_price(str(value))
        except InputError as error:
            self.refused.emit(error.sentence)
            return False
        before = self.own.get(model) or self._fallback.get(model, (None, ""))[0]
        if index.column() == 1 and number is None:
            self.own.pop(model, None)
            self._half.pop(model, None)
        elif index.column() == 1 and before is None:
            self._half[model] = number
        elif index.column() == 1:
            self.own[model] = Price(prompt=number, output=before.output)
        elif number is None:
            self.refused.emit("An output price is a number; it is 0 for an embedding model.")
            return False
        elif before is not None or model in self._half:
            prompt = before.prompt if before is not None else self._half.pop(model)
            self.own[model] = Price(prompt=prompt, output=number)
        else:
            self.refused.emit("Enter what prompts cost first.")
            return False
        self._tell(index.row())
        return True

    def _tell(self, row: int) -> None:
        self.dataChanged.emit(self.index(row, 0), self.index(row, len(_HEADINGS) - 1))
        self.edited.emit()


def known_fallback(*, with_user: bool) -> dict[str, tuple[Price, str]]:
    """The prices that ship, with source and date, and those of the user before them. Raises InputError where the
    user's file cannot be read."""
    from explorer.models.price_sources import price_sources
    from explorer.models.prices import shipped_prices, user_prices

    sources = price_sources()
    found = {
        model: (price, f"{sources[model].name}, read {sources[model].date:%Y-%m-%d}")
        for model, price in shipped_prices().items()
    }
    if with_user:
        found |= {model: (price, "yours, under Prices") for model, price in user_prices().items()}
    return found
