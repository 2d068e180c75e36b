"""The line at the foot: which index is open, who made it, which connection, what runs, which keys help."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QWidget

from explorer.gui.job import Job
from explorer.gui.theme import Theme, tabular
from explorer.gui.widgets.elided import ElidedLabel
from explorer.gui.words import count, stage_words

KEYS = "Ctrl+K go to · Ctrl+Shift+P commands"


class StatusBar(QFrame):
    """`show_index`, `show_connection` and `show_jobs` set its parts."""

    def __init__(self, theme: Theme, activity: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("StatusBar")
        em = theme.em
        row = QHBoxLayout(self)
        row.setContentsMargins(round(em * 0.9), round(em * 0.25), round(em * 0.9), round(em * 0.25))
        row.setSpacing(round(em * 1.3))
        self.index, self.made, self.connection, self.keys = (_label() for _ in range(4))
        self.keys.setText(KEYS)
        self.jobs = QPushButton()
        self.jobs.setProperty("role", "link")
        self.jobs.setAccessibleName("Activity: what runs now")
        self.jobs.clicked.connect(activity.trigger)
        self.jobs.hide()
        for widget in (self.index, self.made, self.connection):
            row.addWidget(widget)
        row.addStretch(1)
        row.addWidget(self.jobs)
        row.addWidget(self.keys)
        self.show_index(None)

    def show_index(self, index: Any) -> None:
        """Name and counts of the open index, and what made it; None for none."""
        if index is None:
            self.index.setText("No index is open")
            self.made.setText("")
            self.made.hide()
            return
        levels = len(index.levels)
        self.index.setText(
            f"{index.name} · {count(len(index.entities), 'entity', 'entities')} · "
            f"{count(len(index.communities), 'community', 'communities')} · {count(levels, 'level')}"
        )
        self.made.setText(made_by(index))
        self.made.show()

    def show_outline(self, outline: Any) -> None:
        """Name and counts of a large index of which only the communities are read."""
        levels = len(outline.levels)
        self.index.setText(
            f"{outline.name} · {count(outline.counts['entities'], 'entity', 'entities')} · "
            f"{count(len(outline.communities), 'community', 'communities')} · {count(levels, 'level')} · being read"
        )

    def show_opening(self, path: str) -> None:
        """Say which path is being opened; `show_index` ends that."""
        self.index.setText(f"Opening {Path(path).name} …")

    def show_connection(self, label: str) -> None:
        self.connection.setText(label)

    def show_jobs(self, jobs: list[Job]) -> None:
        """What runs now, in a few words; nothing where nothing runs."""
        loud = [job for job in jobs if not job.quiet]
        if not loud:
            self.jobs.hide()
            return
        job = loud[0]
        words = job.name
        if job.stage:
            words += f" · {stage_words(job.stage)}"
        if job.total:
            words += f" {job.done:,} of {job.total:,}"
        if job.state != "running":
            words += f" · {job.state}"
        if len(loud) > 1:
            words += f" · and {len(loud) - 1} more"
        self.jobs.setText(words)
        self.jobs.show()


def made_by(index: Any) -> str:
    """Who made an index, and whether it is only read."""
    info = index.info
    if info is None:
        words = getattr(index, "version_words", "GraphRAG")  # the outline of a large index does not know it
        return f"made by {words} · opened read-only" if index.foreign else "made by an unknown version"
    grade = grade_words(info.grade)
    return f"made by {info.connection}{f' · {grade}' if grade else ''}"


def grade_words(grade: str) -> str:
    """The grade of an analyst as it stands in an index, for a person."""
    if grade.startswith("spacy"):
        return "English grade"
    return "patterns grade" if grade == "patterns" else grade


def _label() -> ElidedLabel:
    label = ElidedLabel()
    label.setFont(tabular(label.font()))
    return label
