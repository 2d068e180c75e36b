"""The forest of communities that all views share."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from explorer.graph.forest import shown_at_level
from explorer.gui.places.communities.hierarchy import Hierarchy, one_line
from explorer.gui.places.communities.icicle_cells import Strip, cell_at, lay_out, merged
from explorer.tables.index import open_index
from explorer.tables.rows import CommunityRow, ReportRow


def row(number: int, level: int = 0, parent: int = -1, size: int = 1) -> CommunityRow:
    return CommunityRow(f"c{number}", number, level, parent, (), f"Community {number}", size=size)


def report(number: int, title: str, rank: float | None = None) -> ReportRow:
    return ReportRow(f"r{number}", number, 0, -1, (), title, "", "", rank)


def test_children_stand_by_size_and_titles_say_what_is_missing() -> None:
    forest = Hierarchy(
        [row(0, size=4), row(1, size=9), row(2, 1, 1, 3), row(3, 1, 1, 6)],
        {1: report(1, " Ghosts\n"), 2: report(2, "")},
    )
    assert forest.children[-1] == (1, 0)
    assert forest.children[1] == (3, 2)
    assert [forest.nodes[n].title for n in (0, 1, 2, 3)] == [
        "Community 0 (no report)", "Ghosts", "Community 2 (no title)", "Community 3 (no report)"
    ]  # fmt: skip
    assert [forest.nodes[n].rank for n in (0, 1, 2, 3)] == [1, 0, 0, 0]
    assert forest.path(2) == [1, 2]
    assert forest.under(1) == [1, 3, 2]


def test_sorting_by_title_and_rating_keeps_every_child() -> None:
    forest = Hierarchy([row(0, size=4), row(1, size=9)], {0: report(0, "B", 8.0), 1: report(1, "A", None)})
    forest.sort("title", descending=False)
    assert forest.children[-1] == (1, 0)
    forest.sort("rating")
    assert forest.children[-1] == (0, 1)
    assert forest.place == {0: 0, 1: 1}


def test_a_parent_that_is_not_there_or_not_above_makes_a_root() -> None:
    forest = Hierarchy([row(0, 1, parent=7), row(1, 0, parent=1), row(2, 0, parent=0)], {})
    assert set(forest.children[-1]) == {0, 1, 2}


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-1, 12), st.integers(0, 50)), max_size=13))
def test_any_table_becomes_a_forest_that_holds_each_community_once(rows: list[tuple[int, int, int]]) -> None:
    forest = Hierarchy([row(n, level, parent, size) for n, (level, parent, size) in enumerate(rows)], {})
    reached = [n for root in forest.children[-1] for n in forest.under(root)]
    assert sorted(reached) == list(range(len(rows)))
    for level in forest.levels:
        own, carried = forest.shown_at(level)
        assert set(own) == {n for n, (its, _, _) in enumerate(rows) if its == level}
        assert not set(own) & set(carried)


def test_a_level_shows_what_the_graph_floor_says_it_shows(shared: Path) -> None:
    index = open_index(shared / "indexes" / "microsoft" / "verbs-v3.1.2")
    forest = Hierarchy(index.communities, index.report_by_community)
    for level in index.levels:
        own, carried = forest.shown_at(level)
        expected = shown_at_level(index.communities, level)
        assert set(own) == {community.community for community, is_carried in expected if not is_carried}
        assert set(carried) == {community.community for community, is_carried in expected if is_carried}


def test_icicle_widths_are_entities(shared: Path) -> None:
    index = open_index(shared / "indexes" / "microsoft" / "verbs-v3.1.2")
    forest = Hierarchy(index.communities, index.report_by_community)
    rows = lay_out(forest, None)
    assert [len(cells) for cells in rows] == [23, 65, 32, 2]
    total = sum(cell.width for cell in rows[0])
    assert abs(total - 1.0) < 1e-9
    sizes = {community.community: community.size for community in index.communities}
    for cell in rows[0]:
        assert abs(cell.width - sizes[cell.number] / 504) < 1e-9
    where = {cell.number: cell for cells in rows for cell in cells}
    for number, cell in where.items():
        parent = forest.nodes[number].parent
        if parent >= 0:
            above = where[parent]
            assert above.left - 1e-9 <= cell.left and cell.left + cell.width <= above.left + above.width + 1e-9
        assert cell_at(rows[cell.row], cell.left + cell.width / 2) == cell


def test_icicle_of_a_focus_shows_the_way_to_it() -> None:
    forest = Hierarchy([row(0, size=9), row(1, 1, 0, 6), row(2, 1, 0, 3), row(3, 2, 1, 6), row(4, size=5)], {})
    rows = lay_out(forest, 1)
    assert [[(cell.number, cell.width) for cell in cells] for cells in rows] == [[(0, 1.0)], [(1, 1.0)], [(3, 1.0)]]


def test_narrow_neighbours_are_drawn_as_one_strip_that_counts_them() -> None:
    forest = Hierarchy([row(0, size=98), row(1, size=1), row(2, size=1)], {})
    drawn = merged(lay_out(forest, None)[0], 0.05)
    assert [type(each).__name__ for each in drawn] == ["Cell", "Strip"]
    assert isinstance(drawn[1], Strip) and drawn[1].count == 2


def test_a_title_becomes_one_line() -> None:
    assert one_line("a\u202eb\n\tc" + "x" * 500, 10) == "a b cxxxx…"
