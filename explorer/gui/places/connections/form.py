"""Every field of a connection, in groups: server and key, models, limits, prices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QScrollArea,
    QSpinBox,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from explorer.base.errors import InputError
from explorer.gui.places.connections.key_box import KeyBox
from explorer.gui.places.connections.prices import PricesModel, known_fallback
from explorer.gui.places.connections.stages import StagesModel
from explorer.gui.places.connections.typed import parameters_text, read_parameters
from explorer.gui.theme import Theme, tabular
from explorer.gui.widgets.elided import ElidedLabel
from explorer.tables.settings_words import model_words

if TYPE_CHECKING:
    from explorer.models.connection import Connection
    from explorer.tables.settings import GraphragSettings

_KINDS = (
    ("openai", "OpenAI"),
    ("azure", "Azure OpenAI"),
    ("compatible", "A compatible server (Ollama, LM Studio, llama.cpp, vLLM, OpenRouter, LiteLLM …)"),
)
_ADDRESSES = {
    "openai": "https://api.openai.com/v1",
    "azure": "https://NAME.openai.azure.com",
    "compatible": "http://localhost:11434/v1",
}
_TOKENIZERS = ((None, "that of the model, o200k_base where it is unknown"), ("o200k_base", "o200k_base"),
               ("cl100k_base", "cl100k_base"))  # fmt: skip
_MODES = (
    (None, "not known yet: the test finds it"), ("json_schema", "a JSON schema (json_schema)"),
    ("json_object", "a JSON object (json_object)"), ("text", "in words (text)"),
)  # fmt: skip


class ConnectionForm(QScrollArea):
    """`show_connection` fills it, `read` gives the connection as it stands; `edited` tells that a person changed it."""

    edited = Signal()
    refused = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._shown: Connection | None = None
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Fields of the connection")
        inner = QWidget()
        inner.setObjectName("FormGround")
        self._column = QVBoxLayout(inner)
        self._column.setContentsMargins(0, 0, round(theme.em * 0.9), 0)
        self._column.setSpacing(round(theme.em * 0.5))
        self.setWidget(inner)
        inner.setAutoFillBackground(False)  # the pane's own ground shows
        self.viewport().setAutoFillBackground(False)
        self._server_group()
        self._models_group()
        self._limits_group()
        self._prices_group()
        self._stages_group()
        self._column.addStretch(1)

    def _server_group(self) -> None:
        form = self._group("Server and key")
        self.name = self._line("Name of the connection")
        self.name.setMaxLength(80)
        self.kind = self._choice("Kind of server", _KINDS)
        self.base_url = self._line("Address of the server")
        self.api_version = self._line("Version of Azure's API")
        self.api_version.setPlaceholderText("2024-10-21")
        self.key = KeyBox(self._theme)
        self.key.edited.connect(self.edited)
        form.addRow(self._label("Name"), self.name)
        form.addRow(self._label("Kind"), self.kind)
        form.addRow(self._label("Address"), self.base_url)
        form.addRow(self._label("API version"), self.api_version)
        form.addRow(self._label("Key"), self.key)
        self._server = form
        self.kind.currentIndexChanged.connect(self._follow_kind)

    def _models_group(self) -> None:
        form = self._group("Models")
        self.chat_model = self._model_box("Chat model")
        self.embedding_model = self._model_box("Embedding model")
        self.embedding_model.lineEdit().setPlaceholderText("none: vectors are made by the offline analyst")
        self.parameters = self._line("Parameters of every chat call")
        self.parameters.setPlaceholderText("temperature = 0, seed = 7")
        self.reply_mode = self._choice("How JSON is asked for", _MODES)
        form.addRow(self._label("Chat model"), self.chat_model)
        form.addRow(self._label("Embedding model"), self.embedding_model)
        form.addRow(self._label("Parameters"), self.parameters)
        form.addRow(self._label("JSON"), self.reply_mode)
        self.project_models = ElidedLabel()
        self.project_models.setAccessibleName("Models that the project's settings name")
        self.project_models.setProperty("role", "muted")
        self.take_models = QHBoxLayout()
        self.take_models.addWidget(self.project_models, 1)
        form.addRow(self.take_models)
        for box in (self.chat_model, self.embedding_model):
            box.editTextChanged.connect(lambda _text: self._follow_models())

    def _limits_group(self) -> None:
        form = self._group("Limits")
        self.concurrency = self._number("Calls that are out at one time", 1, 512)
        self.requests_per_minute = self._number("Requests in every 60 seconds", 0, 1_000_000, "no limit")
        self.tokens_per_minute = self._number("Tokens in every 60 seconds", 0, 1_000_000_000, "no limit", 1000)
        self.context_window = self._number("Context window in tokens", 0, 100_000_000, "unknown", 1024)
        self.tokenizer = self._choice("Tokenizer", _TOKENIZERS)
        self.timeout = QDoubleSpinBox()
        self.timeout.setRange(0.1, 86_400.0)
        self.timeout.setDecimals(1)
        self.timeout.setSuffix(" s")
        self.timeout.setAccessibleName("Seconds for one attempt")
        self.timeout.valueChanged.connect(lambda _value: self.edited.emit())
        self.retries = self._number("Attempts after the first", 0, 100)
        left, right = self._columns(form)
        for label, field in (
            ("Calls at once", self.concurrency), ("Requests a minute", self.requests_per_minute),
            ("Tokens a minute", self.tokens_per_minute),
        ):  # fmt: skip
            left.addRow(self._label(label), field)
        for label, field in (
            ("Context window", self.context_window), ("Time-out", self.timeout), ("Retries", self.retries),
        ):  # fmt: skip
            right.addRow(self._label(label), field)
        form.addRow(self._label("Tokenizer"), self.tokenizer)

    def _prices_group(self) -> None:
        form = self._group("Prices of this connection")
        self.prices = PricesModel(self._theme, "this connection", self)
        self.prices.edited.connect(self.edited)
        self.prices.refused.connect(self.refused)
        view = _table("Prices of the models of this connection", self._theme)
        view.setModel(self.prices)
        header = view.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(3, QHeaderView.ResizeMode.Stretch)
        self.prices.modelReset.connect(lambda: _fit_height(view, max(1, self.prices.rowCount())))
        form.addRow(view)
        self.prices_view = view

    def _stages_group(self) -> None:
        form = self._group("Single stages", "another model or other parameters for some of them; empty is as above")
        self.stages = StagesModel(self)
        self.stages.edited.connect(self.edited)
        self.stages.refused.connect(self.refused)
        view = _table("Models and parameters of single stages", self._theme)
        view.setModel(self.stages)
        view.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        for column in (1, 2):
            view.horizontalHeader().setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        _fit_height(view, self.stages.rowCount())
        form.addRow(view)
        self.stages_view = view

    def show_connection(self, connection: Connection) -> None:
        """Fill every field; what was typed as a key is thrown away."""
        self.blockSignals(True)  # filling the fields is no edit
        try:
            self._fill(connection)
        finally:
            self.blockSignals(False)

    def _fill(self, connection: Connection) -> None:
        self._shown = connection
        self.name.setText(connection.name)
        _choose(self.kind, connection.kind)
        self.base_url.setText(connection.base_url)
        self.api_version.setText(connection.api_version)
        self.key.show_place(connection.key)
        self.chat_model.setEditText(connection.chat_model)
        self.embedding_model.setEditText(connection.embedding_model)
        self.parameters.setText(parameters_text(connection.parameters))
        _choose(self.reply_mode, connection.reply_mode)
        self.stages.show(connection.stage_models, connection.stage_parameters)
        self.concurrency.setValue(connection.concurrency)
        for box, value in (
            (self.requests_per_minute, connection.requests_per_minute),
            (self.tokens_per_minute, connection.tokens_per_minute), (self.context_window, connection.context_window),
        ):  # fmt: skip
            box.setValue(value or 0)
        _choose(self.tokenizer, connection.tokenizer)
        self.timeout.setValue(connection.timeout)
        self.retries.setValue(connection.retries)
        self.show_prices(connection)
        self._follow_kind()

    def show_prices(self, connection: Connection) -> None:
        """Show the prices of the models that are named, with those that hold where the connection has none."""
        try:
            fallback = known_fallback(with_user=True)
        except InputError:
            fallback = known_fallback(with_user=False)  # the page of prices says what is wrong with the user's file
        self.prices.show(self._named_models(), connection.prices, fallback)

    def show_models(self, models: Sequence[str]) -> None:
        """Offer the models that the server lists; what stands in the fields stays."""
        for box in (self.chat_model, self.embedding_model):
            text = box.currentText()
            with QSignalBlocker(box):
                box.clear()
                box.addItems(list(models))
                box.setEditText(text)

    def show_project_models(self, settings: GraphragSettings | None) -> None:
        """Say which models a project's settings name; they are offered, what stands in the fields stays."""
        self.project_models.setText("" if settings is None else model_words(settings).partition(";")[0])
        self.project_models.setVisible(settings is not None)

    def put_models(self, chat: str, embedding: str) -> None:
        """Put names into the fields of the models; "" leaves a field as it is."""
        for box, name in ((self.chat_model, chat), (self.embedding_model, embedding)):
            if name:
                box.setEditText(name)

    def show_mode(self, mode: str | None) -> None:
        """Show which way to ask for JSON worked."""
        _choose(self.reply_mode, mode)

    def read(self) -> Connection:
        """The connection as the form stands. Raises InputError, in one sentence, where it is none."""
        from pydantic import ValidationError

        from explorer.models.connection import Connection
        from explorer.models.connections import problem_words, refuse_secrets
        from explorer.models.open_client import server_address

        values: dict[str, Any] = {
            "name": self.name.text().strip(), "kind": self.kind.currentData(), "base_url": self.base_url.text().strip(),
            "api_version": self.api_version.text().strip(), "chat_model": self.chat_model.currentText().strip(),
            "embedding_model": self.embedding_model.currentText().strip(), "stage_models": self.stages.models,
            "parameters": read_parameters(self.parameters.text()), "stage_parameters": self.stages.parameters,
            "concurrency": self.concurrency.value(), "requests_per_minute": self.requests_per_minute.value() or None,
            "tokens_per_minute": self.tokens_per_minute.value() or None,
            "context_window": self.context_window.value() or None, "tokenizer": self.tokenizer.currentData(),
            "prices": dict(self.prices.own), "key": self.key.place,
            "timeout": self.timeout.value(), "retries": self.retries.value(),
            "reply_mode": self.reply_mode.currentData(),
        }  # fmt: skip
        try:
            connection = Connection.model_validate(values)
        except ValidationError as error:
            raise InputError(f"This is no connection yet: {problem_words(error)}.") from None
        refuse_secrets(connection)
        server_address(connection)
        return connection

    def _follow_kind(self) -> None:
        kind = str(self.kind.currentData())
        self.base_url.setPlaceholderText(_ADDRESSES[kind])
        self._server.setRowVisible(self.api_version, kind == "azure")
        label = "Deployment" if kind == "azure" else "Chat model"
        self.chat_model.setToolTip(f"{label}: the name that the server knows it by")

    def _follow_models(self) -> None:
        self.prices.set_models(self._named_models())
        self.edited.emit()

    def _named_models(self) -> list[str]:
        named = [self.chat_model.currentText(), self.embedding_model.currentText(), *self.stages.models.values()]
        return [name for name in dict.fromkeys(part.strip() for part in named) if name]

    def _group(self, title: str, about: str = "") -> QFormLayout:
        head = QHBoxLayout()
        head.setSpacing(round(self._theme.em * 0.5))
        for text, role in ((title, "title"), (about, "muted")):
            label = QLabel(text)
            label.setProperty("role", role)
            head.addWidget(label)
        head.addStretch(1)
        self._column.addLayout(head)
        form = self._rows()
        self._column.addLayout(form)
        self._column.addSpacing(round(self._theme.em * 0.4))
        return form

    def _columns(self, form: QFormLayout) -> tuple[QFormLayout, QFormLayout]:
        """Two columns of rows beside each other."""
        both = QHBoxLayout()
        both.setSpacing(self._theme.em * 2)
        left, right = self._rows(), self._rows()
        both.addLayout(left, 1)
        both.addLayout(right, 1)
        form.addRow(both)
        return left, right

    def _label(self, text: str) -> QLabel:
        """A label as high as a field and as wide as the widest of them, so that all groups stand in line."""
        label = QLabel(text)
        em = self._theme.em
        label.setMinimumHeight(round(em * 1.7))
        label.setMinimumWidth(self.fontMetrics().horizontalAdvance("Requests a minute") + round(em * 0.5))
        label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        return label

    def _rows(self) -> QFormLayout:
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.DontWrapRows)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        form.setHorizontalSpacing(self._theme.em)
        form.setVerticalSpacing(round(self._theme.em * 0.35))
        return form

    def _line(self, name: str) -> QLineEdit:
        line = QLineEdit()
        line.setAccessibleName(name)
        line.textEdited.connect(lambda _text: self.edited.emit())
        return line

    def _choice(self, name: str, options: Sequence[tuple[Any, str]]) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(name)
        for value, words in options:
            box.addItem(words, value)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(16)
        box.activated.connect(lambda _index: self.edited.emit())
        return box

    def _model_box(self, name: str) -> QComboBox:
        box = QComboBox()
        box.setEditable(True)
        box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        box.setAccessibleName(name)
        box.lineEdit().setAccessibleName(name)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(16)
        return box

    def _number(self, name: str, low: int, high: int, special: str = "", step: int = 1) -> QSpinBox:
        box = QSpinBox()
        box.setRange(low, high)
        box.setSingleStep(step)
        box.setGroupSeparatorShown(True)
        box.setFont(tabular(box.font()))
        box.setAccessibleName(name)
        if special:
            box.setSpecialValueText(special)
        box.valueChanged.connect(lambda _value: self.edited.emit())
        return box


def _choose(box: QComboBox, value: object) -> None:
    for place in range(box.count()):
        if box.itemData(place) == value:
            box.setCurrentIndex(place)
            return


def _table(name: str, theme: Theme) -> QTableView:
    view = QTableView()
    view.setAccessibleName(name)
    view.setFont(tabular(view.font()))
    view.setShowGrid(False)
    view.setWordWrap(False)
    view.setTabKeyNavigation(False)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.verticalHeader().hide()
    view.verticalHeader().setDefaultSectionSize(round(theme.em * 1.6))
    return view


def _fit_height(view: QTableView, rows: int) -> None:
    """As high as its rows: the form scrolls, not the table in it."""
    header = view.horizontalHeader().sizeHint().height()
    view.setFixedHeight(header + rows * view.verticalHeader().defaultSectionSize() + 4)
