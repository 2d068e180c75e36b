"""The graph: a canvas that says what is pointed at, clicked and chosen."""

from __future__ import annotations

import html
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QToolTip, QWidget

from explorer.gui.places.communities.canvas import NOTCH, Canvas
from explorer.gui.theme import Theme
from explorer.gui.words import count as counted

_STILL = 4  # a press that moves less than this is a click
_KEY_STEP = 0.12  # of the canvas
_EDGE = 30


class GraphView(Canvas):
    """See the module; `choose` shows what is chosen elsewhere."""

    community_clicked = Signal(object)  # number, or None for the empty ground
    community_stepped = Signal(int)  # chosen by keys: the page may move to it
    entity_clicked = Signal(str)
    left = Signal()  # Esc with nothing to step out of

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._pressed: tuple[QPointF, QPointF] | None = None
        self._dragging = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName("Graph of communities")
        self.setAccessibleDescription(
            "Arrow keys move, plus and minus zoom, Home shows the whole page, Page Down and Page Up choose the next "
            "community, Enter goes to it. The list of what is in view holds the same in words."
        )

    def choose(self, community: int | None, entity: int | None) -> None:
        """Show what is chosen: a community's number and an entity's row."""
        self._set_chosen(community=community, entity=entity)

    def show_community(self, number: int, *, animate: bool = True) -> None:
        """Move only if the community is not well in view."""
        if self.page is None or number not in self.page.scene.discs:
            return
        x, y, r = self.page.scene.discs[number]
        px, py = self.view.to_screen(np.float64(x), np.float64(y))
        inside = r * self.view.scale + 4
        if inside > 11 and inside < px < self.width() - inside and inside < py < self.height() - inside:
            return
        self.fly_to(x, y, r, animate=animate)

    def show_entity(self, row: int, *, animate: bool = True) -> None:
        """Bring an entity into view, close enough for its community to be open."""
        if self.page is None or self.grouping is None:
            return
        if np.isnan(self.page.scene.x[row]):
            home = int(self.grouping.home[row])
            if self.page.points is not None and home >= 0:  # it gets its point once its community is open
                x, y, r = (float(values[home]) for values in (self.grouping.x, self.grouping.y, self.grouping.r))
                self.fly_to(x, y, r, animate=animate)
            return
        drawn = self.drawn
        for k in np.flatnonzero(drawn.dots == row).tolist() if drawn is not None else ():
            x, y = float(drawn.dot_x[k]), float(drawn.dot_y[k])
            if drawn.dot_alpha[k] > 0.9 and _EDGE < x < self.width() - _EDGE and _EDGE < y < self.height() - _EDGE:
                return
        home = int(self.grouping.home[row])
        x, y = float(self.page.scene.x[row]), float(self.page.scene.y[row])
        if home < 0:
            self.fly_to(x, y, 0.1 * min(self.width(), self.height()) / self.view.fit, animate=animate)
            return
        middle_x, middle_y = (x + float(self.grouping.x[home])) / 2, (y + float(self.grouping.y[home])) / 2
        self.fly_to(middle_x, middle_y, float(self.grouping.r[home]), animate=animate)

    # Events

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
        hits = self.hits
        if dragged or hits is None or self.page is None:
            return
        row = hits.dot_at(event.position().x(), event.position().y())
        disc = hits.disc_at(event.position().x(), event.position().y())
        if row is not None:
            self.entity_clicked.emit(self.page.scene.ids[row])
        else:
            self.community_clicked.emit(disc.community if disc is not None else None)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        hits = self.hits
        disc = hits.disc_at(event.position().x(), event.position().y()) if hits is not None else None
        if disc is not None and self.page is not None:
            self.fly_to(*self.page.scene.discs[disc.community])

    def leaveEvent(self, event: QEvent) -> None:
        self._set_chosen(hovered_community=None, hovered_entity=None)
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        across, down = round(_KEY_STEP * self.width()), round(_KEY_STEP * self.height())
        moves = {
            Qt.Key.Key_Left: (across, 0), Qt.Key.Key_Right: (-across, 0),
            Qt.Key.Key_Up: (0, down), Qt.Key.Key_Down: (0, -down),
        }  # fmt: skip
        if key in moves:
            self.pan(*moves[Qt.Key(key)])
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(NOTCH)
        elif key in (Qt.Key.Key_Minus, Qt.Key.Key_Underscore):
            self.zoom(1 / NOTCH)
        elif key == Qt.Key.Key_Home:
            self.fit()
        elif key in (Qt.Key.Key_PageDown, Qt.Key.Key_PageUp):
            self._step(1 if key == Qt.Key.Key_PageDown else -1)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.page is not None and self.chosen.community in self.page.scene.discs:
                self.fly_to(*self.page.scene.discs[self.chosen.community])
        elif key == Qt.Key.Key_Escape:
            self.left.emit() if self.fitted else self.fit()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            text = self._tip(event.pos().x(), event.pos().y())
            QToolTip.showText(event.globalPos(), text, self) if text else QToolTip.hideText()
            return True
        return super().event(event)

    # Inside

    def _set_chosen(self, **changes: int | None) -> None:
        chosen = replace(self.chosen, **changes)
        if chosen != self.chosen:
            self.chosen = chosen
            self._frame = None
            self.update()

    def _hover(self, at: QPointF) -> None:
        hits = self.hits
        if hits is None:
            return
        row, disc = hits.dot_at(at.x(), at.y()), hits.disc_at(at.x(), at.y())
        self._set_chosen(hovered_community=disc.community if disc else None, hovered_entity=row)
        if row is not None or disc is not None:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        else:
            self.unsetCursor()

    def _tip(self, x: float, y: float) -> str:
        hits = self.hits
        if hits is None or self.page is None:
            return ""
        scene = self.page.scene
        row, disc = hits.dot_at(x, y), hits.disc_at(x, y)
        if row is not None:
            kind = f"{html.escape(scene.types[row].lower())} · " if scene.types[row] else ""
            return f"<qt><b>{html.escape(scene.titles[row])}</b><br>{kind}degree {int(scene.degree[row]):,}</qt>"
        if disc is None:
            return ""
        node = scene.hierarchy.nodes[disc.community]
        carried = " · carried from there, not divided further" if disc.carried else ""
        return (
            f"<qt><b>{html.escape(node.title)}</b><br>community {node.number} · level {node.level}{carried}"
            f" · {counted(node.size, 'entity', 'entities')}</qt>"
        )

    def _step(self, by: int) -> None:
        """Choose the next community of the page, from the biggest on."""
        if self.grouping is not None and len(self.grouping):
            at = self.chosen.community
            place = self.grouping.place.get(at, -1 if by > 0 else 0)
            self.community_stepped.emit(int(self.grouping.numbers[(place + by) % len(self.grouping)]))
