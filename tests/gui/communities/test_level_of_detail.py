"""What is drawn: discs far out, members close in, and the words that say what is not."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from explorer.base.cancel import CancelScope
from explorer.graph.links import community_links
from explorer.gui.places.communities.camera import Camera
from explorer.gui.places.communities.hierarchy import Hierarchy
from explorer.gui.places.communities.hits import HitMap
from explorer.gui.places.communities.level_of_detail import Drawn, View, what_is_drawn
from explorer.gui.places.communities.page import Page, build_page
from explorer.gui.places.communities.paint_links import LINK_STEPS, link_steps, link_width
from explorer.gui.places.communities.words import footer
from explorer.tables.index import Index, open_index
from explorer.tables.rows import CommunityRow, EntityRow, RelationshipRow
from tests.gui.communities.fake_layout import fake_layout

WIDTH, HEIGHT = 760.0, 640.0


@pytest.fixture(scope="module")
def carol_index(shared: Path) -> Index:
    return open_index(shared / "indexes" / "microsoft" / "verbs-v3.1.2")


@pytest.fixture(scope="module")
def page(carol_index: Index) -> Page:
    forest = Hierarchy(carol_index.communities, carol_index.report_by_community)
    return build_page(carol_index, fake_layout(carol_index), forest, CancelScope())


def far(page: Page) -> View:
    camera = Camera()
    camera.set_scene(page.scene)
    camera.spot = camera.whole(WIDTH, HEIGHT)
    return camera.view(WIDTH, HEIGHT)


def near(page: Page, number: int, level: int) -> tuple[View, Drawn]:
    camera = Camera()
    camera.set_scene(page.scene)
    camera.spot = camera.on_circle(*page.scene.discs[number], WIDTH, HEIGHT)
    view = camera.view(WIDTH, HEIGHT)
    return view, what_is_drawn(page.at(level), view, page.unit)


def test_far_out_there_is_one_disc_for_each_community_of_the_level(page: Page, carol_index: Index) -> None:
    for level, expected in ((0, 23), (1, 65), (2, 32), (3, 2)):
        drawn = what_is_drawn(page.at(level), far(page), page.unit)
        own = [disc.community for disc in drawn.discs if disc.level == level]
        assert sorted(own) == sorted(row.community for row in carol_index.communities if row.level == level)
        assert len(own) == expected
        assert all(disc.carried == (disc.level != level) for disc in drawn.discs)
        assert len(drawn.dots) == 0


def test_area_is_by_size_among_the_roots(page: Page, carol_index: Index) -> None:
    drawn = what_is_drawn(page.at(0), far(page), page.unit)
    ratios = [disc.r**2 / carol_index.community_by_number[disc.community].size for disc in drawn.discs]
    assert max(ratios) / min(ratios) == pytest.approx(1.0)


def test_links_are_the_summed_weights(page: Page, carol_index: Index) -> None:
    for level in (0, 1):
        expected = community_links(carol_index.entities, carol_index.relationships, carol_index.communities, level)
        grouping = page.at(level)
        links = grouping.links()
        found = {
            tuple(sorted((int(grouping.numbers[a]), int(grouping.numbers[b])))): weight
            for a, b, weight in zip(links.a, links.b, links.weight, strict=True)
        }
        assert found.keys() == expected.keys()
        assert all(found[pair] == pytest.approx(expected[pair]) for pair in expected)


def test_thickness_goes_with_weight_in_few_pens() -> None:
    steps = link_steps(np.array([100.0, 50.0, 49.0, 1.0]), 100.0)
    widths = [link_width(int(step)) for step in steps]
    assert widths == sorted(widths, reverse=True)
    assert widths[0] == link_width(LINK_STEPS - 1) and len({link_width(s) for s in range(LINK_STEPS)}) == LINK_STEPS


def test_close_in_the_members_of_a_disc_lie_inside_it(page: Page, carol_index: Index) -> None:
    for level in (0, 1):
        grouping = page.at(level)
        for number in grouping.numbers[:8].tolist():
            _, drawn = near(page, number, level)
            (disc,) = [disc for disc in drawn.discs if disc.community == number]
            mine = np.isin(drawn.dots, page.scene.members[number])
            ids = {page.scene.ids[row] for row in drawn.dots[mine]}
            assert ids == set(carol_index.community_by_number[number].entity_ids)
            away = np.hypot(drawn.dot_x[mine] - disc.x, drawn.dot_y[mine] - disc.y) + drawn.dot_r[mine]
            assert (away <= disc.r).all()


def test_every_dot_of_a_view_lies_in_its_own_open_disc(page: Page) -> None:
    _, drawn = near(page, int(page.at(1).numbers[0]), 1)
    opened = {disc.place: disc for disc in drawn.discs if disc.open > 0}
    for row, x, y in zip(drawn.dots, drawn.dot_x, drawn.dot_y, strict=True):
        disc = opened[int(page.at(1).home[row])]
        assert np.hypot(x - disc.x, y - disc.y) < disc.r


def test_another_level_moves_nothing(page: Page) -> None:
    view = far(page)
    frames = [what_is_drawn(page.at(level), view, page.unit) for level in (0, 1, 2, 3)]
    where: dict[int, tuple[float, float, float]] = {}
    for drawn in frames:
        for disc in drawn.discs:
            assert where.setdefault(disc.community, (disc.x, disc.y, disc.r)) == (disc.x, disc.y, disc.r)


def test_the_cut_takes_the_lowest_degree_and_says_so(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    number = int(page.at(0).numbers[0])
    _, whole = near(page, number, 0)
    monkeypatch.setattr("explorer.gui.places.communities.level_of_detail.MOST_DOTS", 5)
    _, drawn = near(page, number, 0)
    assert len(drawn.dots) == 5 and drawn.dots_left_out == len(whole.dots) - 5
    best = sorted((int(page.scene.degree[row]) for row in whole.dots), reverse=True)[:5]
    assert sorted((int(page.scene.degree[row]) for row in drawn.dots), reverse=True) == best
    assert f"{drawn.dots_left_out:,} more left out (lowest degree)" in footer(drawn, page.at(0), 0)


def test_the_line_under_the_graph_counts_what_is_not_drawn(page: Page) -> None:
    drawn = what_is_drawn(page.at(1), far(page), page.unit)
    words = footer(drawn, page.at(1), 0)
    assert words.startswith("65 communities and 11 carried from above (dashed)")
    assert "of 978 relationships drawn" in words and "25 entities in no community" in words
    grouping = page.at(1)
    # Every relationship is either drawn in a link, inside a closed disc, elsewhere, or without an entity.
    elsewhere = 978 - grouping.inner_count - grouping.between_count - page.scene.dangling
    assert drawn.relationships_drawn == grouping.between_count
    assert f"{grouping.inner_count:,} inside closed discs, {elsewhere:,} elsewhere" in words
    assert page.scene.dangling == 84 and "84 without an entity" in words


def test_entities_that_no_community_of_the_level_holds_are_counted() -> None:
    """A community of three is divided into one of two: the third stands in the wider community only."""
    entities = [EntityRow(id, n, id.upper(), "", "", (), 1, 1) for n, id in enumerate("abcd")]
    communities = [
        CommunityRow("c0", 0, 0, -1, (1,), "", ("a", "b", "c"), size=3),
        CommunityRow("c1", 1, 1, 0, (), "", ("a", "b"), size=2),
    ]
    ties = [RelationshipRow("r0", 0, "A", "B", "", 1.0), RelationshipRow("r1", 1, "B", "C", "", float("nan"))]
    index = SimpleNamespace(
        entities=entities, relationships=ties, communities=communities, report_by_community={}, output="none"
    )
    page = build_page(index, fake_layout(index), Hierarchy(communities, {}), CancelScope())
    deep = footer(what_is_drawn(page.at(1), far(page), page.unit), page.at(1), 0)
    assert deep == (
        "1 community · 0 of 2 relationships drawn (1 inside closed discs, 1 elsewhere) · "
        "1 entity in a wider community only · 1 entity in no community"
    )
    wide = footer(what_is_drawn(page.at(0), far(page), page.unit), page.at(0), 0)
    assert "wider" not in wide and "2 inside closed discs" in wide


def test_filters_hide_entities_and_their_relationships(page: Page) -> None:
    allowed = page.scene.degree >= 5
    number = int(page.at(0).numbers[0])
    camera = Camera()
    camera.set_scene(page.scene)
    camera.spot = camera.on_circle(*page.scene.discs[number], WIDTH, HEIGHT)
    drawn = what_is_drawn(page.at(0), camera.view(WIDTH, HEIGHT), page.unit, allowed)
    assert len(drawn.dots) and allowed[drawn.dots].all()
    assert allowed[page.scene.source[drawn.lines]].all() and allowed[page.scene.target[drawn.lines]].all()
    assert page.at(0).links(allowed).weight.sum() < page.at(0).links().weight.sum()
    assert len(drawn.discs) == len(what_is_drawn(page.at(0), camera.view(WIDTH, HEIGHT), page.unit).discs)


def test_a_dot_and_a_disc_are_found_under_the_pointer(page: Page) -> None:
    number = int(page.at(0).numbers[0])
    _, drawn = near(page, number, 0)
    hits = HitMap(drawn)
    for k in range(len(drawn.dots)):
        x, y = float(drawn.dot_x[k]), float(drawn.dot_y[k])
        away = np.hypot(drawn.dot_x - x, drawn.dot_y - y) - drawn.dot_r
        found = hits.dot_at(x, y)
        assert found is not None
        # Where dots lie over each other the one whose rim is furthest out wins; no other is nearer.
        assert away[np.flatnonzero(drawn.dots == found)[0]] == pytest.approx(away.min())
    assert hits.dot_at(-500, -500) is None
    disc = hits.disc_at(WIDTH / 2, HEIGHT / 2)
    assert disc is not None and disc.community == number
