"""The canvas under the graph: where it stands on the page, how it moves there, and how a frame comes to be painted."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEasingCurve, QEvent, QPointF, QRectF, QSize, Qt, QTimer, QVariantAnimation, Signal
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QPen, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QStyle, QWidget

from explorer.gui.places.communities.camera import Camera, Spot, between
from explorer.gui.places.communities.colouring import Colouring
from explorer.gui.places.communities.ground import Ground
from explorer.gui.places.communities.grouping import Grouping
from explorer.gui.places.communities.hits import HitMap
from explorer.gui.places.communities.label_maker import LabelMaker
from explorer.gui.places.communities.label_paint import LabelPainter
from explorer.gui.places.communities.labels import Box, Label
from explorer.gui.places.communities.level_of_detail import Drawn, View, what_is_drawn
from explorer.gui.places.communities.page import Page
from explorer.gui.places.communities.paint import Chosen, GraphPainter
from explorer.gui.places.communities.scene import Bools
from explorer.gui.theme import Theme

NOTCH = 1.25  # one notch of the wheel
_REST_MS = 110
_STEP_MS = 12
_FLIGHT_MS = 260
_MANY_LINKS, _MANY_DISCS = 150, 300  # a frame of so many takes longer than the window may be held: painted in steps


class Canvas(QWidget):
    """Shows `page` at a level. Everything that a frame holds is in `drawn` and `labels`, in widget coordinates."""

    resized = Signal()
    view_changed = Signal()  # moved, zoomed, resized, regrouped: read `drawn` and `view`

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.page: Page | None = None
        self.grouping: Grouping | None = None
        self.animated = True
        self.covered: list[QRectF] = []  # where other widgets lie over the canvas: no labels there
        self.fitted = True
        self.chosen = Chosen()
        self.colouring: Colouring | None = None
        self._words = ""
        self._allowed: Bools | None = None
        self._mode = "community"
        self._camera = Camera()
        self._frame: tuple[Drawn, HitMap] | None = None
        self._labels: list[Label] | None = None  # of the frame, once they were asked for
        self._steps = 0  # of a page or level that was not painted yet: discs first, then their links, then names
        self._painter, self._label_painter, self._ground = GraphPainter(theme), LabelPainter(theme), Ground()
        self._maker = LabelMaker(self.font())
        self._made = 0  # counts what changes the ground but its place: page, level, filter, colours
        self._moving = QTimer(self)  # active while the page is under way: painted in full once it rests
        self._moving.setSingleShot(True)
        self._moving.setInterval(_REST_MS)
        self._moving.timeout.connect(self._rest)
        self._scaling = False  # while it moves: whether it is zoomed, so that nothing of a picture can be kept
        # Where the canvas stood when names were painted last, and these names.
        self._shown: tuple[tuple[Any, ...], list[Label]] = ((), [])
        self._fly = QVariantAnimation(self)
        self._fly.setDuration(_FLIGHT_MS)
        self._fly.setEasingCurve(QEasingCurve.Type.InOutCubic)
        self._fly.valueChanged.connect(self._fly_step)
        self._from = self._to = self._camera.spot
        theme.changed.connect(self._recolour)
        self.setMinimumSize(220, 200)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    # What is shown

    def set_page(self, page: Page | None, level: int) -> None:
        """Show a page at a level, whole; None shows the words of `set_words`. One with the bounds of the page before
        (more of the same index was read) stays where the canvas stands."""
        stays = page is not None and self.page is not None and page.scene.bounds == self.page.scene.bounds
        if not stays:
            self._ground.forget()
        self.page = page
        self._allowed = None
        self.chosen = Chosen()
        self.grouping = page.at(level) if page is not None else None
        self._steps = 2 if page is not None else 0
        self._camera.set_scene(page.scene if page is not None else None)
        self._maker.forget()
        self._recolour()
        if stays and not self.fitted:
            self._moved()
        else:
            self.fit(animate=False)

    def points_came(self) -> None:
        """Entities have points that had none."""
        self._made += 1
        self._moved()

    def set_words(self, words: str) -> None:
        """Words that stand on the canvas while there is no page."""
        self._words = words
        self.update()

    def set_level(self, level: int) -> None:
        """Regroup. Nothing moves: the circles and points of a layout are the same at every level."""
        if self.page is not None:
            self.grouping = self.page.at(level)
            self._steps = 2
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
        if frame is None:
            return []
        if self._labels is None:
            assert self.grouping is not None
            taken = [Box(r.x(), r.y(), r.width(), r.height()) for r in self.covered]
            self._labels = self._maker.make(frame[0], self.grouping, self.view, self.chosen, taken)
        return self._labels

    @property
    def hits(self) -> HitMap | None:
        frame = self._current()
        return frame[1] if frame else None

    # Moving

    def fit(self, *, animate: bool = True) -> None:
        """Show the whole page."""
        if self.page is None:
            self._moved()
            return
        self._go(self._camera.whole(self.width(), self.height()), animate)
        self.fitted = True

    def fly_to(self, x: float, y: float, radius: float, *, animate: bool = True) -> None:
        """Bring a circle of the page into the middle, as large as a third of the canvas."""
        self._go(self._camera.on_circle(x, y, radius, self.width(), self.height()), animate)

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Zoom about a point of the widget (its middle by default), which stays where it is."""
        if self.page is not None:
            at = at or QPointF(self.width() / 2, self.height() / 2)
            self._moving.start()
            self._scaling = True
            self._put(self._camera.zoomed(factor, at.x(), at.y(), self.width(), self.height()))

    def pan(self, dx: float, dy: float) -> None:
        """Move the page by pixels."""
        self._moving.start()
        self._put(self._camera.panned(dx, dy))

    def centre_on(self, x: float, y: float) -> None:
        """Put a point of the page in the middle."""
        self._put(Spot(x, y, self._camera.spot.scale))

    # Painting

    def paint_on(self, painter: QPainter, ratio: float) -> None:
        """Paint the whole frame afresh; for a picture of it."""
        frame = self._current()
        if frame is not None:
            self._paint_ground(painter, Box(0, 0, self.width(), self.height()), ratio)
            self._paint_over(painter, frame[0], self.labels, ratio)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        frame, ratio = self._current(), self.devicePixelRatioF()
        if frame is None:
            self._paint_words(painter)
        else:
            self._paint_frame(painter, frame[0], ratio)
        if self.hasFocus():
            painter.setPen(QPen(self.theme.colour("accent"), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        painter.end()

    def _paint_frame(self, painter: QPainter, drawn: Drawn, ratio: float) -> None:
        spot, size, moving = self._camera.spot, (self.width(), self.height()), self._moving.isActive()
        many = len(drawn.links.a) >= _MANY_LINKS or len(drawn.places) >= _MANY_DISCS
        hurried = many and moving and self._scaling and not self._steps  # discs and dots; links and names at rest
        links = self._steps < 2 and not hurried
        at = (spot.x * spot.scale, spot.y * spot.scale)
        key = (self._made, self.chosen.community, self.chosen.entity, spot.scale, *size, ratio, links)
        given = (key, at, size, ratio, lambda under, area: self._paint_ground(under, area, ratio, links))
        if many and not moving and not self._steps and not self._ground.has(key, at):
            self._steps = 1
        where = (spot, size, self._made)
        if hurried:
            painter.drawPixmap(0, 0, self._ground.whole(*given))
            self._paint_over(painter, drawn, [], ratio)
        elif self._steps:
            self._paint_step(painter, drawn, given, ratio, where)
        else:
            painter.drawPixmap(0, 0, (self._ground.shifted if moving else self._ground.whole)(*given))
            self._shown = (where, self.labels)
            self._paint_over(painter, drawn, self.labels, ratio)

    def _paint_step(
        self, painter: QPainter, drawn: Drawn, given: tuple[Any, ...], ratio: float, where: tuple[Any, ...]
    ) -> None:
        """A frame that takes long in short steps, between which the window goes on: discs, links, names. What was
        there before is seen until more is whole."""
        assert self.grouping is not None
        if self._ground.stepwise(*given) and (self._steps > 1 or self._maker.measured(drawn, self.grouping, self.view)):
            self._steps -= 1
        painter.fillRect(self.rect(), self.theme.colour("surface"))
        if self._ground.picture is not None:
            painter.drawPixmap(0, 0, self._ground.picture)
        if not self._steps:
            self._shown = (where, self.labels)
        self._paint_over(painter, drawn, self._shown[1] if self._shown[0] == where else [], ratio)
        if self._steps:
            QTimer.singleShot(_STEP_MS, self, self.update)

    def _paint_ground(self, painter: QPainter, area: Box, ratio: float, links: bool = True) -> None:
        frame = self._current()
        if frame is not None and self.grouping is not None and self.colouring is not None:
            self._painter.ground(
                painter, frame[0], self.grouping, self.view, self.colouring, self.chosen, ratio, area, links=links
            )

    def _paint_over(self, painter: QPainter, drawn: Drawn, labels: list[Label], ratio: float) -> None:
        self._painter.marks(painter, drawn, self.chosen)
        self._label_painter.paint(painter, labels, self._maker.font, ratio)

    def _paint_words(self, painter: QPainter) -> None:
        painter.fillRect(self.rect(), self.theme.colour("surface"))
        painter.setPen(self.theme.colour("muted"))
        where = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(self.rect().adjusted(20, 20, -20, -20), where, self._words)

    def sizeHint(self) -> QSize:
        return QSize(560, 620)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()
        if self.fitted:
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
            self.zoom(NOTCH ** (delta / 120), event.position())
        event.accept()

    # Inside

    def _current(self) -> tuple[Drawn, HitMap] | None:
        if self.grouping is None or self.page is None:
            return None
        if self._frame is None:
            drawn = what_is_drawn(self.grouping, self.view, self.page.unit, self._allowed)
            self._frame, self._labels = (drawn, HitMap(drawn)), None
        return self._frame

    def _moved(self) -> None:
        self._frame = None
        self.update()
        self.view_changed.emit()

    def _rest(self) -> None:
        self._scaling = False
        self.update()

    def _recolour(self) -> None:
        if self.grouping is not None:
            self.colouring = Colouring(self.theme, self.grouping, self._mode, self._allowed)
        self._frame = None
        self._made += 1
        self.update()

    def _put(self, spot: Spot) -> None:
        """Stand there at once: a hand on the page stops a flight."""
        self._fly.stop()
        self.fitted = False
        self._camera.spot = spot
        self._moved()

    def _go(self, spot: Spot, animate: bool) -> None:
        """Fly there, or stand there at once where the system or a test wants no movement."""
        moving = self.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration, None, self) > 0
        if not (animate and self.animated and moving and self.isVisible()):
            self._put(spot)
            return
        self._fly.stop()
        self.fitted = False
        self._from, self._to = self._camera.spot, spot
        self._fly.setStartValue(0.0)
        self._fly.setEndValue(1.0)
        self._fly.start()

    def _fly_step(self, part: float) -> None:
        self._moving.start()
        self._scaling = True
        self._camera.spot = between(self._from, self._to, part)
        self._moved()
