"""The left pane: the icicle above, the tree below, both showing the one chosen community."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QLabel, QWidget

from explorer.gui.places.communities.hierarchy import Hierarchy
from explorer.gui.places.communities.icicle import Icicle
from explorer.gui.places.communities.icicle_cells import Cell
from explorer.gui.places.communities.model_tree import SIZE, CommunityTreeModel
from explorer.gui.theme import Theme
from explorer.gui.widgets.held import HeldTree
from explorer.gui.widgets.pane import Pane
from explorer.gui.words import count as counted

_STEPS = 9  # lines high: how far the deepest row is set in


class HierarchyPane(Pane):
    """Emits `community_clicked` when a person chooses in either view; `choose` shows what is chosen elsewhere."""

    community_clicked = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("Hierarchy", parent=parent)
        self.icicle = Icicle(theme)
        self.icicle.community_clicked.connect(self.community_clicked)
        self.body.addWidget(self.icicle)
        hint = QLabel("width = entities · click goes in, Esc out")
        hint.setProperty("role", "muted")
        small = hint.font()
        small.setPointSizeF(small.pointSizeF() * 0.88)
        hint.setFont(small)
        hint.setWordWrap(True)
        self.body.addWidget(hint)
        self.model = CommunityTreeModel(theme, self)
        self.tree = HeldTree()
        self.tree.setAccessibleName("Tree of communities")
        self.tree.setModel(self.model)
        self.tree.setUniformRowHeights(True)
        self.tree.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.tree.setAllColumnsShowFocus(True)
        self._em = theme.em
        self.tree.setIndentation(round(theme.em * 0.85))
        self.tree.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header = self.tree.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(SIZE, QHeaderView.ResizeMode.Fixed)
        header.resizeSection(SIZE, self.fontMetrics().horizontalAdvance("Size ↓") + round(theme.em * 1.5))
        self.tree.setSortingEnabled(True)
        self.tree.sortByColumn(SIZE, Qt.SortOrder.DescendingOrder)
        header.setSortIndicatorShown(False)  # the title of the column says it: the mark would lie over it
        self.tree.selectionModel().selectionChanged.connect(self._selected)
        self.body.addWidget(self.tree, 1)
        self.model.layoutChanged.connect(self.icicle.reorder)
        self._telling = False

    def set_hierarchy(self, hierarchy: Hierarchy | None, cells: list[list[Cell]] | None = None) -> None:
        """Show a forest; `cells` are those of its icicle, where they are laid out already."""
        self._telling = True
        levels = len(hierarchy.levels) if hierarchy is not None else 1
        # Of very many levels the titles must not be pushed out of the pane.
        self.tree.setIndentation(round(min(0.85 * self._em, _STEPS * self._em / levels)))
        self.model.set_hierarchy(hierarchy)
        self._telling = False
        self.icicle.set_hierarchy(hierarchy, cells)
        if hierarchy is not None:
            self.set_figure(f"{counted(len(hierarchy), 'community', 'communities')}")
        else:
            self.set_figure("")

    def choose(self, number: int | None) -> None:
        """Show what is chosen, without telling it back."""
        self.icicle.choose(number)
        self._telling = True
        index = self.model.index_of(number) if number is not None else QModelIndex()
        flags = QItemSelectionModel.SelectionFlag
        how = flags.ClearAndSelect | flags.Rows if index.isValid() else flags.Clear
        if number != self.tree_number or not index.isValid():
            self.tree.selectionModel().setCurrentIndex(index, how)
        if index.isValid():
            self.tree.scrollTo(index)
        self._telling = False

    @property
    def tree_number(self) -> int | None:
        """The community that the tree shows as chosen."""
        rows = self.tree.selectionModel().selectedRows()
        return self.model.number(rows[0]) if rows else None

    def _selected(self) -> None:
        """A person chose a row. (A focus that comes in makes a row current without choosing it.)"""
        number = self.tree_number
        if not self._telling and number is not None:
            self.community_clicked.emit(number)
