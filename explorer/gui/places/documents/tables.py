"""The look that all tables of this place share."""

from __future__ import annotations

from PySide6.QtWidgets import QTableView

from explorer.gui.theme import tabular
from explorer.gui.widgets.held import HeldTable


def plain_table(name: str) -> QTableView:
    """A table of rows without a grid, with digits of one width."""
    table = HeldTable()
    table.setAccessibleName(name)
    table.verticalHeader().hide()
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
    table.setVerticalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
    table.setFont(tabular(table.font()))
    height = table.fontMetrics().height()
    table.verticalHeader().setDefaultSectionSize(round(height * 1.6))
    table.horizontalHeader().setHighlightSections(False)
    return table


def fit_height(table: QTableView, rows: int) -> None:
    """As high as so many rows and the header."""
    height = rows * table.verticalHeader().defaultSectionSize()
    table.setFixedHeight(height + table.horizontalHeader().sizeHint().height() + 4)
