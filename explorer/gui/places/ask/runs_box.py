"""The kept runs of the open index, the newest first; choosing one opens it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QWidget

from explorer.gui.engine import Engine
from explorer.gui.places.ask.running import earlier_runs


class RunsBox(QComboBox):
    """`list_runs(index)` fills it; `opened(trace)` or `failed(sentence)` follows a choice. Files are read elsewhere."""

    opened = Signal(object)  # Trace
    failed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.engine: Engine | None = None
        self._index: Any = None
        self.setAccessibleName("Earlier runs of this index")
        self.activated.connect(self._open)

    def list_runs(self, index: Any) -> None:
        """List the kept runs of an index; None empties the list."""
        self._index = index
        self.clear()
        if index is None or self.engine is None:
            return
        self.addItem("Runs", None)
        self.engine.run(
            lambda sink, scope: earlier_runs(index),
            name="Listing the runs",
            quiet=True,
            on_done=lambda runs: self._show(index, runs),
        )

    def _show(self, index: Any, runs: list[tuple[str, Path]]) -> None:
        if index is self._index:
            self.clear()
            self.addItem("Runs", None)
            for words, path in runs:
                self.addItem(words, path)

    def _open(self, place: int) -> None:
        from explorer.search.runs import load_run

        path = self.itemData(place)
        if path is not None and self.engine is not None:
            self.engine.run(
                lambda sink, scope: load_run(path),
                name="Opening a run",
                quiet=True,
                on_done=self.opened.emit,
                on_error=self.failed.emit,
            )
