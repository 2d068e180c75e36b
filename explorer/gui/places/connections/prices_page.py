"""The page of prices: those that ship, with their source and date, and the user's own before them."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QLabel, QLineEdit, QTableView, QVBoxLayout, QWidget

from explorer.base.errors import ExplorerError, InputError
from explorer.gui.actions import ActionRegistry
from explorer.gui.places.connections.prices import PricesModel, known_fallback
from explorer.gui.session import Session
from explorer.gui.theme import Theme, tabular
from explorer.gui.widgets.action_button import ActionButton
from explorer.gui.widgets.pane import Pane
from explorer.gui.words import count


class PricesPage(QWidget):
    """An edit is kept at once, in the user's own file of prices; what ships is never changed."""

    def __init__(self, session: Session, theme: Theme, actions: ActionRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._restore = actions.get("prices.restore")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        self.pane = Pane("Prices", action=self._restore)
        self.model = PricesModel(theme, "yours", self)
        self.model.edited.connect(self._keep)
        self.model.refused.connect(self._refuse)
        self.view = QTableView()
        self.view.setAccessibleName("Prices of models in US dollars for a million tokens")
        self.view.setModel(self.model)
        self.view.setFont(tabular(self.view.font()))
        self.view.setShowGrid(False)
        self.view.setWordWrap(False)
        self.view.setTabKeyNavigation(False)
        self.view.verticalHeader().hide()
        self.view.verticalHeader().setDefaultSectionSize(round(theme.em * 1.7))
        header = self.view.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(3, QHeaderView.ResizeMode.Stretch)
        self.view.selectionModel().currentChanged.connect(self._mind)
        row = QHBoxLayout()
        self.new_model = QLineEdit()
        self.new_model.setPlaceholderText("name of a model that has no price here")
        self.new_model.setAccessibleName("Name of a model to enter a price for")
        self.new_model.returnPressed.connect(actions.get("prices.add").trigger)
        row.addWidget(self.new_model, 1)
        row.addWidget(ActionButton(actions.get("prices.add"), text="Enter its price"))
        self.words = QLabel(
            "US dollars for a million tokens; double-click a figure to change it. A price that is not known stays "
            "unknown and is never taken for 0. A connection's own prices stand before these."
        )
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setWordWrap(True)
        self.words.setProperty("role", "muted")
        self.wrong = QLabel()
        self.wrong.setTextFormat(Qt.TextFormat.PlainText)
        self.wrong.setWordWrap(True)
        self.wrong.setProperty("role", "wrong")
        self.wrong.hide()
        for part in (self.words, self.view, self.wrong):
            self.pane.body.addWidget(part, 1 if part is self.view else 0)
        self.pane.body.addLayout(row)
        column.addWidget(self.pane)
        self.load()

    def load(self) -> None:
        """Read the prices again."""
        from explorer.models.prices import user_prices

        fallback = known_fallback(with_user=False)
        try:
            own = user_prices()
            self._refuse("")
        except InputError as error:
            own = {}
            self._refuse(error.sentence)
        self.model.show(sorted({*fallback, *own}), own, fallback)
        self._count()

    def add(self) -> None:
        """A row for the model that was typed; its price is unknown until it is entered."""
        name = self.new_model.text().strip()
        if not name:
            self.new_model.setFocus()
            return
        if name not in self.model.models:
            self.model.set_models(sorted([*self.model.models, name]))
        place = self.model.index(self.model.models.index(name), 1)
        self.view.setCurrentIndex(place)
        self.view.scrollTo(place)
        self.new_model.clear()
        self.view.edit(place)

    def restore(self) -> None:
        """Take the own price of the chosen model away: the shipped one holds again, or none."""
        self.model.restore(self.view.currentIndex().row())

    def _keep(self) -> None:
        from explorer.models.prices import save_user_prices

        try:
            save_user_prices(self.model.own)
            self._refuse("")
        except ExplorerError as error:
            self._refuse(error.sentence)
        self._count()
        self._mind(self.view.currentIndex())
        self._session.connections_changed.emit()
        self._session.use_connection(self._session.connection_name)  # what a run will cost is to be counted anew

    def _refuse(self, sentence: str) -> None:
        self.wrong.setText(sentence)
        self.wrong.setVisible(bool(sentence))

    def _mind(self, index: QModelIndex) -> None:
        models = self.model.models
        own = index.isValid() and index.row() < len(models) and models[index.row()] in self.model.own
        self._restore.setEnabled(own)

    def _count(self) -> None:
        own = len(self.model.own)
        self.pane.set_figure(f"{count(len(self.model.models), 'model')} · {own} entered by you")
