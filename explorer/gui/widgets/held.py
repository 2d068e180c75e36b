"""Views that ask their model while the interpreter is held: hundreds of questions a frame, each of which would
otherwise wait for a thread that computes."""

from __future__ import annotations

from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QTableView, QTreeView


class HeldTree(QTreeView):
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)

    def doItemsLayout(self) -> None:
        super().doItemsLayout()


class HeldTable(QTableView):
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)

    def doItemsLayout(self) -> None:
        super().doItemsLayout()
