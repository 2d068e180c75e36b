"""A pane: a rounded surface with a bold title, a muted figure beside it, and a link at the right."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from explorer.gui.theme import tabular
from explorer.gui.widgets.elided import ElidedLabel


class Pane(QFrame):
    """Add widgets to `body` (a QVBoxLayout). `action`, if given, stands as a link in the title row."""

    def __init__(
        self, title: str, figure: str = "", action: QAction | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("Pane")
        self.setAccessibleName(title)
        em = self.fontMetrics().height()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(round(em * 0.7), round(em * 0.5), round(em * 0.7), round(em * 0.6))
        outer.setSpacing(round(em * 0.4))
        self.header = QHBoxLayout()
        self.header.setSpacing(round(em * 0.5))
        self.title = _label(title, "title")
        self.title.setMinimumHeight(round(em * 1.35))  # as high as a row with a link in it
        self.figure = ElidedLabel(figure)
        self.figure.setProperty("role", "muted")
        self.figure.setFont(tabular(self.figure.font()))
        self.figure.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.header.addWidget(self.title)
        self.header.addWidget(self.figure, 1)
        if action is not None:
            self.add_link(action)
        outer.addLayout(self.header)
        self.body = QVBoxLayout()
        self.body.setSpacing(round(em * 0.4))
        outer.addLayout(self.body, 1)

    def set_title(self, text: str) -> None:
        self.title.setText(text)
        self.setAccessibleName(text)

    def set_figure(self, text: str) -> None:
        """The muted words beside the title: counts, budgets, what is chosen."""
        self.figure.setText(text)

    def add_link(self, action: QAction) -> QToolButton:
        """Put an action of the registry into the title row as a link."""
        button = QToolButton(self)
        button.setProperty("role", "link")
        button.setDefaultAction(action)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        button.setAccessibleName(f"{action.text()} ({self.title.text()})")
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.header.addWidget(button)
        return button


class EmptyState(QWidget):
    """What a pane shows while it has nothing: one sentence, and the action that would fill it."""

    def __init__(self, text: str, action: QAction | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        layout = QVBoxLayout(self)
        layout.addStretch(1)
        self.label = _label(text, "muted")
        self.label.setWordWrap(True)
        self.label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        layout.addWidget(self.label)
        if action is not None:
            button = QToolButton(self)
            button.setDefaultAction(action)
            button.setProperty("role", "link")
            button.setAccessibleName(action.text())
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            layout.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(1)

    def set_text(self, text: str) -> None:
        self.label.setText(text)


def _label(text: str, role: str) -> QLabel:
    """A label that shows text as it is: names and titles come from documents and are never markup."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setProperty("role", role)
    return label
