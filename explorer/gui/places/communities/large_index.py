"""A large index on the page of communities: first its communities alone, then the rest, points where one looks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from explorer.base.cancel import CancelScope
from explorer.gui.job import Job
from explorer.gui.places.communities.hierarchy import Hierarchy
from explorer.gui.places.communities.icicle_cells import Cell
from explorer.gui.places.communities.page import Page, build_page
from explorer.gui.places.communities.points import Placed

if TYPE_CHECKING:
    from explorer.gui.places.communities.place import CommunitiesPlace

ForestMaker = Callable[[Any, Callable[[int], int]], tuple[Hierarchy, list[list[Cell]]]]
"""(index, rank of a community) → the forest and the cells of its icicle; called on a worker thread."""


class LargeIndex:
    """What the place does otherwise for an index that takes long to read. The place keeps what is shown."""

    def __init__(self, place: CommunitiesPlace, forest_of: ForestMaker) -> None:
        self._place, self._forest_of = place, forest_of
        self._outline: Any = None  # the one that is shown, or was before the whole index came
        self._job: Job | None = None
        self._placing: Job | None = None

    def clear(self) -> None:
        """Forget the index."""
        self._outline = None
        for job in (self._job, self._placing):
            if job is not None:
                job.cancel()
        self._job = self._placing = None

    def shows(self, outline: Any) -> bool:
        """Whether that outline stands on the page."""
        return self._place.hierarchy is not None and outline is not None and outline is self._outline

    def take_outline(self, outline: Any) -> None:
        """Show the communities of an index that is still being read: level 0 as discs, hierarchy, names."""
        place, session = self._place, self._place.session
        place.clear()
        place.set_settled(False)
        place.nothing.show_state("opening", "The communities are being put in order.")
        place.stack.setCurrentIndex(0)
        layout, rank_of = session.layout, session.root_rank
        self._job = place.engine.run(
            lambda sink, scope: self._make_page(outline, layout, rank_of, scope),
            name="Ordering the communities", quiet=True, turn=0,
            on_done=lambda made: self._take_page(outline, *made), on_error=session.failed.emit,
        )  # fmt: skip

    def _make_page(
        self, outline: Any, layout: Any, rank_of: Callable[[int], int], scope: CancelScope
    ) -> tuple[Hierarchy, list[list[Cell]], Page]:
        hierarchy, cells = self._forest_of(outline, rank_of)
        return hierarchy, cells, build_page(outline, layout, hierarchy, scope, hierarchy.levels[:1])

    def _take_page(self, outline: Any, hierarchy: Hierarchy, cells: list[list[Cell]], page: Page) -> None:
        place, session = self._place, self._place.session
        if outline is not session.outline:
            return
        self._job, self._outline, place.hierarchy, place.page = None, outline, hierarchy, page
        place.hierarchy_pane.set_hierarchy(hierarchy, cells)
        place.hierarchy_pane.icicle.set_level(session.level)
        place.report_pane.set_waiting(hierarchy)
        place.toolbar.set_levels(hierarchy.levels, session.level)
        place.toolbar.slider.setEnabled(False)
        place.toolbar.find.set_index(page.find)
        place.toolbar.find.setEnabled(True)
        place.graph_pane.set_page(page, session.level)
        counts = outline.counts
        place.graph_pane.set_pending(
            f"{counts['entities']:,} entities, {counts['relationships']:,} relationships and the other levels are "
            "still being read"
        )
        place.stack.setCurrentIndex(1)
        place.show_community(session.community)
        if session.index is not None:
            self.take_whole(session.index)
            place.take_layout(session.layout)

    def take_whole(self, index: Any) -> None:
        """All of the index is read: the graph gets its entities, what is shown and chosen stays."""
        place = self._place
        place.report_pane.set_index(index, place.hierarchy)
        place.graph_pane.set_pending("entities and relationships are being put in order")
        place.show_community(place.session.community)

    def place_points(self) -> None:
        """Give the entities of the communities that are open in view their points, where they have none yet."""
        place = self._place
        page, drawn = place.page, place.graph_pane.view.drawn
        if page is None or page.points is None or self._placing is not None or drawn is None:
            return
        maker = page.points
        wanted = maker.missing(drawn.grouping.members_of(drawn.places[drawn.disc_open > 0]))
        place.graph_pane.set_pending("entities are being placed" if wanted else "")
        if not wanted:
            return
        self._placing = job = place.engine.run(
            lambda sink, scope: maker.make(wanted, scope), name="Placing entities", quiet=True,
            on_done=lambda placed: self._take_points(job, page, placed),
            on_error=lambda sentence: self._no_points(job, sentence),
        )  # fmt: skip

    def _take_points(self, job: Job, page: Page, placed: Placed) -> None:
        if job is self._placing:
            self._placing = None
            if page is self._place.page and page.points is not None:
                page.points.take(placed)
                self._place.graph_pane.view.points_came()
                self.place_points()

    def _no_points(self, job: Job, sentence: str) -> None:
        if job is self._placing:
            self._placing = None
            self._place.session.failed.emit(sentence)
