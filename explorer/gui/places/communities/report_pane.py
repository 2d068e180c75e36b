"""The right pane: the report of the chosen community, and below it what a citation names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QSplitter, QStackedLayout, QWidget

from explorer.gui.places.communities.hierarchy import Hierarchy
from explorer.gui.places.communities.report_page import report_page
from explorer.gui.places.communities.safe_browser import SafeBrowser
from explorer.gui.places.communities.source_drawer import SourceDrawer
from explorer.gui.session import Citation
from explorer.gui.theme import Theme
from explorer.gui.widgets.pane import EmptyState, Pane


class ReportPane(Pane):
    """`show_report`, `show_citation` and `show_entity` follow the session; the signals tell what was clicked."""

    citation_clicked = Signal(object)  # Citation
    community_clicked = Signal(int)

    def __init__(self, theme: Theme, export: QAction | None = None, parent: QWidget | None = None) -> None:
        super().__init__("Report", action=export, parent=parent)
        self._theme = theme
        self._index: Any = None
        self._hierarchy: Hierarchy | None = None
        self.community: int | None = None
        self._written: dict[int, str] = {}
        self.claims: Mapping[int, Mapping[str, Any]] = {}
        self.splitter = QSplitter(Qt.Orientation.Vertical)
        self.splitter.setChildrenCollapsible(False)
        self.report = SafeBrowser("Report of the chosen community")
        self.report.link_clicked.connect(self._clicked)
        self.empty = EmptyState("Choose a community in the hierarchy or the graph: its report stands here.")
        upper = QWidget()
        self._stack = QStackedLayout(upper)
        self.waiting = EmptyState("The reports of this large index are being read; they stand here in some seconds.")
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.waiting)
        self._stack.addWidget(self.report)
        self.drawer = SourceDrawer(theme)
        self.drawer.browser.link_clicked.connect(self._clicked)
        self.drawer.hide()
        self.splitter.addWidget(upper)
        self.splitter.addWidget(self.drawer)
        self.splitter.setStretchFactor(0, 3)
        self.splitter.setStretchFactor(1, 2)
        self.body.addWidget(self.splitter, 1)
        theme.changed.connect(self.refresh)

    def set_index(self, index: Any, hierarchy: Hierarchy | None) -> None:
        self._index, self._hierarchy, self.claims = index, hierarchy, {}
        self._written.clear()
        self.drawer.set_index(index)
        self.show_report(None)

    def set_waiting(self, hierarchy: Hierarchy) -> None:
        """The communities of an index whose reports are still being read: their titles are known, no text."""
        self.set_index(None, None)
        self._hierarchy = hierarchy
        self._stack.setCurrentWidget(self.waiting)

    def set_claims(self, claims: Mapping[int, Mapping[str, Any]]) -> None:
        """Claims by number; they are read later than the other tables."""
        self.claims = claims
        self.drawer.claims = claims
        self.refresh()

    def show_report(self, number: int | None) -> None:
        """Show a community's report; None shows the words for nothing chosen."""
        self.community = number
        self.drawer.community = number
        if self._index is None or self._hierarchy is None or number not in self._hierarchy.nodes:
            waits = self._index is None and self._hierarchy is not None
            self.set_figure("")
            self._stack.setCurrentWidget(self.waiting if waits else self.empty)
            return
        self.set_figure(f"community {number}")
        words = self._written.get(number, "")
        self.report.show_html(report_page(self._theme, self._index, self._hierarchy, number, self.resolves, words))
        self._stack.setCurrentWidget(self.report)

    def set_written(self, number: int, words: str) -> None:
        """What the report of a community was written from; it is worked out after the report is shown."""
        self._written[number] = words
        if number == self.community:
            self.refresh()

    def knows_written(self, number: int) -> bool:
        return number in self._written

    def show_citation(self, citation: Citation) -> None:
        """Open what a citation names below the report."""
        if citation.kind != "Reports" or self._hierarchy is None or citation.number not in self._hierarchy.nodes:
            self._open_drawer()
            self.drawer.show_citation(citation)

    def show_entity(self, entity_id: str | None) -> None:
        """Open an entity below the report; None leaves the drawer as it is."""
        row = self._index.entity_by_id.get(entity_id) if self._index is not None and entity_id is not None else None
        if row is not None:
            self._open_drawer()
            self.drawer.show_entity(row)

    def resolves(self, kind: str, number: int) -> bool:
        """Whether the index has what a citation names. A claim is believed until the claims are read."""
        index = self._index
        tables: dict[str, Mapping[int, Any]] = {
            "Entities": index.entity_by_number, "Relationships": index.relationship_by_number,
            "Sources": index.unit_by_number, "Reports": index.community_by_number, "Claims": self.claims,
        }  # fmt: skip
        return number in tables[kind]

    def refresh(self) -> None:
        """Draw again what is shown (the scheme changed, or the claims came in)."""
        at = self.report.verticalScrollBar().value()
        self.show_report(self.community)
        self.report.verticalScrollBar().setValue(at)
        self.drawer.refresh()

    def _open_drawer(self) -> None:
        if not self.drawer.isVisibleTo(self):
            self.drawer.show()
            height = max(self.splitter.height(), 200)
            self.splitter.setSizes([round(height * 0.58), round(height * 0.42)])

    def _clicked(self, scheme: str, rest: str) -> None:
        if scheme == "cite":
            kind, _, number = rest.partition("/")
            if number.isdigit():
                self.citation_clicked.emit(Citation(kind, int(number)))
        elif scheme == "community" and rest.isdigit():
            self.community_clicked.emit(int(rest))
