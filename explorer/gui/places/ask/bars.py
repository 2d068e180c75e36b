"""The two bars above a run: the question with its method, and the plan with who answers it."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QLineEdit, QPushButton, QSizePolicy, QWidget

from explorer.gui.places.ask.runs_box import RunsBox
from explorer.gui.theme import Theme
from explorer.gui.widgets.elided import ElidedLabel


class QuestionBar(QWidget):
    """The question, and beside it what is asked how. The place connects the widgets."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("TopBar")
        em = theme.em
        row = QHBoxLayout(self)
        row.setContentsMargins(em // 2, em // 2, em // 2, em // 2)
        self.question = QLineEdit()
        self.question.setPlaceholderText("Ask about the whole folder: themes, causes, who is connected with whom …")
        self.question.setAccessibleName("The question")
        self.question.setClearButtonEnabled(True)
        self.level = QComboBox()
        self.level.setAccessibleName("Level of the communities whose reports are read")
        self.knobs = QPushButton("Knobs ▾")
        self.knobs.setAccessibleName("Knobs of the search")
        self.runs = RunsBox()
        self.runs.setMaximumWidth(em * 12)
        self.suggest = QPushButton("Suggest")
        self.suggest.setToolTip("A question that this index can answer")
        self.ask = QPushButton("Ask")
        self.ask.setProperty("role", "primary")
        row.addWidget(self.question, 1)
        for widget in (self.suggest, QLabel("Global"), self.level, self.knobs, self.runs, self.ask):
            row.addWidget(widget)


class PlanBar(QWidget):
    """Who answers, what the question would take, and what the run took."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("TopBar")
        em = theme.em
        row = QHBoxLayout(self)
        row.setContentsMargins(em // 2, em // 4, em // 2, em // 4)
        self.connection = QPushButton()
        self.connection.setProperty("role", "link")
        self.connection.setAccessibleName("The connection that answers")
        self.plan = ElidedLabel("")
        self.run = QLabel()
        self.run.setProperty("role", "muted")
        self.plan.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        row.addWidget(self.connection)
        row.addWidget(self.plan, 1)
        row.addWidget(self.run)

    def show_connection(self, name: str, models: dict[str, str]) -> None:
        """Name who answers: the offline analyst, or a connection with its models."""
        if name == "offline":
            words, tip = "Offline analyst", "Answers without a language model and sends nothing anywhere."
        else:
            distinct = list(dict.fromkeys(models.values()))
            words = f"{name} · {' + '.join(distinct)}" if distinct else name
            tip = "\n".join([f"The reports are sent through the connection {name}."] + [
                f"{stage}: {model}" for stage, model in models.items()
            ])  # fmt: skip
        self.connection.setText(words if len(words) < 48 else f"{words[:46]}…")
        self.connection.setToolTip(f"{tip}\nClick to choose another connection.")
