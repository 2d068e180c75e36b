"""All jobs in one panel: name, stage, progress, pause, stop; the last ones that ended stay with how they ended."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from explorer.gui.engine import Engine
from explorer.gui.job import Job
from explorer.gui.theme import Theme, tabular
from explorer.gui.widgets.pane import Pane
from explorer.gui.words import count, stage_words

_KEPT = 5
_STATES = {
    "running": "running", "paused": "paused", "stopping": "stopping: finishing what is in flight", "done": "done",
    "failed": "failed", "cancelled": "stopped; everything done is kept",
}  # fmt: skip


class JobLine(QFrame):
    """One job. The buttons go when it has ended."""

    def __init__(self, job: Job, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.job = job
        em = theme.em
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(round(em * 0.7))
        self.name = _label(job.name)
        self.name.setMinimumWidth(em * 13)
        self.state = _label("", "muted")
        self.state.setFont(tabular(self.state.font()))
        self.state.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(em * 11)
        self.bar.setAccessibleName(f"Progress of {job.name}")
        self.pause = QPushButton("Pause")
        self.pause.clicked.connect(self._toggle)
        self.stop = QPushButton("Stop")
        self.stop.setAccessibleName(f"Stop {job.name}")
        self.stop.clicked.connect(job.cancel)
        row.addWidget(self.name)
        row.addWidget(self.bar)
        row.addWidget(self.state, 1)
        row.addWidget(self.pause)
        row.addWidget(self.stop)
        job.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Say how the job stands now."""
        job = self.job
        words = _STATES[job.state] if job.state != "failed" else job.sentence
        if job.running and job.stage:
            steps = f" {job.done:,} of {job.total:,}" if job.total else f" {job.done:,}" if job.done else ""
            words = f"{stage_words(job.stage)}{steps} · {words}"
        self.state.setText(words)
        self.state.setToolTip(words)
        known = bool(job.total)
        self.bar.setVisible(job.running and known)
        if job.total:
            self.bar.setRange(0, job.total)
            self.bar.setValue(min(job.done, job.total))
        self.pause.setText("Go on" if job.state == "paused" else "Pause")
        self.pause.setAccessibleName(f"{self.pause.text()}: {job.name}")
        self.pause.setVisible(job.running)
        self.pause.setEnabled(job.state in ("running", "paused"))
        self.stop.setVisible(job.running)
        self.stop.setEnabled(job.state != "stopping")
        self.stop.setText("Stopping" if job.state == "stopping" else "Stop")

    def _toggle(self) -> None:
        if self.job.state == "paused":
            self.job.resume()
        else:
            self.job.pause()


class ActivityPanel(Pane):
    """Lists every job that is not quiet, the newest first."""

    def __init__(self, engine: Engine, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("Activity", "nothing runs", parent=parent)
        self._engine, self._theme = engine, theme
        self._lines: list[JobLine] = []
        self._column = QVBoxLayout()
        self.body.addLayout(self._column)
        self._empty = _label("No job has run yet. Indexing, opening and asking show themselves here.", "muted")
        self.body.addWidget(self._empty)
        engine.job_started.connect(self._add)
        engine.job_ended.connect(self._settle)

    @property
    def lines(self) -> list[JobLine]:
        return list(self._lines)

    def _add(self, job: Job) -> None:
        if job.quiet:
            return
        line = JobLine(job, self._theme, self)
        self._lines.insert(0, line)
        self._column.insertWidget(0, line)
        ended = [old for old in self._lines if not old.job.running]
        for old in ended[_KEPT:]:
            self._lines.remove(old)
            old.hide()
            old.deleteLater()
        self._empty.hide()
        self._settle()

    def _settle(self, _job: Job | None = None) -> None:
        running = sum(1 for line in self._lines if line.job.running)
        self.set_figure(f"{count(running, 'job')} running" if running else "nothing runs")


def _label(text: str, role: str = "") -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    if role:
        label.setProperty("role", role)
    return label
