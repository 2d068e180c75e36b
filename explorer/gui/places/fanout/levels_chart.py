"""Prompt tokens by level: a pair of bars a level, one for each meaning of a level."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from explorer.gui.places.ask.chart import Chart, Mark
from explorer.gui.places.ask.figures import tokens
from explorer.gui.places.fanout.levels import MODE_WORDS, LevelPlan
from explorer.gui.theme import Theme
from explorer.gui.words import count


class LevelsChart(Chart):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Prompt tokens of one question at each level", parent)
        self.plans: list[LevelPlan] = []

    def show_plans(self, plans: list[LevelPlan]) -> None:
        self.plans = plans
        self.current = None
        self.update()

    def margins(self) -> tuple[float, float, float, float]:
        left, top, right, bottom = super().margins()
        return left + self.theme.em * 2, top + self.theme.em * 1.2, right, bottom

    def paint_chart(self, painter: QPainter, area: QRectF) -> Sequence[Mark]:
        em = self.theme.em
        high = self.axis(
            painter, area, max((plan.prompt_tokens for plan in self.plans), default=1), "prompt tokens", "level"
        )
        levels = sorted({plan.level for plan in self.plans})
        slot = area.width() / max(1, len(levels))
        width = min(slot * 0.36, em * 5)
        marks = []
        for number, plan in enumerate(self.plans):
            centre = area.left() + slot * (levels.index(plan.level) + 0.5)
            left = centre - width - 2 if plan.mode == "roll_up" else centre + 2
            height = area.height() * plan.prompt_tokens / high
            rect = QRectF(left, area.bottom() - height, width, height)
            if plan.mode == "roll_up":
                painter.fillRect(rect, self.theme.colour("used"))
            else:
                self.hatch(painter, rect, self.theme.colour("malformed"))
            top = QRectF(left - em, rect.top() - em * 1.2, width + em * 2, em * 1.2)
            self.words(painter, top, count(plan.calls[1], "call"), "centre")
            if plan.mode == "roll_up":
                label = QRectF(centre - slot / 2, area.bottom() + em * 0.1, slot, em * 1.2)
                self.words(painter, label, f"level {plan.level}", "centre")
            words = (
                f"Level {plan.level}, {MODE_WORDS[plan.mode]}: {count(plan.reports, 'report')}, "
                f"{count(plan.batches, 'batch', 'batches')}, {tokens(plan.prompt_tokens)} prompt tokens, "
                f"at most {count(plan.calls[1], 'call')}"
            )
            marks.append(Mark(QRectF(left, area.top(), width, area.height()), words, number))
        return marks
