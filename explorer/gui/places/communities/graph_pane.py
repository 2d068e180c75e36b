"""The middle pane: the canvas with its map and legend, the line that says what is not drawn, the list of what is."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QHeaderView, QLabel, QToolButton, QWidget

from explorer.gui.places.communities.graph_view import GraphView
from explorer.gui.places.communities.legend import Legend
from explorer.gui.places.communities.minimap import Minimap
from explorer.gui.places.communities.node_table import NodeTableModel
from explorer.gui.places.communities.page import Page
from explorer.gui.places.communities.scene import Bools
from explorer.gui.places.communities.words import FOOTER_TIP, footer
from explorer.gui.theme import Theme, tabular
from explorer.gui.widgets.held import HeldTable
from explorer.gui.widgets.pane import Pane

_REST_MS = 120  # the words follow once the canvas has come to rest


class GraphPane(Pane):
    """Wraps a GraphView; `choose` shows what is chosen elsewhere."""

    community_clicked = Signal(object)
    entity_clicked = Signal(str)
    view_rested = Signal()  # the canvas came to rest: what stands on it may want more

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("Graph", parent=parent)
        self.view = GraphView(theme)
        self.view.community_clicked.connect(self.community_clicked)
        self.view.entity_clicked.connect(self.entity_clicked)
        self.legend = Legend(theme)
        self.body.addWidget(self.legend)
        self.body.addWidget(self.view, 1)
        self.minimap = Minimap(self.view)
        row = QHBoxLayout()
        self.footer = QLabel()
        self.footer.setProperty("role", "muted")
        self.footer.setTextFormat(Qt.TextFormat.PlainText)
        small = tabular(self.footer.font())
        small.setPointSizeF(small.pointSizeF() * 0.92)
        self.footer.setFont(small)
        self.footer.setWordWrap(True)
        # Of one height whatever it says: the canvas above must not move because of words.
        self.footer.setFixedHeight(2 * QFontMetrics(small).lineSpacing() + 2)
        self.footer.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        row.addWidget(self.footer, 1)
        self.list_button = QToolButton()
        self.list_button.setText("List")
        self.list_button.setCheckable(True)
        self.list_button.setProperty("role", "link")
        self.list_button.setAccessibleName("List what is in view")
        self.list_button.setToolTip("What is in view as a list, with the same selection")
        self.list_button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.list_button.toggled.connect(self._show_list)
        row.addWidget(self.list_button, 0, Qt.AlignmentFlag.AlignTop)
        self.body.addLayout(row)
        self.nodes = NodeTableModel(self)
        self.table = HeldTable()
        self.table.setAccessibleName("What is in view")
        self.table.setModel(self.nodes)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setShowGrid(False)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(round(theme.em * 1.5))
        self.table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        metrics = self.table.fontMetrics()
        for column, sample in ((1, "community 1234, level 0"), (2, "Size or degree")):
            header = self.table.horizontalHeader()
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(column, metrics.horizontalAdvance(sample) + round(theme.em * 1.6))
        self.table.setTabKeyNavigation(False)
        self.table.setMaximumHeight(round(theme.em * 10))
        self.table.selectionModel().selectionChanged.connect(self._picked)
        self.table.hide()
        self.body.addWidget(self.table)
        self._telling = False
        self._pending = ""
        self._allowed: Bools | None = None
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._rest.timeout.connect(self.tell)
        self._rest.timeout.connect(self.view_rested)
        self.view.view_changed.connect(self._rest.start)
        self.view.resized.connect(self._place_corners)
        theme.changed.connect(self._show_legend)

    def say(self, words: str) -> None:
        """Words on the empty canvas, while there is nothing to draw."""
        self.view.set_words(words)

    def set_pending(self, words: str) -> None:
        """What is not there yet, said under the graph; "" for nothing."""
        if words != self._pending:
            self._pending = words
            self.tell()

    def set_page(self, page: Page | None, level: int) -> None:
        self._allowed = None
        self.view.set_page(page, level)
        self._show_legend()
        self.tell()

    def set_level(self, level: int) -> None:
        self.view.set_level(level)
        self._show_legend()
        self.tell()

    def set_filter(self, allowed: Bools | None) -> None:
        self._allowed = allowed
        self.view.set_filter(allowed)
        self.tell()

    def set_colour(self, mode: str) -> None:
        self.view.set_colour(mode)
        self._show_legend()

    def choose(self, community: int | None, entity: int | None) -> None:
        self.view.choose(community, entity)
        self._mark_row()

    def tell(self) -> None:
        """Bring the words and the list up to what the canvas shows."""
        moved = self._rest.isActive()
        self._rest.stop()
        drawn, grouping = self.view.drawn, self.view.grouping
        if drawn is None or grouping is None:
            self.footer.setText("")
            self.set_figure("")
        else:
            left_out = 0 if self._allowed is None else int((~self._allowed & grouping.scene.grouped).sum())
            pending = f" · {self._pending}" if self._pending else ""
            whole, short = (footer(drawn, grouping, left_out, short=short) for short in (False, True))
            self._say_what_is_drawn(whole + pending, short + pending)
            self.set_figure(f"level {grouping.level} · area = entities · thickness = summed weight")
        if self.table.isVisibleTo(self):
            self._telling = True
            self.nodes.set_drawn(grouping.scene if grouping is not None else None, drawn)
            self._telling = False
            self._mark_row()
        if moved:
            self.view_rested.emit()

    def _say_what_is_drawn(self, words: str, short: str) -> None:
        """The whole sentence where it fits the two lines, else without the reasons, which the tip then has."""
        self.footer.ensurePolished()
        room = QRect(0, 0, max(self.footer.width(), 200), 1_000)
        needed = self.footer.fontMetrics().boundingRect(room, int(Qt.TextFlag.TextWordWrap), words).height()
        self.footer.setText(words if needed <= self.footer.height() else short)
        self.footer.setToolTip(f"{words}.\n\n{FOOTER_TIP}")
        self.footer.setAccessibleName(words)

    def _place_corners(self) -> None:
        gap = 8
        self.minimap.move(
            self.view.width() - self.minimap.width() - gap, self.view.height() - self.minimap.height() - gap
        )
        self.view.covered = [QRectF(self.minimap.geometry())]

    def _show_legend(self) -> None:
        colouring = self.view.colouring
        if colouring is None:
            self.legend.set_rows([], "")
        else:
            self.legend.set_rows(colouring.legend(), colouring.caption())
        self._place_corners()
        self.view.update()

    def _show_list(self, shown: bool) -> None:
        self.table.setVisible(shown)
        self.tell()

    def _mark_row(self) -> None:
        if not self.table.isVisibleTo(self):
            return
        chosen, row = self.view.chosen, -1
        if chosen.entity is not None:
            row = self.nodes.row_of("entity", chosen.entity)
        if row < 0 and chosen.community is not None:
            row = self.nodes.row_of("community", chosen.community)
        self._telling = True
        flags = QItemSelectionModel.SelectionFlag
        if row >= 0:
            self.table.selectionModel().setCurrentIndex(self.nodes.index(row, 0), flags.ClearAndSelect | flags.Rows)
        else:
            self.table.selectionModel().setCurrentIndex(QModelIndex(), flags.Clear)
        self._telling = False

    def _picked(self) -> None:
        rows = self.table.selectionModel().selectedRows()
        node = self.nodes.node(rows[0]) if rows else None
        if self._telling or node is None or self.view.page is None:
            return
        kind, key = node
        if kind == "community":
            self.community_clicked.emit(key)
        else:
            self.entity_clicked.emit(self.view.page.scene.ids[key])
