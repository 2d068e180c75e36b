"""The Communities place: three panes over one selection. It only carries words between the panes and the session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from explorer.gui.actions import ActionRegistry
from explorer.gui.job import Job
from explorer.gui.places.base import Place
from explorer.gui.places.communities import saving
from explorer.gui.places.communities.claims import read_claims
from explorer.gui.places.communities.find_index import Found
from explorer.gui.places.communities.following import community_of_entity, community_of_relationship
from explorer.gui.places.communities.graph_pane import GraphPane
from explorer.gui.places.communities.hierarchy import Hierarchy
from explorer.gui.places.communities.hierarchy_pane import HierarchyPane
from explorer.gui.places.communities.icicle_cells import Cell, lay_out
from explorer.gui.places.communities.large_index import LargeIndex
from explorer.gui.places.communities.nothing import NothingOpen
from explorer.gui.places.communities.page import Page, build_page
from explorer.gui.places.communities.report_pane import ReportPane
from explorer.gui.places.communities.source_drawer import ties_by_title
from explorer.gui.places.communities.toolbar import Toolbar
from explorer.gui.places.communities.written_from import WrittenFrom, written_later
from explorer.gui.session import Citation
from explorer.tables.citations import cited_numbers

# While these run, a failure is another's.
_DRAWING = ("Placing the communities", "Drawing the communities", "Ordering the communities")


class CommunitiesPlace(Place):
    """`hierarchy_pane`, `graph_pane` and `report_pane` each show `session.community`, whoever chose it."""

    name, title, icon_name = "communities", "Communities", "communities"

    def declare_actions(self, actions: ActionRegistry) -> None:
        add = actions.add
        add("communities.find", "Find in the graph", self._find, category="Communities", shortcut="Ctrl+F")
        add("communities.fit", "Show the whole page", lambda: self._with_view("fit"), category="Communities")
        add("communities.coarser", "Coarser level", lambda: self._step_level(-1), category="Communities",
            shortcut="Ctrl+[")  # fmt: skip
        add("communities.finer", "Finer level", lambda: self._step_level(1), category="Communities", shortcut="Ctrl+]")
        add("communities.parent", "Go to the parent community", self._to_parent, category="Communities",
            shortcut="Alt+Up")  # fmt: skip
        add("communities.list", "List what is in view", self._toggle_list, category="Communities")
        add("communities.picture", "Save the graph as a picture…", self._save_picture, category="Communities")
        add("communities.export_report", "Export this report and those below it…", self._export_chosen,
            category="Communities")  # fmt: skip
        add("communities.export_reports", "Export all reports…", self._export_all, category="Communities")
        add("communities.export_graph", "Export the graph as GraphML…", self._export_graph, category="Communities")
        actions.get("communities.export_report").setIconText("Export")

    def build(self) -> None:
        self.page: Page | None = None
        self.hierarchy: Hierarchy | None = None  # None while it is made, off the GUI thread
        self._job: Job | None = None
        self.large = LargeIndex(self, _forest)
        session, theme, em = self.session, self.theme, self.theme.em
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        self.toolbar = Toolbar(
            theme, self.registry,
            ["communities.picture", *(f"communities.export_{what}" for what in ("report", "reports", "graph"))],
        )  # fmt: skip
        outer.addWidget(self.toolbar)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setHandleWidth(round(em * 0.6))
        self.hierarchy_pane = HierarchyPane(theme)
        self.graph_pane = GraphPane(theme)
        self.report_pane = ReportPane(theme, self.registry.get("communities.export_report"))
        for pane, share in ((self.hierarchy_pane, 20), (self.graph_pane, 52), (self.report_pane, 28)):
            self.splitter.addWidget(pane)
            self.splitter.setStretchFactor(self.splitter.count() - 1, share)
        self.splitter.setSizes([round(em * 18.5), round(em * 38), round(em * 21.5)])
        panes = QWidget()
        inner = QVBoxLayout(panes)
        inner.setContentsMargins(round(em * 0.8), round(em * 0.7), round(em * 0.8), round(em * 0.6))
        inner.addWidget(self.splitter)
        self.nothing = NothingOpen(self.registry)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.nothing)
        self.stack.addWidget(panes)
        outer.addWidget(self.stack, 1)
        self._connect()
        for widgets in ((self.toolbar.find, self.toolbar.slider), (self.toolbar.slider, self.hierarchy_pane.icicle)):
            QWidget.setTabOrder(*widgets)
        QWidget.setTabOrder(self.hierarchy_pane.tree, self.graph_pane.view)
        self.take_index(session.index)
        if session.index is None and session.outline is not None:
            self.large.take_outline(session.outline)

    def _connect(self) -> None:
        session = self.session
        session.index_opening.connect(lambda path: self._wait("Opening…") if self.session.index is None else None)
        session.outline_opened.connect(self.large.take_outline)
        session.index_opened.connect(self.take_index)
        session.index_closed.connect(lambda: self.take_index(None))
        session.layout_ready.connect(self.take_layout)
        session.failed.connect(self._fail)
        session.level_changed.connect(self._show_level)
        session.community_chosen.connect(self.show_community)
        session.entity_chosen.connect(self._show_entity)
        session.citation_chosen.connect(self._show_citation)
        self.hierarchy_pane.community_clicked.connect(session.choose_community)
        self.graph_pane.community_clicked.connect(self._click_graph)
        self.graph_pane.entity_clicked.connect(session.choose_entity)
        self.graph_pane.view.community_stepped.connect(session.choose_community)
        self.graph_pane.view_rested.connect(self.large.place_points)
        self.graph_pane.view.left.connect(lambda: session.choose_entity(None))
        self.report_pane.citation_clicked.connect(session.open_citation)
        self.report_pane.community_clicked.connect(session.choose_community)
        self.toolbar.level_wanted.connect(session.set_level)
        self.toolbar.colour_wanted.connect(self.graph_pane.set_colour)
        self.toolbar.filters.changed.connect(self._filter)
        self.toolbar.find.chosen.connect(self.go_to)

    # What is open

    def take_index(self, index: Any) -> None:
        """Show an index as far as it is known; the graph follows once its layout is there."""
        if index is not None and self.large.shows(self.session.outline):
            self.large.take_whole(index)
            return
        self.clear()
        if index is None or not index.communities:
            self.nothing.show_state("no communities" if index is not None else "nothing")
            self.stack.setCurrentIndex(0)
            self.set_settled(True)
            return
        self.set_settled(False)
        self._wait("The communities are being put in order.")
        self.stack.setCurrentIndex(0)
        self._job = self.engine.run(
            lambda sink, scope: _forest(index, self.session.root_rank), name=_DRAWING[2], quiet=True, turn=0,
            on_done=lambda made: self._take_hierarchy(index, *made), on_error=self._fail,
        )  # fmt: skip

    def clear(self) -> None:
        """Show nothing of any index."""
        self.page = self.hierarchy = None
        if self._job is not None:
            self._job.cancel()
            self._job = None
        self.large.clear()
        self.graph_pane.set_pending("")
        self.graph_pane.set_page(None, 0)
        self.toolbar.find.set_index(None)
        self.toolbar.filters.set_scene(None)
        self.hierarchy_pane.set_hierarchy(None)
        self.report_pane.set_index(None, None)
        self.toolbar.set_levels([], 0)
        self.toolbar.set_ready(False)

    def _take_hierarchy(self, index: Any, hierarchy: Hierarchy, cells: list[list[Cell]]) -> None:
        if index is not self.session.index:
            return
        self._job, self.hierarchy = None, hierarchy
        self.hierarchy_pane.set_hierarchy(hierarchy, cells)
        self.hierarchy_pane.icicle.set_level(self.session.level)
        self.report_pane.set_index(index, hierarchy)
        self.toolbar.set_levels(hierarchy.levels, self.session.level)
        self.graph_pane.say("Placing the communities…")
        self.stack.setCurrentIndex(1)
        self.show_community(self.session.community)
        if self.session.layout is not None:
            self.take_layout(self.session.layout)
        elif not self.session.laying:
            self._read_rest(index)

    def _read_rest(self, index: Any) -> None:
        """Read what the drawer shows, after all else: two threads that compute at once would hold up the window."""
        self.engine.run(
            lambda sink, scope: (read_claims(index), ties_by_title(index)), name="Reading claims", quiet=True, turn=3,
            on_done=lambda made: self._take_rest(index, *made), on_error=self.session.failed.emit,
        )  # fmt: skip

    def _take_rest(self, index: Any, claims: Any, ties: Any) -> None:
        if index is self.session.index:
            self.report_pane.drawer.set_ties(ties)
            self.report_pane.set_claims(claims)

    def take_layout(self, layout: Any) -> None:
        """Draw the graph under a layout."""
        index, hierarchy = self.session.index, self.hierarchy
        if index is None or hierarchy is None or not index.communities:
            return  # the hierarchy asks for it once it is made
        self._job = self.engine.run(
            lambda sink, scope: build_page(index, layout, hierarchy, scope), name=_DRAWING[1], quiet=True, turn=0,
            on_done=lambda page: self._take_page(index, page), on_error=self._fail,
        )  # fmt: skip

    def _take_page(self, index: Any, page: Page) -> None:
        if index is not self.session.index:
            return
        self._job, self.page = None, page
        self.graph_pane.set_pending("")
        self._read_rest(index)
        self.graph_pane.set_page(page, self.session.level)
        self.graph_pane.set_colour(self.toolbar.mode)
        self.toolbar.filters.set_scene(page.scene)
        self.toolbar.find.set_index(page.find)
        self.toolbar.set_ready(True)
        self._choose_in_graph()
        if self._posing:
            self._pose()
        self.set_settled(True)

    def _wait(self, words: str) -> None:
        self.nothing.show_state("opening", words)

    def _fail(self, sentence: str) -> None:
        if self.large.shows(self.session.outline) and self.session.index is None:
            if self.session.reading is None:
                self.graph_pane.set_pending(sentence)
        elif self.session.index is None:
            self.nothing.show_state("failed", sentence)
        elif self.page is None and not any(job.name in _DRAWING for job in self.engine.jobs):
            self.graph_pane.say(sentence)
            if self.hierarchy is not None:
                self._read_rest(self.session.index)
        self.set_settled(True)

    # What is chosen

    def _show_level(self, level: int) -> None:
        self.toolbar.set_level(level)
        self.hierarchy_pane.icicle.set_level(level)
        self.graph_pane.set_level(level)
        self._filter_words()

    def show_community(self, number: int | None) -> None:
        """Make all panes show the community; the graph takes its level if it is not on the page."""
        self.hierarchy_pane.choose(number)
        self.report_pane.show_report(number)
        self.registry.get("communities.export_report").setEnabled(number is not None)
        page = self.page
        if page is not None and number in page.scene.discs and number not in page.at(self.session.level).place:
            self.session.set_level(page.scene.hierarchy.nodes[number].level)
        self._choose_in_graph()
        index = self.session.index
        if number is None or index is None or index.foreign:
            return
        if not self.report_pane.knows_written(number):
            self.engine.run(
                lambda sink, scope: written_later(index, number), name="Looking up what a report was written from",
                quiet=True, on_done=lambda found: self._take_written(index, number, found),
            )  # fmt: skip

    def _take_written(self, index: Any, number: int, found: WrittenFrom | None) -> None:
        if index is self.session.index and found is not None:
            self.report_pane.set_written(number, found.words())

    def _show_entity(self, entity_id: str | None) -> None:
        """Open the entity below the report, and the community that holds it everywhere."""
        self.report_pane.show_entity(entity_id)
        if entity_id is not None:
            number = community_of_entity(self.session, entity_id, self.page)
            if number is not None:
                self.session.choose_community(number)
        self._choose_in_graph()
        if self.page is not None and entity_id in self.page.scene.row_of:
            self.graph_pane.view.show_entity(self.page.scene.row_of[entity_id])

    def _show_citation(self, citation: Citation) -> None:
        if citation.kind == "Relationships":
            number = community_of_relationship(self.session, citation.number)
            if number is not None:
                self.session.choose_community(number)
        self.report_pane.show_citation(citation)

    def _choose_in_graph(self) -> None:
        session, page = self.session, self.page
        row = page.scene.row_of.get(session.entity) if page is not None and session.entity is not None else None
        self.graph_pane.choose(session.community, row)
        if page is not None and session.community is not None and not self._clicking:
            self.graph_pane.view.show_community(session.community)

    _clicking = False  # while a click in the graph is answered, the graph does not move under the pointer

    def _click_graph(self, number: int | None) -> None:
        self._clicking = True
        try:
            if number is None:
                self.session.choose_entity(None)
            else:
                self.session.choose_community(number)
        finally:
            self._clicking = False

    def go_to(self, found: Found) -> None:
        """Fly to what the find box found."""
        if self.page is None:
            return
        if found.kind == "report":
            self.session.choose_community(found.key)
            if found.key in self.page.scene.discs:
                self.graph_pane.view.fly_to(*self.page.scene.discs[found.key])
        elif found.kind == "entity":
            self.session.choose_entity(None)
            self.session.choose_entity(self.page.scene.ids[found.key])
        else:
            tie = self.session.index.relationships[found.key]
            self.session.open_citation(Citation("Relationships", tie.number))
        self.graph_pane.view.setFocus()

    # Actions

    def _filter(self) -> None:
        self.graph_pane.set_filter(self.toolbar.filters.mask())
        self._filter_words()

    def _filter_words(self) -> None:
        self.toolbar.mark_filtered(self.toolbar.filters.mask() is not None)

    def _here(self) -> bool:
        """Show this place; whether there is a graph to act on."""
        self.ensure_built()
        if not self.isVisible():
            self.session.show_place(self.name)
        return self.page is not None

    def _find(self) -> None:
        if self._here():
            self.toolbar.find.setFocus()
            self.toolbar.find.selectAll()

    def _with_view(self, method: str) -> None:
        if self._here():
            getattr(self.graph_pane.view, method)()

    def _step_level(self, by: int) -> None:
        if self._here() and self.hierarchy is not None:
            levels = self.hierarchy.levels
            at = levels.index(self.session.level) if self.session.level in levels else 0
            self.session.set_level(levels[max(0, min(at + by, len(levels) - 1))])

    def _to_parent(self) -> None:
        if self._here() and self.hierarchy is not None and self.session.community in self.hierarchy.nodes:
            parent = self.hierarchy.nodes[self.session.community].parent
            if parent >= 0:
                self.session.choose_community(parent)

    def _toggle_list(self) -> None:
        if self._here():
            self.graph_pane.list_button.toggle()

    def _save_picture(self) -> None:
        if self._here():
            saving.ask_picture(self, self.graph_pane.view, self.graph_pane.legend, self.session)

    def _export_chosen(self) -> None:
        if self._here() and self.session.community is not None:
            saving.ask_reports(self, self.session, self.session.community)

    def _export_all(self) -> None:
        if self._here():
            saving.ask_reports(self, self.session, None)

    def _export_graph(self) -> None:
        if self._here():
            saving.ask_graph(self, self.session)

    def prepare_screenshot(self) -> None:
        """Show a community with its neighbours, its report and a source, so that the picture tells what the page is."""
        self.ensure_built()
        self.graph_pane.view.animated = False
        self._posing = True
        self._pose()

    _posing = False

    def _pose(self) -> None:
        index = self.session.index
        if self.page is None or self.hierarchy is None or index is None or self.session.community is not None:
            return
        roots = [number for number in self.hierarchy.children[-1] if number in index.report_by_community]
        if roots:
            self.session.choose_community(roots[0])
            cited = sorted(cited_numbers(index.report_by_community[roots[0]].full_content)["Entities"])
            known = [number for number in cited if number in index.entity_by_number]
            if known:
                self.session.open_citation(Citation("Entities", known[0]))
            x, y, r = self.page.scene.discs[roots[0]]
            self.graph_pane.view.fly_to(x, y, 1.7 * r, animate=False)
            self.graph_pane.tell()


def _forest(index: Any, rank_of: Callable[[int], int]) -> tuple[Hierarchy, list[list[Cell]]]:
    """The forest and the cells of its icicle. For a worker thread: thousands of titles are read and cut."""
    hierarchy = Hierarchy(index.communities, index.report_by_community, rank_of)
    return hierarchy, lay_out(hierarchy, None)
