"""A large index in the window: its communities first, then the rest, and points where one looks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from explorer.base.cancel import CancelScope
from explorer.graph.ring_layout import discs_by_size, ring_places
from explorer.gui.actions import ActionRegistry
from explorer.gui.engine import Engine
from explorer.gui.places.communities.place import CommunitiesPlace
from explorer.gui.session import Session
from explorer.gui.theme import Theme
from explorer.tables import outline as outlines
from explorer.tables.index import open_index
from explorer.tables.outline import is_large, read_outline
from explorer.tables.rows import CommunityRow
from tests.benchmarks.big_index import make


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An index of 3,000 entities that counts as large here."""
    make(tmp_path / "output", 3_000, 9_000, 600, 30)
    monkeypatch.setattr(outlines, "LARGE", 10_000)
    return tmp_path / "output"


def test_the_outline_is_what_the_rows_say(folder: Path) -> None:
    index = open_index(folder)
    assert is_large(index)
    outline = read_outline(index)
    assert outline is not None
    rows = index.communities
    assert [(row.community, row.level, row.parent, row.size, row.title) for row in outline.communities] == [
        (row.community, row.level, row.parent, row.size, row.title) for row in rows
    ]
    assert {number: (row.title, row.rank) for number, row in outline.report_by_community.items()} == {
        number: (row.title, row.rank) for number, row in index.report_by_community.items()
    }
    assert outline.levels == index.levels == [0, 1, 2]
    assert outline.counts["entities"] == len(index.entities)


def test_a_small_index_is_opened_as_before(shared: Path) -> None:
    assert not is_large(open_index(shared / "indexes" / "microsoft" / "verbs-v3.1.2"))


def inside_and_apart(discs: dict[int, Any], rows: list[CommunityRow]) -> Iterator[tuple[float, float]]:
    """For each community: how far it reaches beyond its parent, and the least room to a sibling."""
    families: dict[int, list[int]] = {}
    for row in rows:
        families.setdefault(row.parent, []).append(row.community)
    for parent, numbers in families.items():
        for at, number in enumerate(numbers):
            disc = discs[number]
            above = discs.get(parent)
            out = 0.0 if above is None else math.hypot(disc.x - above.x, disc.y - above.y) + disc.r - above.r
            others = (discs[other] for other in numbers[:at])
            room = min((math.hypot(disc.x - o.x, disc.y - o.y) - disc.r - o.r for o in others), default=1.0)
            yield out, room


def test_discs_lie_inside_their_parents_and_over_no_sibling(folder: Path) -> None:
    rows = open_index(folder).communities
    discs = discs_by_size(rows).discs
    assert all(out <= 0 and room > 0 for out, room in inside_and_apart(discs, rows))
    areas = {row.community: discs[row.community].r ** 2 for row in rows if row.level == 0}
    share = {row.community: areas[row.community] / row.size for row in rows if row.level == 0}
    assert max(share.values()) == pytest.approx(min(share.values()), rel=1e-4)  # area is size
    assert discs_by_size(reversed(rows)).discs == discs
    roots = discs_by_size(rows, 1).discs
    assert all(discs[number] == disc for number, disc in roots.items())
    assert set(roots) == set(areas)


@pytest.mark.parametrize("radii", [[3.0, 3.0, 0.2], [9.0, 1.0], [5.0], [4.0] * 7, [8.0, *[1.0] * 90], [2.0] * 300])
def test_rings_of_any_sizes_leave_room(radii: list[float]) -> None:
    places, reach = ring_places(radii, 0.1)
    for k, (x, y) in enumerate(places):
        assert math.hypot(x, y) + radii[k] <= reach + 1e-9
        for j, (a, b) in enumerate(places[:k]):
            assert math.hypot(x - a, y - b) >= radii[k] + radii[j] + 0.1 - 1e-4


def test_communities_stand_there_before_the_rest_is_read(qtbot: Any, engine: Engine, folder: Path) -> None:
    session = Session(engine)
    place = CommunitiesPlace(session, engine, Theme(), ActionRegistry())
    qtbot.addWidget(place)
    place.resize(1200, 700)
    place.show()
    seen: dict[str, Any] = {}

    def look(_index: object) -> None:
        seen["outline first"] = session.index is None

    session.outline_opened.connect(look)
    session.open_path(folder)
    qtbot.waitUntil(lambda: place.page is not None, timeout=120_000)
    assert seen["outline first"]
    first = place.page.scene.discs
    assert len(place.graph_pane.view.grouping) == 30  # level 0
    assert place.hierarchy_pane.model.rowCount() == 30
    qtbot.waitUntil(lambda: place.settled and session.index is not None, timeout=120_000)
    scene = place.page.scene
    assert len(scene.ids) == 3_000
    assert {number: scene.discs[number] for number in first} == first  # nothing moved
    # No entity has a place before its community is opened.
    assert all(math.isnan(x) for x in scene.x)
    session.choose_community(0)
    place.graph_pane.view.animated = False
    x, y, r = scene.discs[0]
    place.graph_pane.view.fly_to(x, y, r, animate=False)
    members = scene.members[0]
    qtbot.waitUntil(lambda: not any(math.isnan(scene.x[row]) for row in members), timeout=120_000)
    assert all(math.hypot(scene.x[row] - x, scene.y[row] - y) <= r for row in members)
    assert math.isnan(scene.x[scene.members[29][0]])  # far away
    assert place.graph_pane.view.drawn.dots.size > 0
    session.close_index()
    assert place.page is None
    assert session.outline is None
    qtbot.waitUntil(lambda: not engine.jobs, timeout=120_000)


def test_closing_while_it_is_read_leaves_nothing(qtbot: Any, engine: Engine, folder: Path) -> None:
    session = Session(engine)
    place = CommunitiesPlace(session, engine, Theme(), ActionRegistry())
    qtbot.addWidget(place)
    place.show()
    with qtbot.waitSignal(session.outline_opened, timeout=120_000):
        session.open_path(folder)
    session.close_index()
    qtbot.waitUntil(lambda: not engine.jobs, timeout=120_000)
    assert session.index is None
    assert "No index is open" in place.nothing.headline.text()


def test_points_are_the_same_each_time(folder: Path) -> None:
    from explorer.gui.places.communities.hierarchy import Hierarchy
    from explorer.gui.places.communities.page import build_page

    index = open_index(folder)
    layout = discs_by_size(index.communities)
    found = []
    for _ in range(2):
        page = build_page(index, layout, Hierarchy(index.communities, index.report_by_community), CancelScope())
        assert page.points is not None
        wanted = page.points.missing(page.scene.members[3])
        placed = page.points.make(wanted, CancelScope())
        assert set(page.scene.members[3].tolist()) <= set(placed.rows.tolist())
        found.append([placed.rows.tolist(), placed.x.tolist(), placed.y.tolist()])
    assert found[0] == found[1]


def test_another_level_places_what_it_opens(qtbot: Any, engine: Engine, folder: Path) -> None:
    session = Session(engine)
    place = CommunitiesPlace(session, engine, Theme(), ActionRegistry())
    qtbot.addWidget(place)
    place.resize(1200, 700)
    place.show()
    session.open_path(folder)
    qtbot.waitUntil(lambda: place.settled and session.index is not None, timeout=120_000)
    place.prepare_screenshot()
    view = place.graph_pane.view
    qtbot.waitUntil(lambda: len(view.drawn.dots) > 0 and not engine.jobs, timeout=120_000)
    session.set_level(2)
    x, y, r = place.page.scene.discs[place.page.at(2).numbers[-1]]
    view.fly_to(x, y, r, animate=False)
    qtbot.waitUntil(lambda: len(view.drawn.dots) > 0 and not engine.jobs, timeout=120_000)
    assert "being placed" not in place.graph_pane.footer.text()
