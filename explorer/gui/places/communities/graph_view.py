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

from explorer.gui.places.communities.camera import Camera, Spot, between
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
        self._camera = Camera()
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
        self._from = self._to = self._camera.spot
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
        self._camera.set_scene(page.scene if page is not None else None)
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
        return self._camera.view(self.width(), self.height())

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
        self._go(self._camera.whole(self.width(), self.height()), animate)
        self._fitted = True

    def fly_to(self, x: float, y: float, radius: float, *, animate: bool = True) -> None:
        """Bring a circle of the page into the middle, as large as a third of the canvas."""
        self._go(self._camera.on_circle(x, y, radius, self.width(), self.height()), animate)

    def show_community(self, number: int, *, animate: bool = True) -> None:
        """Move only if the community is not well in view."""
        if self.page is None or number not in self.page.scene.discs:
            return
        x, y, r = self.page.scene.discs[number]
        px, py = self.view.to_screen(np.float64(x), np.float64(y))
        inside = r * self._camera.spot.scale + 4
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
            self.fly_to(
                (x + float(self.grouping.x[home])) / 2, (y + float(self.grouping.y[home])) / 2, radius, animate=animate
            )
        else:
            self.fly_to(x, y, 0.1 * min(self.width(), self.height()) / self.view.fit, animate=animate)

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Zoom about a point of the widget (its middle by default), which stays where it is."""
        if self.page is None:
            return
        at = at or QPointF(self.width() / 2, self.height() / 2)
        self._put(self._camera.zoomed(factor, at.x(), at.y(), self.width(), self.height()))

    def pan(self, dx: float, dy: float) -> None:
        """Move the page by pixels."""
        self._put(self._camera.panned(dx, dy))

    def centre_on(self, x: float, y: float) -> None:
        """Put a point of the page in the middle."""
        self._put(Spot(x, y, self._camera.spot.scale))

    # Painting

    def paint_on(self, painter: QPainter, ratio: float) -> None:
        """Paint the current frame; used by the widget and by the export of a picture."""
        frame = self._current()
        if frame is None or self.grouping is None or self._colouring is None:
            painter.fillRect(self.rect(), self.theme.colour("surface"))
            painter.setPen(self.theme.colour("muted"))
            painter.drawText(
                self.rect().adjusted(20, 20, -20, -20),
                Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap,
                self._words,
            )
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

    def _put(self, spot: Spot) -> None:
        """Stand there at once: a hand on the page stops a flight."""
        self._fly.stop()
        self._fitted = False
        self._camera.spot = spot
        self._moved()

    def _go(self, spot: Spot, animate: bool) -> None:
        """Fly there, or stand there at once where the system or a test wants no movement."""
        if self._flies(animate):
            self._take_off(spot)
        else:
            self._put(spot)

    def _flies(self, animate: bool) -> bool:
        moving = self.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration, None, self) > 0
        return animate and self.animated and moving and self.isVisible()

    def _take_off(self, spot: Spot) -> None:
        self._fly.stop()
        self._fitted = False
        self._from, self._to = self._camera.spot, spot
        self._fly.setStartValue(0.0)
        self._fly.setEndValue(1.0)
        self._fly.start()

    def _fly_step(self, part: float) -> None:
        self._camera.spot = between(self._from, self._to, part)
        self._moved()
