"""The picture: discs inside discs, no overlap, areas by size, points at home, the same in every process."""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.graph import forest as forest_names
from explorer.graph import positions
from explorer.graph.forest import Forest, build_forest
from explorer.graph.layout_store import DISCS_FILE, POSITIONS_FILE, ensure_layout, load_layout, save_layout
from explorer.graph.links import entity_links, sibling_links
from explorer.graph.packing import enclosing, pack, scatter
from explorer.graph.positions import Layout, compute_layout, find_layout, layout_input, place_communities
from explorer.tables.index import open_index
from explorer.tables.rows import CommunityRow
from tests.graph.rows import community, entities, relationships

ROUNDING = 4e-6
INDEXES = ["mit/kexuan-backup3", "microsoft/verbs-v3.1.2", "microsoft/dulce-v3.0.0", "mit/joelandres-christmas"]


def check_layout(rows: list[CommunityRow], layout: Layout) -> Forest:
    """What must hold of every layout: nesting, no overlap of siblings, points inside their home, none outside."""
    forest = build_forest(rows)
    discs = layout.discs
    assert set(discs) == set(forest.parent)
    assert all(math.isfinite(v) for disc in discs.values() for v in (disc.x, disc.y, disc.r))
    for children in (forest.roots, *forest.children.values()):
        for a, b in combinations(children, 2):
            apart = math.hypot(discs[a].x - discs[b].x, discs[a].y - discs[b].y)
            assert apart >= discs[a].r + discs[b].r - ROUNDING, (a, b)
    for parent, children in forest.children.items():
        outer = discs[parent]
        for number in children:
            inner = discs[number]
            assert math.hypot(inner.x - outer.x, inner.y - outer.y) + inner.r <= outer.r + ROUNDING
    for entity, (x, y) in layout.points.items():
        for number in forest.path(forest.home[entity]):
            disc = discs[number]
            assert math.hypot(x - disc.x, y - disc.y) < disc.r
        for number in forest.children[forest.home[entity]]:
            disc = discs[number]
            assert math.hypot(x - disc.x, y - disc.y) > disc.r
    assert len(set(layout.points.values())) == len(layout.points)
    return forest


@pytest.mark.parametrize("name", INDEXES)
def test_layout_of_a_real_index(shared: Path, name: str) -> None:
    index = open_index(shared / "indexes" / name)
    layout = find_layout(layout_input(index.entities, index.relationships, index.communities))
    forest = check_layout(index.communities, layout)
    assert layout.counts == {}
    grouped = {entity for row in index.communities for entity in row.entity_ids}
    assert set(layout.points) == grouped
    assert layout.unplaced == len(index.entities) - len(grouped)
    by_level: dict[int, list[float]] = {}
    for number, disc in layout.discs.items():
        by_level.setdefault(forest.level[number], []).append(disc.r**2 / forest.size[number])
    for areas in by_level.values():
        assert max(areas) / min(areas) == pytest.approx(1.0, abs=1e-4)


def test_the_figures_of_the_largest_foreign_index(shared: Path) -> None:
    index = open_index(shared / "indexes" / "mit/kexuan-backup3")
    layout = find_layout(layout_input(index.entities, index.relationships, index.communities))
    assert (len(layout.discs), len(layout.points), layout.unplaced) == (349, 1388, 4466)


def test_linked_roots_are_nearer_than_others(shared: Path) -> None:
    index = open_index(shared / "indexes" / "mit/kexuan-backup3")
    forest = build_forest(index.communities)
    between, _ = sibling_links(forest, entity_links(index.entities, index.relationships))
    discs = place_communities(forest, between, depth=1).discs
    assert set(discs) == set(forest.roots)
    weights = between[-1]
    near, far = [], []
    for a, b in combinations(forest.roots, 2):
        gap = math.hypot(discs[a].x - discs[b].x, discs[a].y - discs[b].y)
        (near if (a, b) in weights else far).append(gap)
    assert np.mean(near) < 0.8 * np.mean(far)


@st.composite
def trees(draw: st.DrawFn) -> tuple[list[CommunityRow], list[tuple[str, str, float]], list[str]]:
    """Communities of random nested splits, some entities left at home in a divided one, and random links."""
    count = draw(st.integers(1, 60))
    names = [f"e{n:02}" for n in range(count)]
    rows: list[CommunityRow] = []
    pending = [(-1, 0, names)]
    while pending:
        parent, level, members = pending.pop(0)
        parts: dict[int, list[str]] = {}
        for name, part in zip(members, draw(st.lists(st.integers(0, 4), min_size=len(members), max_size=len(members)))):
            parts.setdefault(part, []).append(name)
        for part, inside in sorted(parts.items()):
            if part == 4 and level > 0:
                continue  # in none of the children
            number = len(rows)
            rows.append(community(number, level, parent, inside))
            if len(inside) > 3 and level < 3 and draw(st.booleans()):
                pending.append((number, level + 1, inside))
    ends = st.integers(0, count - 1)
    links = draw(st.lists(st.tuples(ends, ends, st.floats(0, 10)), max_size=80))
    return rows, [(names[a], names[b], weight) for a, b, weight in links], names


@settings(deadline=None, max_examples=60)
@given(trees(), st.integers())
def test_every_layout_is_nested_and_independent_of_order(
    tree: tuple[list[CommunityRow], list[tuple[str, str, float]], list[str]], seed: int
) -> None:
    rows, links, names = tree
    layout = find_layout(layout_input(entities(names), relationships(links), rows))
    check_layout(rows, layout)
    shuffle = random.Random(seed).shuffle
    people, ties, groups = entities(names), relationships(links), list(rows)
    for part in (people, ties, groups):
        shuffle(part)  # type: ignore[arg-type]
    assert find_layout(layout_input(people, ties, groups)) == layout


def test_degenerate_tables_have_a_layout() -> None:
    assert find_layout(layout_input([], [], [])) == find_layout(layout_input([], [], []))
    rows = [
        community(0, 0, -1, "a"), community(1, 0, -1, ""), community(2, 1, 77, "bc"),
        community(3, 0, 4, "d"), community(4, 1, 3, "d"), community(5, 0, -1, "a"),
        community(6, 1, 5, "a", size=50), community(7, 1, 5, "", size=60),
    ]  # fmt: skip
    layout = find_layout(layout_input(entities("abcdz"), relationships([("a", "b", 1.0)]), rows))
    check_layout(rows, layout)
    assert set(layout.points) == set("abcd")
    assert layout.unplaced == 1
    assert layout.counts == {
        forest_names.MISSING_PARENT: 1, forest_names.CIRCLE: 1, forest_names.REPEATED: 1, positions.SQUEEZED: 1,
    }  # fmt: skip


def test_an_id_that_no_entity_has_gets_no_point() -> None:
    layout = find_layout(layout_input(entities("ab"), [], [community(0, 0, -1, "abx")]))
    assert set(layout.points) == {"a", "b"}
    assert layout.counts == {positions.UNKNOWN: 1}


def test_many_roots_and_one_crowded_community() -> None:
    names = [f"n{n:04}" for n in range(1400)]
    rows = [community(n, 0, -1, names[n * 2 : n * 2 + 2]) for n in range(400)]
    rows.append(community(400, 0, -1, names[800:]))
    rows += [community(401 + n, 1, 400, names[800 + 2 * n : 802 + 2 * n]) for n in range(300)]
    check_layout(rows, find_layout(layout_input(entities(names), [], rows)))


@given(st.lists(st.floats(0.01, 10), min_size=1, max_size=25))
@settings(deadline=None)
def test_packed_and_scattered_discs_never_overlap(radii: list[float]) -> None:
    packed, reach = pack(radii)
    for places in (packed, scatter(radii, np.zeros((len(radii), 2)), gap=0.1)):
        for a, b in combinations(range(len(radii)), 2):
            assert math.dist(places[a], places[b]) >= (radii[a] + radii[b]) * (1 - 1e-9)
    assert all(math.hypot(*place) + r <= reach * (1 + 1e-9) for place, r in zip(packed, radii, strict=True))


def test_enclosing_circle_of_two_equal_discs() -> None:
    centre, radius = enclosing(np.array([[0.0, 0.0], [2.0, 0.0]]), np.array([1.0, 1.0]))
    assert radius == pytest.approx(2.0, rel=5e-3)
    assert tuple(centre) == pytest.approx((1.0, 0.0), abs=1e-2)


class Tables:
    """The part of an index that a layout reads."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.entities = entities("abcdef")
        self.relationships = relationships([("a", "b", 1.0), ("c", "d", 2.0), ("b", "c", 1.0)])
        self.communities = [community(0, 0, -1, "ab"), community(1, 0, -1, "cd")]


def test_a_layout_is_kept_and_made_again_when_the_tables_change(tmp_path: Path) -> None:
    tables = Tables(tmp_path / "home")
    assert load_layout(tables.home) is None
    layout = ensure_layout(tables)
    assert load_layout(tables.home) == layout and layout.unplaced == 2
    files = {name: (tables.home / name).read_bytes() for name in (DISCS_FILE, POSITIONS_FILE)}
    stamp = (tables.home / DISCS_FILE).stat().st_mtime_ns
    assert ensure_layout(tables) == layout
    assert (tables.home / DISCS_FILE).stat().st_mtime_ns == stamp
    save_layout(tables.home, layout)
    assert files == {name: (tables.home / name).read_bytes() for name in files}
    tables.communities.append(community(2, 0, -1, "ef"))
    again = ensure_layout(tables)
    assert set(again.discs) == {0, 1, 2} and again.unplaced == 0


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema_version": 99}', "nonsense"])
def test_a_damaged_layout_is_made_again(tmp_path: Path, text: str) -> None:
    tables = Tables(tmp_path)
    layout = ensure_layout(tables)
    (tmp_path / DISCS_FILE).write_text(text, encoding="utf-8")
    assert load_layout(tmp_path) is None
    save_layout(tmp_path, layout)
    (tmp_path / POSITIONS_FILE).write_bytes(b"PAR1")
    assert load_layout(tmp_path) is None
    save_layout(tmp_path, layout)
    stored = json.loads((tmp_path / DISCS_FILE).read_text(encoding="utf-8"))
    stored["discs"]["0"] = [0, None, 1]
    (tmp_path / DISCS_FILE).write_text(json.dumps(stored), encoding="utf-8")
    assert load_layout(tmp_path) is None


def test_a_home_that_cannot_be_written_to_is_said(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file where the folder should be", encoding="utf-8")
    said: list[object] = []
    layout = ensure_layout(Tables(tmp_path / "home"), sink=said.append)
    assert set(layout.discs) == {0, 1}
    assert len(said) == 1 and "computed again next time" in str(said[0])


SCRIPT = """
import random, sys
from pathlib import Path
from explorer.graph.positions import compute_layout
from explorer.tables.index import open_index

if __name__ == "__main__":
    index = open_index(Path(sys.argv[1]))
    tables = [list(index.entities), list(index.relationships), list(index.communities)]
    for rows in tables:
        random.shuffle(rows)
    layout = compute_layout(*tables)
    print(sorted(layout.discs.items()), sorted(layout.points.items()), layout.fingerprint)
"""


def test_two_processes_draw_the_same_picture(shared: Path, tmp_path: Path) -> None:
    script = tmp_path / "draw_it.py"
    script.write_text(SCRIPT, encoding="utf-8")
    root = Path(__file__).resolve().parents[2]
    outputs = []
    for hash_seed in ("1", "77"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(root)}
        command = [sys.executable, str(script), str(shared / "indexes" / "microsoft" / "verbs-v3.1.2")]
        outputs.append(subprocess.run(command, env=environment, capture_output=True, check=True, text=True).stdout)
    assert outputs[0] == outputs[1] and "Disc(" in outputs[0]


def test_the_process_and_the_caller_agree() -> None:
    tables = Tables(Path())
    given = (tables.entities, tables.relationships, tables.communities)
    assert compute_layout(*given) == find_layout(layout_input(*given))


def test_a_link_that_weighs_nothing_beside_another_stops_no_layout() -> None:
    from explorer.graph.inner_layout import force_layout

    places = force_layout(3, [(0, 1, 5e-324), (0, 2, 2.0)])
    assert places.shape == (3, 2) and bool((places == places).all())
