"""The minimap: the whole page small, and where the canvas stands on it."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from explorer.gui.places.communities.graph_view import GraphView
from explorer.gui.places.communities.sprites import Sprites, circle
from explorer.gui.theme import COMMUNITY_COLOURS

_DRAW_MS = 25
_MOST = 4_000  # discs
_DOT = 2.4  # discs of a smaller radius are copied


class Minimap(QWidget):
    """Lies over a corner of a GraphView and moves it."""

    def __init__(self, view: GraphView) -> None:
        super().__init__(view)
        self._view = view
        self._picture: tuple[object, QPixmap] | None = None
        self._dots = Sprites()
        self.setAccessibleName("Map of the whole page")
        self.setToolTip("The whole page: click to go there")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFixedSize(self.sizeHint())
        view.view_changed.connect(self.update)
        view.theme.changed.connect(self.forget)

    def sizeHint(self) -> QSize:
        line = self.fontMetrics().height()
        return QSize(round(line * 7.0), round(line * 5.2))

    def forget(self) -> None:
        """Draw the small picture anew."""
        self._picture = None
        self.update()

    def window_rect(self) -> QRectF:
        """Where the canvas stands, in the map's own pixels."""
        view = self._view.view
        left, top = view.to_page(0, 0)
        right, bottom = view.to_page(view.width, view.height)
        return QRectF(self._to_map(left, top), self._to_map(right, bottom))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._view.theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(theme.colour("border"), 1))
        painter.setBrush(theme.colour("sunken"))
        painter.drawRoundedRect(frame, 5, 5)
        if self._view.page is not None and self._view.grouping is not None:
            if self._picture is not None and self._picture[0] is self._view.grouping:
                painter.drawPixmap(0, 0, self._picture[1])
            else:  # a step of its own, after the canvas: the window is held by neither
                QTimer.singleShot(_DRAW_MS, self, self._draw)
            painter.setClipRect(frame.adjusted(2, 2, -2, -2))
            painter.setPen(QPen(theme.colour("accent"), 1.4))
            painter.setBrush(theme.colour("accent", 22))
            painter.drawRect(self.window_rect().intersected(frame.adjusted(2, 2, -2, -2)))
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._go(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._go(event.position())

    def _draw(self) -> None:
        """Draw the small picture of the page and level that the canvas shows."""
        grouping, ratio = self._view.grouping, self.devicePixelRatioF()
        if grouping is not None and (self._picture is None or self._picture[0] is not grouping):
            pixmap = QPixmap(round(self.width() * ratio), round(self.height() * ratio))
            pixmap.setDevicePixelRatio(ratio)
            pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(pixmap)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            scale, middle = self._scale(), self._to_map(0.0, 0.0)
            x, y = grouping.x[:_MOST] * scale + middle.x(), grouping.y[:_MOST] * scale + middle.y()
            r, rank = np.maximum(grouping.r[:_MOST] * scale, 0.7), grouping.rank[:_MOST]
            keys = np.where(rank < 0, rank, rank % COMMUNITY_COLOURS)
            large = r >= _DOT
            for place in np.flatnonzero(large).tolist():
                painter.setBrush(self._view.theme.community_colour(int(keys[place]), 170))
                circle(painter, float(x[place]), float(y[place]), float(r[place]))
            for key in np.unique(keys[~large]).tolist():
                some, colour = ~large & (keys == key), self._view.theme.community_colour(key, 170)
                self._dots.draw(painter, x[some], y[some], r[some], np.ones(int(some.sum())), colour, colour, ratio)
            painter.end()
            self._picture = (grouping, pixmap)
            self.update()

    def _go(self, at: QPointF) -> None:
        if self._view.page is None:
            return
        left, top, right, bottom = self._view.page.scene.bounds
        scale = self._scale()
        self._view.centre_on(
            (at.x() - self.width() / 2) / scale + (left + right) / 2,
            (at.y() - self.height() / 2) / scale + (top + bottom) / 2,
        )

    def _scale(self) -> float:
        left, top, right, bottom = self._view.page.scene.bounds if self._view.page else (0.0, 0.0, 1.0, 1.0)
        return min((self.width() - 12) / max(right - left, 1e-9), (self.height() - 12) / max(bottom - top, 1e-9))

    def _to_map(self, x: float, y: float) -> QPointF:
        left, top, right, bottom = self._view.page.scene.bounds if self._view.page else (0.0, 0.0, 1.0, 1.0)
        scale = self._scale()
        return QPointF(
            (x - (left + right) / 2) * scale + self.width() / 2, (y - (top + bottom) / 2) * scale + self.height() / 2
        )
