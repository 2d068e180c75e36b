"""The graph: a canvas that shows one page, moves over it and says what is clicked. All looks are in paint.py."""

from __future__ import annotations

import html

import numpy as np
from PySide6.QtCore import QEasingCurve, QEvent, QPointF, QRectF, QSize, Qt, QVariantAnimation, Signal
from PySide6.QtGui import (
    QFont,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QStyle, QToolTip, QWidget

from explorer.gui.places.communities.colouring import Colouring
from explorer.gui.places.communities.grouping import Grouping
from explorer.gui.places.communities.hits import HitMap
from explorer.gui.places.communities.label_maker import LabelMaker
from explorer.gui.places.communities.labels import Box, Label
from explorer.gui.places.communities.level_of_detail import Drawn, View, what_is_drawn
from explorer.gui.places.communities.page import Page
from explorer.gui.places.communities.paint import Chosen, GraphPainter
from explorer.gui.places.communities.scene import Bools
from explorer.gui.theme import Theme

_NOTCH = 1.25  # one notch of the wheel
_STILL = 4  # a press that moves less than this is a click
_MARGIN = 22.0


class GraphView(QWidget):
    """Shows `page` at a level. Everything that a frame holds is in `drawn` and `labels`, in widget coordinates."""

    community_clicked = Signal(object)  # number, or None for the empty ground
    entity_clicked = Signal(str)
    view_changed = Signal()  # moved, zoomed, resized, regrouped: read `drawn` and `view`
    left = Signal()  # Esc with nothing to step out of

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.page: Page | None = None
        self.grouping: Grouping | None = None
        self.animated = True
        self.covered: list[QRectF] = []  # where other widgets lie over the canvas: no labels there
        self._words = ""
        self._allowed: Bools | None = None
        self._mode = "community"
        self._colouring: Colouring | None = None
        self._chosen = Chosen()
        self._x = self._y = 0.0
        self._scale = 1.0
        self._fitted = True
        self._frame: tuple[Drawn, list[Label], HitMap] | None = None
        self._pressed: tuple[QPointF, QPointF] | None = None
        self._dragging = False
        self._painter = GraphPainter(theme)
        self._maker = LabelMaker(self.font())
        self._fly = QVariantAnimation(self)
        self._fly.setDuration(260)
        self._fly.setEasingCurve(QEasingCurve.Type.InOutCubic)
        self._fly.valueChanged.connect(self._fly_step)
        self._from = self._to = (0.0, 0.0, 1.0)
        theme.changed.connect(self._recolour)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setMinimumSize(220, 200)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName("Graph of communities")
        self.setAccessibleDescription(
            "Arrow keys move, plus and minus zoom, Home shows the whole page, Page Down and Page Up choose the next "
            "community, Enter goes to it. The list of what is in view holds the same in words."
        )

    # What is shown

    def set_page(self, page: Page | None, level: int) -> None:
        """Show a page at a level, whole; None shows nothing."""
        self.page = page
        self._allowed = None
        self._chosen = Chosen()
        self.grouping = page.at(level) if page is not None else None
        self._maker.forget()
        self._recolour()
        self.fit(animate=False)

    def set_words(self, words: str) -> None:
        """Words that stand on the canvas while there is no page."""
        self._words = words
        self.update()

    def set_level(self, level: int) -> None:
        """Regroup. Nothing moves: the circles and points of a layout are the same at every level."""
        if self.page is not None:
            self.grouping = self.page.at(level)
            self._recolour()
            self._moved()

    def set_filter(self, allowed: Bools | None) -> None:
        """Which entities the filters let through (None: all)."""
        self._allowed = allowed
        self._recolour()
        self._moved()

    def set_colour(self, mode: str) -> None:
        """Colour by "community", "type" or "degree"."""
        self._mode = mode
        self._recolour()

    def choose(self, community: int | None, entity: int | None) -> None:
        """Show what is chosen: a community's number and an entity's row."""
        self._set_chosen(community=community, entity=entity)

    @property
    def chosen(self) -> Chosen:
        return self._chosen

    @property
    def colouring(self) -> Colouring | None:
        return self._colouring

    @property
    def view(self) -> View:
        return View(self.width(), self.height(), self._x, self._y, self._scale, self._fit_scale())

    @property
    def drawn(self) -> Drawn | None:
        """What the current frame shows."""
        frame = self._current()
        return frame[0] if frame else None

    @property
    def labels(self) -> list[Label]:
        frame = self._current()
        return frame[1] if frame else []

    # Moving

    def fit(self, *, animate: bool = True) -> None:
        """Show the whole page."""
        if self.page is None:
            self._frame = None
            self.update()
            self.view_changed.emit()
            return
        left, top, right, bottom = self.page.scene.bounds
        self._go((left + right) / 2, (top + bottom) / 2, self._fit_scale(), animate)
        self._fitted = True

    def fly_to(self, x: float, y: float, radius: float, *, animate: bool = True) -> None:
        """Bring a circle of the page into the middle, as large as a third of the canvas."""
        room = min(self.width(), self.height())
        self._go(x, y, self._clamped(room * 0.33 / max(radius, 1e-9)), animate)

    def show_community(self, number: int, *, animate: bool = True) -> None:
        """Move only if the community is not well in view."""
        if self.page is None or number not in self.page.scene.discs:
            return
        x, y, r = self.page.scene.discs[number]
        px, py = self.view.to_screen(np.float64(x), np.float64(y))
        inside = r * self._scale + 4
        if inside > 11 and inside < px < self.width() - inside and inside < py < self.height() - inside:
            return
        self.fly_to(x, y, r, animate=animate)

    def show_entity(self, row: int, *, animate: bool = True) -> None:
        """Bring an entity into view, close enough for its community to be open."""
        if self.page is None or self.grouping is None or np.isnan(self.page.scene.x[row]):
            return
        drawn = self.drawn
        if drawn is not None:
            place = np.flatnonzero(drawn.dots == row)
            if len(place) and drawn.dot_alpha[place[0]] > 0.9:
                x, y = float(drawn.dot_x[place[0]]), float(drawn.dot_y[place[0]])
                if 30 < x < self.width() - 30 and 30 < y < self.height() - 30:
                    return
        home = int(self.grouping.home[row])
        x, y = float(self.page.scene.x[row]), float(self.page.scene.y[row])
        if home >= 0:
            radius = float(self.grouping.r[home])
            self.fly_to((x + float(self.grouping.x[home])) / 2, (y + float(self.grouping.y[home])) / 2, radius, animate=animate)
        else:
            self.fly_to(x, y, 0.3 * min(self.width(), self.height()) / self._fit_scale() / 3, animate=animate)

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Zoom about a point of the widget (its middle by default), which stays where it is."""
        if self.page is None:
            return
        at = at or QPointF(self.width() / 2, self.height() / 2)
        x, y = self.view.to_page(at.x(), at.y())
        self._fly.stop()
        self._fitted = False
        self._scale = self._clamped(self._scale * factor)
        self._x = x - (at.x() - self.width() / 2) / self._scale
        self._y = y - (at.y() - self.height() / 2) / self._scale
        self._moved()

    def pan(self, dx: float, dy: float) -> None:
        """Move the page by pixels."""
        self._fly.stop()
        self._fitted = False
        self._x -= dx / self._scale
        self._y -= dy / self._scale
        self._moved()

    def centre_on(self, x: float, y: float) -> None:
        """Put a point of the page in the middle."""
        self._fly.stop()
        self._fitted = False
        self._x, self._y = x, y
        self._moved()

    # Painting

    def paint_on(self, painter: QPainter, ratio: float) -> None:
        """Paint the current frame; used by the widget and by the export of a picture."""
        frame = self._current()
        if frame is None or self.grouping is None or self._colouring is None:
            painter.fillRect(self.rect(), self.theme.colour("surface"))
            painter.setPen(self.theme.colour("muted"))
            painter.drawText(self.rect().adjusted(20, 20, -20, -20), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self._words)
            return
        drawn, labels, _ = frame
        self._painter.paint(
            painter, drawn, self.grouping, self.view, self._colouring, labels, self._chosen, ratio, self._maker.font
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.paint_on(painter, self.devicePixelRatioF())
        if self.hasFocus():
            painter.setPen(QPen(self.theme.colour("accent"), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        painter.end()

    def sizeHint(self) -> QSize:
        return QSize(560, 620)

    # Events

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._fitted:
            self.fit(animate=False)
        else:
            self._moved()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange:
            self._maker = LabelMaker(QFont(self.font()))
            self._moved()
        super().changeEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        delta = event.angleDelta().y() or event.pixelDelta().y() * 2
        if delta:
            self.zoom(_NOTCH ** (delta / 120), event.position())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed = (event.position(), event.position())
            self._dragging = False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            self._hover(event.position())
            return
        start, last = self._pressed
        here = event.position()
        if not self._dragging and (here - start).manhattanLength() >= _STILL:
            self._dragging = True
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        if self._dragging:
            self.pan(here.x() - last.x(), here.y() - last.y())
            self._pressed = (start, here)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self._pressed is None:
            return
        dragged, self._pressed, self._dragging = self._dragging, None, False
        self.unsetCursor()
        frame = self._current()
        if dragged or frame is None:
            return
        hits = frame[2]
        row = hits.dot_at(event.position().x(), event.position().y())
        disc = hits.disc_at(event.position().x(), event.position().y())
        if row is not None and self.page is not None:
            self.entity_clicked.emit(self.page.scene.ids[row])
        else:
            self.community_clicked.emit(disc.community if disc is not None else None)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        frame = self._current()
        disc = frame[2].disc_at(event.position().x(), event.position().y()) if frame else None
        if disc is not None and self.page is not None:
            self.fly_to(*self.page.scene.discs[disc.community])

    def leaveEvent(self, event: QEvent) -> None:
        self._set_chosen(hovered_community=None, hovered_entity=None)
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, step = event.key(), 0.12
        moves = {
            Qt.Key.Key_Left: (step * self.width(), 0.0), Qt.Key.Key_Right: (-step * self.width(), 0.0),
            Qt.Key.Key_Up: (0.0, step * self.height()), Qt.Key.Key_Down: (0.0, -step * self.height()),
        }  # fmt: skip
        if key in moves:
            self.pan(*moves[Qt.Key(key)])
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(_NOTCH)
        elif key in (Qt.Key.Key_Minus, Qt.Key.Key_Underscore):
            self.zoom(1 / _NOTCH)
        elif key == Qt.Key.Key_Home:
            self.fit()
        elif key in (Qt.Key.Key_PageDown, Qt.Key.Key_PageUp):
            self._step(1 if key == Qt.Key.Key_PageDown else -1)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.page is not None:
            if self._chosen.community in self.page.scene.discs:
                self.fly_to(*self.page.scene.discs[self._chosen.community])
        elif key == Qt.Key.Key_Escape:
            if self._fitted:
                self.left.emit()
            else:
                self.fit()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            text = self._tip(QPointF(event.pos()))
            if text:
                QToolTip.showText(event.globalPos(), text, self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)

    # Inside

    def _current(self) -> tuple[Drawn, list[Label], HitMap] | None:
        if self.grouping is None or self.page is None:
            return None
        if self._frame is None:
            view = self.view
            drawn = what_is_drawn(self.grouping, view, self.page.unit, self._allowed)
            taken = [Box(r.x(), r.y(), r.width(), r.height()) for r in self.covered]
            labels = self._maker.make(drawn, self.grouping, view, self._chosen, taken)
            self._frame = (drawn, labels, HitMap(drawn))
        return self._frame

    def _moved(self) -> None:
        self._frame = None
        self.update()
        self.view_changed.emit()

    def _recolour(self) -> None:
        if self.grouping is not None:
            self._colouring = Colouring(self.theme, self.grouping, self._mode, self._allowed)
        self._frame = None
        self.update()

    def _set_chosen(self, **changes: int | None) -> None:
        before = self._chosen
        values = {
            "community": before.community, "entity": before.entity,
            "hovered_community": before.hovered_community, "hovered_entity": before.hovered_entity, **changes,
        }  # fmt: skip
        self._chosen = Chosen(**values)
        if self._chosen != before:
            self._frame = None
            self.update()

    def _hover(self, at: QPointF) -> None:
        frame = self._current()
        if frame is None:
            return
        row = frame[2].dot_at(at.x(), at.y())
        disc = frame[2].disc_at(at.x(), at.y())
        self._set_chosen(hovered_community=disc.community if disc else None, hovered_entity=row)
        if row is not None or disc is not None:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        else:
            self.unsetCursor()

    def _tip(self, at: QPointF) -> str:
        frame = self._current()
        if frame is None or self.page is None:
            return ""
        scene = self.page.scene
        row = frame[2].dot_at(at.x(), at.y())
        if row is not None:
            kind = f"{html.escape(scene.types[row].lower())} · " if scene.types[row] else ""
            return f"<qt><b>{html.escape(scene.titles[row])}</b><br>{kind}degree {int(scene.degree[row]):,}</qt>"
        disc = frame[2].disc_at(at.x(), at.y())
        if disc is None:
            return ""
        node = scene.hierarchy.nodes[disc.community]
        carried = " · carried from there, not divided further" if disc.carried else ""
        return (
            f"<qt><b>{html.escape(node.title)}</b><br>community {node.number} · level {node.level}{carried}"
            f" · {node.size:,} entities</qt>"
        )

    def _step(self, by: int) -> None:
        """Choose the next community of the page, from the biggest on."""
        if self.grouping is None or not len(self.grouping):
            return
        place = self.grouping.place.get(self._chosen.community, -1 if by > 0 else 0)  # type: ignore[arg-type]
        self.community_clicked.emit(int(self.grouping.numbers[(place + by) % len(self.grouping)]))

    def _fit_scale(self) -> float:
        if self.page is None:
            return 1.0
        left, top, right, bottom = self.page.scene.bounds
        room_x, room_y = max(self.width() - 2 * _MARGIN, 40), max(self.height() - 2 * _MARGIN, 40)
        return min(room_x / max(right - left, 1e-9), room_y / max(bottom - top, 1e-9))

    def _clamped(self, scale: float) -> float:
        fit = self._fit_scale()
        smallest = min((disc[2] for disc in self.page.scene.discs.values()), default=1.0) if self.page else 1.0
        closest = max(fit * 8, 0.6 * min(self.width(), self.height()) / max(smallest, 1e-9))
        return min(max(scale, fit * 0.5), closest)

    def _go(self, x: float, y: float, scale: float, animate: bool) -> None:
        self._fitted = False
        self._from, self._to = (self._x, self._y, self._scale), (x, y, scale)
        self._fly.stop()
        moving = self.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration, None, self) > 0
        if animate and self.animated and moving and self.isVisible() and self._scale > 0:
            self._fly.setStartValue(0.0)
            self._fly.setEndValue(1.0)
            self._fly.start()
        else:
            self._fly_step(1.0)

    def _fly_step(self, part: float) -> None:
        (x0, y0, s0), (x1, y1, s1) = self._from, self._to
        self._scale = s0 * (s1 / s0) ** part
        # The centre follows the scale, so that the target stays in sight while zooming.
        share = part if abs(s1 - s0) < 1e-9 * s1 else (1 / s0 - 1 / self._scale) / (1 / s0 - 1 / s1)
        self._x, self._y = x0 + (x1 - x0) * share, y0 + (y1 - y0) * share
        self._moved()
