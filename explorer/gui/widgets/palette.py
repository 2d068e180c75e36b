"""The command palette: type a few letters, choose an action or go to a report, a community or an entity."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QObject, QSize, Qt
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QDialog,
    QLabel,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from explorer.gui.actions import ActionRegistry
from explorer.gui.loading import Target
from explorer.gui.session import Session
from explorer.gui.theme import Theme
from explorer.gui.widgets.palette_model import Entry, PaletteModel, search

_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class _Lines(QStyledItemDelegate):
    """Title at the left, what it is beside it, keys at the right."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        return QSize(option.rect.width(), round(self._theme.em * 1.7))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        entry: Entry = index.data(Qt.ItemDataRole.UserRole)
        em = self._theme.em
        painter.save()
        painter.setFont(option.font)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, self._theme.colour("accent_soft"))
        box = option.rect.adjusted(round(em * 0.6), 0, -round(em * 0.6), 0)
        keys = entry.keys if entry.enabled else "not possible now"
        metrics = option.fontMetrics
        keys_width = metrics.horizontalAdvance(keys)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setPen(self._theme.colour("muted"))
        painter.drawText(box, int(middle | Qt.AlignmentFlag.AlignRight), keys)
        box = box.adjusted(0, 0, -keys_width - em, 0)
        title = metrics.elidedText(entry.title, Qt.TextElideMode.ElideRight, round(box.width() * 0.72))
        detail_box = box.adjusted(metrics.horizontalAdvance(title) + round(em * 0.7), 0, 0, 0)
        detail = metrics.elidedText(entry.detail, Qt.TextElideMode.ElideRight, max(0, detail_box.width()))
        painter.drawText(detail_box, int(middle | Qt.AlignmentFlag.AlignLeft), detail)
        painter.setPen(self._theme.colour("text" if entry.enabled else "muted"))
        painter.drawText(box, int(middle | Qt.AlignmentFlag.AlignLeft), title)
        painter.restore()


class CommandPalette(QDialog):
    """Opened over its window by `open_for`; a query that begins with ">" lists commands only."""

    def __init__(self, session: Session, registry: ActionRegistry, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Dialog | Qt.WindowType.FramelessWindowHint)
        self._session, self._registry, self._theme = session, registry, theme
        self.setObjectName("Palette")
        self.setAccessibleName("Command palette")
        em = theme.em
        column = QVBoxLayout(self)
        column.setContentsMargins(round(em * 0.5), round(em * 0.5), round(em * 0.5), round(em * 0.5))
        self.line = QLineEdit()
        self.line.setAccessibleName("Search actions, reports, communities and entities")
        self.line.setPlaceholderText("An action, a report, a community, an entity … (> for actions only)")
        self.line.textChanged.connect(self._search)
        self.line.installEventFilter(self)
        self.model = PaletteModel()
        self.model.setParent(self)
        self.list = QListView()
        self.list.setAccessibleName("What fits")
        self.list.setModel(self.model)
        self.list.setItemDelegate(_Lines(theme, self.list))
        self.list.setUniformItemSizes(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.clicked.connect(self._choose)
        self.list.activated.connect(self._choose)
        self.none = QLabel()
        self.none.setProperty("role", "muted")
        self.none.setTextFormat(Qt.TextFormat.PlainText)
        column.addWidget(self.line)
        column.addWidget(self.list, 1)
        column.addWidget(self.none)

    def open_for(self, query: str = "") -> None:
        """Show the palette in the upper middle of its window with a query typed in."""
        window = self.parentWidget()
        em = self._theme.em
        width = min(em * 44, round(window.width() * 0.9))
        height = min(em * 27, round(window.height() * 0.7))
        self.resize(width, height)
        corner = window.mapToGlobal(window.rect().topLeft())
        self.move(corner.x() + (window.width() - width) // 2, corner.y() + round(window.height() * 0.1))
        self.line.setText(query)
        self._search(query)
        self.line.setCursorPosition(len(query))
        self.open()
        self.line.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.line and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in _KEYS:
                self.list.event(event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._choose(self.list.currentIndex())
                return True
        return super().eventFilter(watched, event)

    def _search(self, text: str) -> None:
        commands_only = text.startswith(">")
        entries = search(text.lstrip(">"), self._registry.all(), self._session.targets, commands_only)
        self.model.set_entries(entries)
        self.none.setVisible(not entries)
        self.none.setText(f"Nothing is called “{text.strip()}”: no action, and nothing in the open index.")
        first = next((row for row, entry in enumerate(entries) if entry.enabled), None)
        if first is not None:
            self.list.setCurrentIndex(self.model.index(first))

    def _choose(self, index: QModelIndex) -> None:
        if not index.isValid():
            return
        entry = self.model.entry(index.row())
        if not entry.enabled:
            return
        self.accept()
        if entry.action is not None:
            entry.action.trigger()
        elif entry.target is not None:
            go_to(self._session, entry.target)


def go_to(session: Session, target: Target) -> None:
    """Choose what a target names and show the place where it is seen."""
    session.show_place("communities")
    if target.kind == "entity":
        session.choose_entity(str(target.key))
    else:
        session.choose_community(int(target.key))
