"""The icicle: levels from top to bottom, width in proportion to entities. A click goes into a community, Esc out."""

from __future__ import annotations

import html

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from explorer.gui.places.communities.hierarchy import Hierarchy
from explorer.gui.places.communities.icicle_cells import Cell, Strip, cell_at, lay_out, merged, widths
from explorer.gui.theme import Theme
from explorer.gui.words import count as counted

_NARROWEST = 3.0  # pixels
_GAP = 1.5


class Icicle(QWidget):
    """Shows a hierarchy from `focus` down. `cell_rect` gives the place of a community's cell."""

    community_clicked = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._hierarchy: Hierarchy | None = None
        self._focus: int | None = None
        self._chosen: int | None = None
        self._hovered: int | None = None
        self._level: int | None = None
        self._rows: list[list[Cell]] | None = None
        self._widest = "L10"  # the longest name of a level
        self._all: list[list[Cell]] | None = None  # of the whole forest, once it was laid out
        self._depth: int | None = 0  # rows from the top down to the focus; None until it is asked for
        self._cells: dict[int, Cell] | None = None  # by number, made when first asked for
        self._wide: tuple[tuple[float, int], list[tuple[int, list[Cell | Strip]]]] = ((0.0, 0), [])
        theme.changed.connect(self.update)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName("Icicle of the hierarchy")
        self.setAccessibleDescription(
            "A row for each level, width in proportion to entities. Left and Right choose a neighbour, Up and Down "
            "the parent and the biggest child, Enter goes into the chosen community, Escape goes out one step."
        )

    @property
    def focus(self) -> int | None:
        """The community that fills the width; None for all."""
        return self._focus

    @property
    def chosen(self) -> int | None:
        return self._chosen

    @property
    def rows(self) -> list[list[Cell]]:
        """A cell for every community below the focus, a list for each level."""
        if self._rows is None:
            if self._hierarchy is None:
                self._rows = []
            elif self._focus is not None:
                self._rows = lay_out(self._hierarchy, self._focus)
            else:
                self._rows = self._all = self._all or lay_out(self._hierarchy, None)
        return self._rows

    def set_hierarchy(self, hierarchy: Hierarchy | None, cells: list[list[Cell]] | None = None) -> None:
        """Show a forest; `cells` are those of `lay_out` for all of it, where they were made off the GUI thread."""
        self._hierarchy, self._focus, self._chosen, self._hovered = hierarchy, None, None, None
        self._all = cells
        self._widest = f"L{max([10, *hierarchy.levels])}" if hierarchy is not None else "L10"
        self._set_rows(cells)
        self.updateGeometry()
        self.update()

    def reorder(self) -> None:
        """The forest was put in another order."""
        self._all = None
        self._set_rows(None)
        self.update()

    def set_level(self, level: int) -> None:
        """Mark the label of the level that the graph shows."""
        self._level = level
        self.update()

    def choose(self, number: int | None) -> None:
        """Show what is chosen; goes out or in as far as its cell needs to be wide enough to be seen."""
        self._chosen = number
        if self._hierarchy is not None and number is not None and number in self._hierarchy.nodes:
            path = self._hierarchy.path(number)
            places, focus = {step: place for place, step in enumerate(path, start=1)}, self._focus
            while focus is not None and focus not in places:
                focus = self._parent_of(focus)
            parts, depth = widths(self._hierarchy, path), len(path) - 1
            at = places.get(focus, 0) if focus is not None else 0
            least, room = (_NARROWEST + _GAP) / self._area().width(), self._room()

            def seen_from(place: int) -> bool:
                """Wide enough, and in a row that is on the widget, with so many rows down to the focus."""
                return parts[place] >= least and depth - max(place - 2, 0) < room

            if not seen_from(at):
                seen = (place for place in range(1, len(path)) if seen_from(place))
                at = next(seen, len(path) - 1)
            focus = path[at - 1] if at else None
            if focus != self._focus:
                self._set_focus(focus)
        self.update()

    def zoom_to(self, number: int | None) -> None:
        """Let a community fill the width; None shows all."""
        self._set_focus(number)

    def go_out(self) -> bool:
        """One step out; False where everything is shown already."""
        if self._focus is None:
            return False
        self._set_focus(self._parent_of(self._focus))
        return True

    def cell_rect(self, number: int) -> QRectF:
        """The rectangle of a community's cell; empty where it is not below the focus."""
        cell = self._cell_of(number)
        return self._rect(cell) if cell is not None else QRectF()

    def sizeHint(self) -> QSize:
        rows = max(len(self._hierarchy.levels) if self._hierarchy is not None else 3, 1)
        return QSize(240, min(max(rows, 2), 7) * self._row_height() + 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        metrics = QFontMetricsF(self.font())
        for row, wide in self._wide_cells():
            self._label_row(painter, row, self.rows[row])
            for cell in wide:
                self._paint_cell(painter, cell, metrics)
        chosen = self._cell_of(self._chosen) if self._chosen is not None else None
        if chosen is not None:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            rect = self._rect(chosen)
            rect.setWidth(max(rect.width(), _NARROWEST))
            rect.moveRight(min(rect.right(), self._area().right()))
            painter.setPen(QPen(self._theme.colour("surface"), 4))
            painter.drawRoundedRect(rect, 3, 3)
            painter.setPen(QPen(self._theme.colour("accent"), 2))
            painter.drawRoundedRect(rect, 3, 3)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self._theme.colour("accent"), 1))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        painter.end()

    def _label_row(self, painter: QPainter, row: int, cells: list[Cell]) -> None:
        """The level at the side: the rows of a forest are its levels."""
        level = self._hierarchy.nodes[cells[0].number].level if self._hierarchy is not None and cells else row
        current = level == self._level
        font = painter.font()
        font.setBold(current)
        painter.setFont(font)
        painter.setPen(self._theme.colour("accent" if current else "muted"))
        box = QRectF(2, (row - self._first()) * self._row_height(), self._side() - 6, self._row_height() - _GAP)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, f"L{level}")
        font.setBold(False)
        painter.setFont(font)

    def _paint_cell(self, painter: QPainter, cell: Cell | Strip, metrics: QFontMetricsF) -> None:
        assert self._hierarchy is not None
        node = self._hierarchy.nodes[cell.first if isinstance(cell, Strip) else cell.number]
        rect = self._rect(cell)
        base = self._theme.community_colour(node.rank)
        share = max(0.28, 0.92 - 0.24 * cell.row)
        fill = _mixed(base, self._theme.colour("surface"), share)
        if node.number == self._hovered and isinstance(cell, Cell):
            fill = _mixed(fill, self._theme.colour("text"), 0.85)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(fill)
        painter.drawRoundedRect(rect, 2.5, 2.5)
        if isinstance(cell, Strip):
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self._theme.colour("surface"), 0.8))
            for k in range(1, int(rect.width() // 3)):
                painter.drawLine(rect.left() + 3 * k, rect.top(), rect.left() + 3 * k, rect.bottom())
        elif rect.width() > metrics.averageCharWidth() * 5:
            text = metrics.elidedText(node.title, Qt.TextElideMode.ElideRight, rect.width() - 8)
            if len(text) > 3:
                painter.setPen(QColor("#ffffff") if _luminance(fill) < 0.36 else QColor("#15181d"))
                painter.drawText(
                    rect.adjusted(4, 0, -4, 0), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text
                )

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        cell = self._at(event.position().x(), event.position().y())
        hovered = cell.number if cell is not None else None
        if hovered != self._hovered:
            self._hovered = hovered
            self.setCursor(Qt.CursorShape.ArrowCursor if cell is None else Qt.CursorShape.PointingHandCursor)
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = None
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        cell = self._at(event.position().x(), event.position().y())
        if event.button() == Qt.MouseButton.LeftButton and cell is not None and self._hierarchy is not None:
            self.community_clicked.emit(cell.number)
            if self._hierarchy.children.get(cell.number):
                # A second click on what fills the width already goes out again.
                self._set_focus(self._parent_of(cell.number) if cell.number == self._focus else cell.number)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        hierarchy, key = self._hierarchy, event.key()
        if hierarchy is None or not hierarchy.nodes:
            super().keyPressEvent(event)
            return
        at = self._chosen if self._chosen in hierarchy.nodes else None
        if key == Qt.Key.Key_Escape:
            if not self.go_out():
                super().keyPressEvent(event)
        elif at is None and key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Return):
            self.community_clicked.emit(hierarchy.children[-1][0])
        elif at is not None and key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            siblings = hierarchy.children[hierarchy.nodes[at].parent]
            place = hierarchy.place[at] + (1 if key == Qt.Key.Key_Right else -1)
            if 0 <= place < len(siblings):
                self.community_clicked.emit(siblings[place])
        elif at is not None and key == Qt.Key.Key_Down and hierarchy.children.get(at):
            self.community_clicked.emit(hierarchy.children[at][0])
        elif at is not None and key == Qt.Key.Key_Up and hierarchy.nodes[at].parent >= 0:
            self.community_clicked.emit(hierarchy.nodes[at].parent)
        elif at is not None and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._set_focus(at if hierarchy.children.get(at) else self._parent_of(at))
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            cell = self._at(event.pos().x(), event.pos().y())
            QToolTip.showText(event.globalPos(), self._tip(cell), self) if cell else QToolTip.hideText()
            return True
        return super().event(event)

    def _tip(self, cell: Cell) -> str:
        assert self._hierarchy is not None
        node = self._hierarchy.nodes[cell.number]
        return (
            f"<qt><b>{html.escape(node.title)}</b><br>community {node.number} · level {node.level} · "
            f"{counted(node.size, 'entity', 'entities')}</qt>"
        )

    def _set_focus(self, number: int | None) -> None:
        self._focus = number
        self._set_rows(None)
        self.update()

    def _set_rows(self, rows: list[list[Cell]] | None) -> None:
        self._rows, self._cells, self._wide, self._depth = rows, None, ((0.0, 0), []), None

    def _wide_cells(self) -> list[tuple[int, list[Cell | Strip]]]:
        """What is drawn of each row on the widget, kept until its size or the cells change."""
        width, first, room = max(self._area().width(), 1.0), self._first(), self._room()
        if self._wide[0] != (width, room):
            shown = range(first, min(first + room, len(self.rows)))
            self._wide = ((width, room), [(row, merged(self.rows[row], _NARROWEST / width)) for row in shown])
        return self._wide[1]

    def _room(self) -> int:
        """How many rows the widget has room for."""
        return max(self.height() // self._row_height(), 3)

    def _first(self) -> int:
        """The row at the top: the parent of the focus where not all rows find room."""
        if self._depth is None:
            focus = self._focus
            self._depth = len(self._hierarchy.path(focus)) if self._hierarchy is not None and focus is not None else 0
        return max(0, min(self._depth - 2, len(self.rows) - self._room()))

    def _parent_of(self, number: int) -> int | None:
        parent = self._hierarchy.nodes[number].parent if self._hierarchy is not None else -1
        return parent if parent >= 0 else None

    def _cell_of(self, number: int | None) -> Cell | None:
        if self._hierarchy is None or number not in self._hierarchy.nodes:
            return None
        if self._cells is None:
            self._cells = {cell.number: cell for row in self.rows for cell in row}
        return self._cells.get(number)

    def _at(self, x: float, y: float) -> Cell | None:
        row, area = int(y // self._row_height()) + self._first(), self._area()
        if not 0 <= row < len(self.rows) or y < 0:
            return None
        width = max(area.width(), 1.0)
        return cell_at(self.rows[row], (x - area.left()) / width, slack=_NARROWEST / width)

    def _rect(self, cell: Cell | Strip) -> QRectF:
        area, height = self._area(), self._row_height()
        width = max(cell.width * area.width() - _GAP, 1.0)
        top = (cell.row - self._first()) * height + 1
        return QRectF(area.left() + cell.left * area.width(), top, width, height - _GAP - 1)

    def _area(self) -> QRectF:
        return QRectF(self._side(), 0, max(self.width() - self._side() - 2, 10), self.height())

    def _side(self) -> float:
        return self.fontMetrics().horizontalAdvance(self._widest) + 6

    def _row_height(self) -> int:
        return round(self.fontMetrics().height() * 2.1)


def _mixed(a: QColor, b: QColor, share: float) -> QColor:
    parts = ((a.red(), b.red()), (a.green(), b.green()), (a.blue(), b.blue()))
    return QColor(*(round(x * share + y * (1 - share)) for x, y in parts))


def _luminance(colour: QColor) -> float:
    """Relative luminance, for letters that can be read on the colour."""
    parts = [colour.redF(), colour.greenF(), colour.blueF()]
    r, g, b = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
