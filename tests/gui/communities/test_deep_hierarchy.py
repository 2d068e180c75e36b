"""A hierarchy of very many levels: what is chosen stands in sight, and nothing is laid out more often than needed."""

from __future__ import annotations

from typing import Any

import pytest

from explorer.gui.places.communities import icicle as icicle_module
from explorer.gui.places.communities.hierarchy import Hierarchy
from explorer.gui.places.communities.hierarchy_pane import HierarchyPane
from explorer.gui.places.communities.icicle import Icicle
from explorer.gui.places.communities.icicle_cells import lay_out, widths
from explorer.gui.theme import Theme
from explorer.tables.rows import CommunityRow

DEPTH = 600


def _rows(places: list[tuple[int, int, int, int]]) -> list[CommunityRow]:
    return [
        CommunityRow(str(number), number, level, parent, (), f"c {number}", tuple(map(str, range(size))))
        for number, level, parent, size in places
    ]


def _chain() -> Hierarchy:
    return Hierarchy(_rows([(k, k, k - 1, DEPTH + 5 - k) for k in range(DEPTH)]), {})


def test_the_widths_are_those_of_the_cells_that_would_be_laid_out() -> None:
    places = [(0, 0, -1, 10), (1, 0, -1, 5), (2, 1, 0, 4), (3, 1, 0, 3), (4, 2, 2, 2), (5, 2, 2, 1), (6, 3, 4, 2)]
    forest = Hierarchy(_rows(places), {})
    for number in forest.nodes:
        path = forest.path(number)
        found = widths(forest, path)
        for focus, width in zip([None, *path], found, strict=True):
            cells = [cell for row in lay_out(forest, focus) for cell in row if cell.number == number]
            assert [cell.width for cell in cells] == [pytest.approx(width)]


def test_a_community_of_any_level_is_chosen_with_one_laying_out_and_stands_on_the_icicle(
    qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int | None] = []

    def counted(hierarchy: Hierarchy, focus: int | None) -> Any:
        made.append(focus)
        return lay_out(hierarchy, focus)

    monkeypatch.setattr(icicle_module, "lay_out", counted)
    icicle = Icicle(Theme())
    icicle.resize(240, icicle.sizeHint().height())
    icicle.set_hierarchy(_chain())
    for number in (DEPTH - 1, 3, DEPTH // 2, 0):
        made.clear()
        icicle.choose(number)
        rect = icicle.cell_rect(number)
        assert len(made) <= 1
        assert rect.top() >= 0 and rect.bottom() <= icicle.height() and rect.width() > 20
        at = icicle._at(rect.center().x(), rect.center().y())
        assert at is not None and at.number == number
    icicle.deleteLater()


def test_the_titles_of_a_deep_tree_stay_inside_its_pane(qapp: Any) -> None:
    pane = HierarchyPane(Theme())
    pane.resize(260, 700)
    pane.set_hierarchy(_chain())
    pane.choose(DEPTH - 1)
    pane.grab()
    rect = pane.tree.visualRect(pane.model.index_of(DEPTH - 1))
    assert 0 <= rect.left() < pane.tree.viewport().width() / 2
    pane.set_hierarchy(Hierarchy(_rows([(0, 0, -1, 5), (1, 1, 0, 3)]), {}))
    assert pane.tree.indentation() > 0
    pane.deleteLater()
