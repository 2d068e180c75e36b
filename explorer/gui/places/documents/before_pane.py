"""Before the start: what a run will take, the caps, a pilot, and the question whether to begin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QDoubleSpinBox, QHBoxLayout, QHeaderView, QLabel, QSpinBox, QTableView, QWidget

from explorer.gui.actions import ActionRegistry
from explorer.gui.places.documents.settings_box import SettingsBox
from explorer.gui.places.documents.tables import fit_height, plain_table
from explorer.gui.preparing import Preparation
from explorer.gui.theme import Theme, tabular
from explorer.gui.widgets.action_button import ActionButton
from explorer.gui.widgets.pane import EmptyState, Pane
from explorer.gui.widgets.rows_model import Column, RowsModel
from explorer.gui.widgets.sentences import sentence
from explorer.gui.words import count, duration, money, money_range, number_range

if TYPE_CHECKING:
    from explorer.indexing.pilot_result import PilotResult
    from explorer.planning.estimated import Estimate, StageEstimate

PILOT_UNITS = 20
_WORDS = {
    "extract": "Finding entities", "glean": "Looking again", "claims": "Finding claims",
    "describe": "Joining descriptions", "reports": "Writing reports", "embed": "Making vectors",
}  # fmt: skip
_FREE = "The offline analyst reads the folder: it costs nothing, and nothing is sent anywhere."
_ESTIMATING = "Reading the folder and rehearsing the run. No call is made for this."


@dataclass(frozen=True)
class StageLine:
    name: str
    stage: StageEstimate | Estimate


def _likely(line: StageLine) -> str:
    return money(line.stage.middle.cost)


COLUMNS = (
    Column("Stage", lambda line: line.name),
    Column("Calls", lambda line: number_range(line.stage.calls), number=True),
    Column("Known already", lambda line: f"{line.stage.cached:,}" if line.stage.cached else "", number=True),
    Column("Prompt tokens", lambda line: number_range(line.stage.prompt_tokens), number=True),
    Column("Output tokens", lambda line: number_range(line.stage.output_tokens), number=True),
    Column("Money", lambda line: money_range(line.stage.cost), number=True),
    Column("Likeliest", _likely, number=True),
    Column("Model", lambda line: getattr(line.stage, "model", "")),
)


class BeforePane(Pane):
    """Shows a preparation; the caps that are entered are put into it."""

    def __init__(self, preparation: Preparation, theme: Theme, actions: ActionRegistry) -> None:
        super().__init__("Before the start")
        self._preparation = preparation
        em = theme.em
        self.line, self.pilot_line, self.notes = map(_words, ("What the run takes", "What the pilot saw", "Remarks"))
        self.pilot_line.setProperty("role", "title")
        self.notes.setProperty("role", "muted")
        self.model = RowsModel(COLUMNS, self)
        self.table = table = plain_table("Estimate by stage")
        table.setModel(self.model)
        table.setSelectionMode(QTableView.SelectionMode.NoSelection)
        for at, width in enumerate((11, 7, 7, 11, 10, 10, 5, 8)):
            table.setColumnWidth(at, em * width)
        table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.waiting = EmptyState(_ESTIMATING)
        self.waiting.setMinimumHeight(em * 5)
        self.settings = SettingsBox(theme, actions)
        self.settings.chosen.connect(preparation.use_settings)
        for widget in (self.settings, self.line, self.pilot_line, self.waiting, table, self.notes):
            self.body.addWidget(widget)
        self.max_cost, self.max_calls, self.pilot_units = QDoubleSpinBox(), QSpinBox(), QSpinBox()
        for box, name, tip in (
            (self.max_cost, "Cap in US dollars", "The run pauses and asks before it costs more; 0 is no cap"),
            (self.max_calls, "Cap in calls", "The run pauses and asks after so many calls; 0 is no cap"),
            (self.pilot_units, "Text units of the pilot", "So many text units, spread over the files, are read first"),
        ):
            box.setAccessibleName(name)
            box.setToolTip(tip)
            box.setGroupSeparatorShown(True)
            box.lineEdit().setTextMargins(round(em * 0.25), 0, 0, 0)
        self.max_cost.setRange(0, 1_000_000)
        self.max_cost.setDecimals(2)
        self.max_cost.setSingleStep(0.5)
        self.max_cost.setPrefix("$")
        self.max_cost.setSpecialValueText("no cap")
        self.max_calls.setRange(0, 100_000_000)
        self.max_calls.setSingleStep(100)
        self.max_calls.setSuffix(" calls")
        self.max_calls.setSpecialValueText("no cap")
        self.pilot_units.setRange(1, 1000)
        self.pilot_units.setValue(PILOT_UNITS)
        self.pilot_units.setSuffix(" text units")
        self.max_cost.valueChanged.connect(self._keep_caps)
        self.max_calls.valueChanged.connect(self._keep_caps)
        self.pilot_button = ActionButton(actions.get("index.pilot"), text="Run a pilot")
        self.start_button = ActionButton(actions.get("index.start"), "primary", text="Start")
        self.leave_button = ActionButton(actions.get("index.not_now"), text="Not now")
        self.body.addLayout(self._controls(em))
        preparation.changed.connect(self.refresh)
        theme.changed.connect(self.refresh)
        self.refresh()

    def _controls(self, em: int) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(round(em * 0.5))
        self._paid: list[QWidget] = [self.max_cost, self.max_calls, self.pilot_units, self.pilot_button]
        for words, box in (("Pause and ask at", self.max_cost), ("or at", self.max_calls)):
            label = QLabel(words)
            label.setBuddy(box)
            self._paid.append(label)
            row.addWidget(label)
            row.addWidget(box)
        row.addStretch(1)
        for widget in (self.pilot_button, self.pilot_units, self.leave_button, self.start_button):
            row.addWidget(widget)
        return row

    def refresh(self) -> None:
        """Show the preparation as it is now."""
        made = self._preparation
        folder, connection = made.folder, made.connection
        who = connection.name if connection is not None else "offline analyst"
        self.set_figure(f"{folder.name} · {who}" if folder is not None else "")
        self.settings.show_settings(made.settings)
        self.settings.setEnabled(made.state != "piloting")
        for widget in self._paid:
            widget.setVisible(connection is not None)
        estimate = made.estimate if made.state != "estimating" else None
        self.waiting.setVisible(made.state == "estimating")
        self.table.setVisible(estimate is not None)
        free = made.open and connection is None
        said = _FREE if free else made.sentence if estimate is None else _sum_words(estimate)
        self.line.setText(made.sentence if made.state == "failed" else said)
        self.line.setVisible(bool(self.line.text()))
        self.pilot_line.setVisible(made.pilot is not None)
        if made.pilot is not None:
            self.pilot_line.setText(pilot_words(made.pilot))
        self.notes.setText("\n".join(_notes(estimate)) if estimate is not None else "")
        self.notes.setVisible(bool(self.notes.text()))
        priced = estimate is not None and estimate.cost is not None
        self.max_cost.setEnabled(priced or estimate is None)
        if not priced and estimate is not None:
            self.max_cost.setValue(0)
            self.max_cost.setToolTip("A cap in money needs a price for every model; enter it with the connection")
        self.start_button.setText("Go on" if made.pilot is not None else "Start")
        if estimate is not None:
            lines = [StageLine(_WORDS.get(name, name), stage) for name, stage in estimate.stages.items()]
            self.model.set_rows([*lines, StageLine("Together", estimate)])
            fit_height(self.table, len(self.model.rows))

    def _keep_caps(self, _value: float = 0) -> None:
        self._preparation.caps = (self.max_cost.value() or None, self.max_calls.value() or None)


def pilot_words(pilot: PilotResult) -> str:
    """What a pilot saw, in one line."""
    read = [unit for unit in pilot.units if not unit.failed]
    calls = [call for stage in pilot.stages.values() for call in stage.calls]
    lost = sum(call.fate in ("failed", "malformed") for call in calls)
    tokens = sum(call.billed_prompt_tokens + call.billed_output_tokens for call in calls)
    costs = [call.cost for call in calls]
    spent = None if None in costs else sum(cost for cost in costs if cost is not None)
    each = (
        f"{sum(unit.entities for unit in read) / len(read):.1f} entities and "
        f"{sum(unit.relationships for unit in read) / len(read):.1f} relationships a text unit"
        if read
        else "nothing could be read"
    )
    return (
        f"The pilot of {count(len(pilot.units), 'text unit')}: {each}, {lost} of {count(len(calls), 'call')} failed, "
        f"{tokens:,} tokens, {money(spent)}."
    )


def _sum_words(estimate: Estimate) -> str:
    left_out = sum(number for fate, number in estimate.files.items() if fate in ("skipped", "failed"))
    parts = [
        f"{count(estimate.documents, 'document')}" + (f" ({count(left_out, 'file')} left out)" if left_out else ""),
        count(estimate.text_units, "text unit"),
    ]
    rest = " more" if estimate.basis == "pilot" else ""
    cost = money_range(estimate.cost)
    likeliest = f", about {money(estimate.middle.cost)}" if estimate.cost is not None else ""
    times = " to ".join(duration(seconds) for seconds in estimate.seconds)
    return (
        f"{', '.join(parts)}: {number_range(estimate.calls)} calls{rest}, money {cost}{likeliest}, {times}. "
        "Nothing is sent before you say so."
    )


def _notes(estimate: Estimate) -> Sequence[str]:
    exact = "What finding entities sends is exact; the rest depends on what the model finds, so that it is a range."
    if estimate.basis == "folder" and estimate.text_units > 2 * PILOT_UNITS:
        exact += " A pilot narrows it."
    return [exact, *estimate.notes]


def _words(name: str) -> QLabel:
    label = sentence(selectable=True)
    label.setAccessibleName(name)
    label.setFont(tabular(label.font()))
    return label
