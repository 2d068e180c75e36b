"""The page of prompts: the shipped text, the project's own in its place, and what an edited one must keep."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, Qt
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QHBoxLayout, QListView, QPlainTextEdit, QWidget

from explorer.analysts.prompt_files import PromptText, keep_prompt, load_prompts, restore_prompt
from explorer.base.errors import ExplorerError, InputError
from explorer.gui.actions import ActionRegistry
from explorer.gui.prompts_dialog import Desk, PromptsDialog
from explorer.gui.session import Session
from explorer.gui.theme import Theme
from explorer.gui.widgets.action_button import ActionButton
from explorer.gui.widgets.pane import Pane
from explorer.gui.widgets.sentences import sentence
from explorer.gui.widgets.shapes import shape_pixmap
from explorer.gui.words import count

_WORDS = {
    "entity_extraction": "Find entities and relationships",
    "entity_gleaning": "Ask what was missed",
    "claim_extraction": "Find claims",
    "describe": "Join descriptions",
    "community_report": "Write a report",
    "community_rating": "Rate a report",
    "map_points": "Read a batch of reports",
    "reduce": "Write the answer",
    "answer": "Answer from rows",
}


class PromptsModel(QAbstractListModel):
    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.prompts: list[PromptText] = []

    def set_prompts(self, prompts: Sequence[PromptText]) -> None:
        self.beginResetModel()
        self.prompts = list(prompts)
        self.endResetModel()

    def replace(self, row: int, prompt: PromptText) -> None:
        self.prompts[row] = prompt
        self.dataChanged.emit(self.index(row, 0), self.index(row, 0))

    def rowCount(self, parent: QModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.prompts)

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        prompt = self.prompts[index.row()]
        state = "cannot be used" if prompt.wrong else "edited" if prompt.edited else "as it ships"
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{_WORDS.get(prompt.name, prompt.name)}\n{prompt.name} · {state}"
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            return f"{_WORDS.get(prompt.name, prompt.name)} ({prompt.name}), {state}. {prompt.wrong}".strip()
        if role == Qt.ItemDataRole.DecorationRole:
            shape, colour = (
                ("cross", "failed") if prompt.wrong else ("dot", "accent") if prompt.edited else ("ring", "muted")
            )
            return shape_pixmap(shape, self._theme.colour(colour), self._theme.em)
        return None


class PromptsPage(QWidget):
    def __init__(self, session: Session, theme: Theme, actions: ActionRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._theme = session, theme
        self.dialog: PromptsDialog | None = None
        self._save, self._restore = actions.get("prompts.save"), actions.get("prompts.restore")
        em = theme.em
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(round(em * 0.7))
        self.list_pane = Pane("Prompts")
        self.model = PromptsModel(theme, self)
        self.list = QListView()
        self.list.setAccessibleName("Prompts")
        self.list.setModel(self.model)
        self.list.setSpacing(round(em * 0.1))
        self.list_pane.body.addWidget(self.list)
        self._offers = actions.get("prompts.offers")
        self.offers = sentence()
        self.offers.setAccessibleName("Prompts of the GraphRAG project")
        self.offers_button = ActionButton(self._offers, "link")
        self.list_pane.body.addWidget(self.offers)
        self.list_pane.body.addWidget(self.offers_button)
        self.text_pane = Pane("Prompt", action=self._restore)
        self.text_pane.add_link(self._save)
        self.text = QPlainTextEdit()
        self.text.setAccessibleName("Text of the prompt")
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.text.setTabChangesFocus(True)
        self.text.textChanged.connect(self._mind)
        self.words = sentence(role="muted")
        self.fields = sentence(role="muted")
        self.wrong = sentence(role="wrong")
        self.wrong.setAccessibleName("Why the prompt cannot be kept")
        self.text_pane.body.addWidget(self.words)
        self.text_pane.body.addWidget(self.text, 1)
        self.text_pane.body.addWidget(self.fields)
        self.text_pane.body.addWidget(self.wrong)
        row.addWidget(self.list_pane, 2)
        row.addWidget(self.text_pane, 5)
        self.list.selectionModel().currentChanged.connect(lambda now, _before: self._show(now.row()))
        session.index_opened.connect(lambda _index: self.load())
        session.index_closed.connect(self.load)
        self.load()

    @property
    def folder(self) -> Path | None:
        """Where the edited prompts of the open folder lie; None where nothing is open."""
        from explorer.analysts.prompts import PROMPTS_NAME

        index = self._session.index
        return None if index is None else Path(index.home) / PROMPTS_NAME

    def load(self) -> None:
        """Read the prompts of the open folder."""
        chosen = max(0, self.list.currentIndex().row())
        order = {name: number for number, name in enumerate(_WORDS)}
        self.model.set_prompts(sorted(load_prompts(self.folder), key=lambda prompt: order.get(prompt.name, 99)))
        index = self._session.index
        self.list_pane.set_figure(f"of {index.name}" if index is not None else "as they ship")
        self.text.setReadOnly(index is None)
        self.words.setText(
            "Edited prompts are those of the open folder alone. Calls of an edited prompt are made anew at the next "
            "run; those of the shipped one are kept."
            if index is not None
            else "Prompts are edited for one folder: open a folder or an index, then they can be changed here."
        )
        self._mind_offers()
        self.list.setCurrentIndex(self.model.index(min(chosen, self.model.rowCount() - 1), 0))
        self._show(self.list.currentIndex().row())

    def find_offers(self) -> Sequence[Any]:
        """The prompts that the project of the open index offers."""
        from explorer.analysts.prompt_offers import find_offers

        index = self._session.index
        settings = getattr(index, "settings", None)
        return find_offers(settings, self.folder, foreign=index.foreign) if settings is not None else ()

    def show_offers(self) -> None:
        """Show them, to be taken over one by one."""
        if self.folder is None or not self.find_offers():
            return
        name = self._session.index.settings.path.parent.name
        self.dialog = PromptsDialog(Desk(name, self.folder, self.find_offers), self._theme, self._took_over, self)
        self.dialog.show()

    def _took_over(self) -> None:
        self.load()
        self._session.use_connection(self._session.connection_name)  # what a question sends is to be counted anew

    def _mind_offers(self) -> None:
        offers = self.find_offers()
        self._offers.setEnabled(bool(offers))
        for widget in (self.offers, self.offers_button):
            widget.setVisible(bool(offers))
        able = sum(not offer.wrong for offer in offers)
        self.offers.setText(
            f"The GraphRAG project of this index has {count(len(offers), 'prompt')} of its own; {able} could be sent "
            "here. None is used until you take it over."
        )

    def save(self) -> None:
        """Keep the text as this folder's prompt; one that lost a field is refused in words."""
        row = self.list.currentIndex().row()
        if self.folder is None or row < 0:
            return
        try:
            kept = keep_prompt(self.folder, self.model.prompts[row].name, self.text.toPlainText())
        except (InputError, ExplorerError) as error:
            self._say(error.sentence)
            return
        self._say("")
        self.model.replace(row, kept)
        self._mind()
        self._session.use_connection(self._session.connection_name)  # what a question sends is to be counted anew

    def restore(self) -> None:
        """Take the edited prompt away: the shipped one holds again."""
        row = self.list.currentIndex().row()
        if self.folder is None or row < 0:
            return
        try:
            shipped = restore_prompt(self.folder, self.model.prompts[row].name)
        except ExplorerError as error:
            self._say(error.sentence)
            return
        self.model.replace(row, shipped)
        self._show(row)
        self._session.use_connection(self._session.connection_name)

    def _show(self, row: int) -> None:
        if not 0 <= row < len(self.model.prompts):
            return
        prompt = self.model.prompts[row]
        self.text_pane.set_title(_WORDS.get(prompt.name, prompt.name))
        self.text.setPlainText(prompt.text)
        fields = " ".join(f"${field}" for field in prompt.fields)
        self.fields.setText(
            f"Fields that must stay: {fields}. A dollar sign of the text is written $$."
            if fields
            else "It has no fields."
        )
        self._say(prompt.wrong)
        self._mind()

    def _mind(self) -> None:
        row = self.list.currentIndex().row()
        prompt = self.model.prompts[row] if 0 <= row < len(self.model.prompts) else None
        changed = prompt is not None and self.folder is not None and self.text.toPlainText() != prompt.text
        self._save.setEnabled(changed)
        self._restore.setEnabled(prompt is not None and (prompt.edited or bool(prompt.wrong) or changed))
        state = "" if prompt is None else "not saved" if changed else "edited" if prompt.edited else "as it ships"
        self.text_pane.set_figure(f"{prompt.name} · {state}" if prompt is not None else "")

    def _say(self, sentence: str) -> None:
        self.wrong.setText(sentence)
        self.wrong.setVisible(bool(sentence))
