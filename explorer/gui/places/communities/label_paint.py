"""Painting labels: each text with its halo is drawn once into a picture, which is then only copied."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPixmap

from explorer.gui.places.communities.labels import Label
from explorer.gui.theme import Theme

_HALO = 1.7
_AROUND = tuple((_HALO * math.cos(math.pi * k / 6), _HALO * math.sin(math.pi * k / 6)) for k in range(12))
_PAD = 3
_MOST = 1_500  # pictures that are kept


def label_fonts(font: QFont) -> dict[bool, QFont]:
    """The faces of labels: communities bold, entities ordinary and smaller."""
    bold, plain = QFont(font), QFont(font)
    bold.setWeight(QFont.Weight.DemiBold)
    bold.setPointSizeF(font.pointSizeF() * 0.88)
    plain.setPointSizeF(font.pointSizeF() * 0.84)
    return {True: bold, False: plain}


class LabelPainter:
    """Keeps the pictures of the labels that were drawn lately."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._pictures: dict[tuple[tuple[str, ...], bool, float, float], QPixmap] = {}
        theme.changed.connect(self._pictures.clear)

    def paint(self, painter: QPainter, labels: Sequence[Label], font: QFont, ratio: float) -> None:
        """Draw labels at their boxes; `ratio` is the device pixel ratio."""
        for label in labels:
            painter.setOpacity(label.alpha)
            at = QPointF(round((label.box.x - _PAD) * ratio) / ratio, round((label.box.y - _PAD) * ratio) / ratio)
            painter.drawPixmap(at, self._picture(label, font, ratio))
        painter.setOpacity(1.0)

    def _picture(self, label: Label, font: QFont, ratio: float) -> QPixmap:
        key = (label.lines, label.bold, ratio, font.pointSizeF())
        picture = self._pictures.get(key)
        if picture is None:
            if len(self._pictures) >= _MOST:
                for old in list(self._pictures)[: _MOST // 3]:
                    del self._pictures[old]
            picture = self._pictures[key] = self._draw(label, font, ratio)
        return picture

    def _draw(self, label: Label, font: QFont, ratio: float) -> QPixmap:
        face = label_fonts(font)[label.bold]
        metrics = QFontMetricsF(face)
        width, height = label.box.width + 2 * _PAD, label.box.height + 2 * _PAD
        pixmap = QPixmap(math.ceil(width * ratio), math.ceil(height * ratio))
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        step = label.box.height / len(label.lines)
        lines = [
            (
                QPointF(
                    _PAD + (label.box.width - metrics.horizontalAdvance(line)) / 2, _PAD + n * step + metrics.ascent()
                ),
                line,
            )
            for n, line in enumerate(label.lines)
        ]
        painter = QPainter(pixmap)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        painter.setFont(face)
        # The halo is the text itself, set around: to stroke its outline takes ten times as long.
        painter.setPen(self._theme.colour("halo"))
        for dx, dy in _AROUND:
            for at, line in lines:
                painter.drawText(at + QPointF(dx, dy), line)
        painter.setPen(self._theme.colour("text"))
        for at, line in lines:
            painter.drawText(at, line)
        painter.end()
        return pixmap
