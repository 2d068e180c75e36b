"""The prompts of a GraphRAG project: what each would do here, its text as it would be sent, taken over one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QPlainTextEdit,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from explorer.base.errors import ExplorerError
from explorer.gui.theme import Theme
from explorer.gui.widgets.rows_model import Column, RowsModel
from explorer.gui.widgets.sentences import sentence

_WORDS = {"in use": "in use", "can": "can be taken over", "cannot": "cannot be used here"}


def _state(offer: Any) -> str:
    return _WORDS["in use" if offer.taken else "cannot" if offer.wrong else "can"]


COLUMNS = (
    Column("File of the project", lambda offer: offer.path.name),
    Column("In place of", lambda offer: offer.name or "nothing of ours"),
    Column("State", _state),
)


@dataclass(frozen=True)
class Desk:
    """Whose prompts: `find` gives the offers as they are now, `folder` keeps those that are taken over."""

    name: str
    folder: Path
    find: Callable[[], Sequence[Any]]


class PromptsDialog(QDialog):
    """`changed` is called after a prompt was taken over or given back. Files are small; they are read here."""

    def __init__(self, desk: Desk, theme: Theme, changed: Callable[[], None], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk, self._changed = desk, changed
        self.setWindowTitle(f"Prompts of the GraphRAG project {desk.name}")
        self.setAccessibleName(self.windowTitle())
        em = theme.em
        self.resize(em * 54, em * 36)
        column = QVBoxLayout(self)
        column.setSpacing(round(em * 0.5))
        from explorer.analysts.prompt_offers import MEANING

        column.addWidget(sentence(f"None of these is used until you take it over. {MEANING}", "muted"))
        self.model = RowsModel(COLUMNS, self)
        self.table = table = QTableView()
        table.setAccessibleName("Prompts of the project")
        table.setModel(self.model)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(round(em * 1.6))
        table.setShowGrid(False)
        table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        table.setTabKeyNavigation(False)
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        table.horizontalHeader().setHighlightSections(False)
        column.addWidget(table, 2)
        self.words = sentence("")
        self.words.setAccessibleName("What would happen to the prompt")
        column.addWidget(self.words)
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName("Text as it would be sent")
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        column.addWidget(self.text, 3)
        self.wrong = sentence("", "wrong")
        self.wrong.setAccessibleName("What went wrong")
        self.wrong.hide()
        column.addWidget(self.wrong)
        self.take_button, self.all_button = QPushButton("Take it over"), QPushButton("Take over all that can be")
        self.back_button = QPushButton("Back to ours")
        self.take_button.clicked.connect(self.take)
        self.all_button.clicked.connect(self.take_all)
        self.back_button.clicked.connect(self.give_back)
        row = QHBoxLayout()
        for button in (self.take_button, self.back_button, self.all_button):
            button.setAutoDefault(False)
            row.addWidget(button)
        row.addStretch(1)
        close = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        close.rejected.connect(self.reject)
        row.addWidget(close)
        column.addLayout(row)
        table.selectionModel().currentChanged.connect(lambda now, _before: self._show(now.row()))
        self.load()

    @property
    def chosen(self) -> Any:
        """The offer that is looked at, or None."""
        row = self.table.currentIndex().row()
        return self.model.rows[row] if 0 <= row < len(self.model.rows) else None

    def load(self) -> None:
        """Read the offers anew; what was chosen stays so."""
        row = max(0, self.table.currentIndex().row())
        self.model.set_rows(self._desk.find())
        if self.model.rows:
            self.table.setCurrentIndex(self.model.index(min(row, len(self.model.rows) - 1), 0))
        self._show(self.table.currentIndex().row())

    def take(self) -> None:
        """Make the chosen prompt the index's own."""
        if self.chosen is not None:
            self._do([self.chosen])

    def take_all(self) -> None:
        """Make every prompt that can be sent the index's own."""
        self._do([offer for offer in self.model.rows if not offer.wrong])

    def give_back(self) -> None:
        """Let the prompt that ships stand again in place of the chosen one."""
        from explorer.analysts.prompt_files import restore_prompt

        offer = self.chosen
        if offer is not None and offer.taken:
            self._try(lambda: restore_prompt(self._desk.folder, offer.name))

    def _do(self, offers: Sequence[Any]) -> None:
        from explorer.analysts.prompt_offers import take_over

        for offer in offers:
            if not self._try(lambda offer=offer: take_over(self._desk.folder, offer)):
                return

    def _try(self, does: Callable[[], object]) -> bool:
        try:
            does()
        except ExplorerError as error:
            self.wrong.setText(error.sentence)
            self.wrong.show()
            return False
        self.wrong.hide()
        self.load()
        self._changed()
        return True

    def _show(self, row: int) -> None:
        offer = self.model.rows[row] if 0 <= row < len(self.model.rows) else None
        self.words.setText("" if offer is None else offer.words)
        self.text.setPlainText("" if offer is None else offer.text)
        self.text.setPlaceholderText("Its text is in the project; nothing of it would be sent.")
        self.take_button.setEnabled(offer is not None and not offer.wrong and not offer.taken)
        self.back_button.setEnabled(offer is not None and offer.taken)
        self.all_button.setEnabled(any(not one.wrong and not one.taken for one in self.model.rows))
