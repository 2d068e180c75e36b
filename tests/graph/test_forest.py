"""Communities as trees, what is shown at a level, and the links between what is shown."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest

from explorer.graph import forest as names
from explorer.graph.forest import build_forest, shown_at_level
from explorer.graph.links import community_links, entity_links
from explorer.tables.index import open_index
from explorer.tables.rows import ROOT
from tests.graph.rows import community, entities, relationships

ROWS = [
    community(0, 0, -1, "abcd"), community(1, 0, -1, "ef"),
    community(2, 1, 0, "ab"), community(3, 1, 0, "cd"), community(4, 2, 2, "a"), community(5, 2, 2, "b"),
]  # fmt: skip


def test_children_come_from_parents_and_homes_are_deepest() -> None:
    forest = build_forest(ROWS)
    assert forest.roots == (0, 1)
    assert forest.children[0] == (2, 3) and forest.children[2] == (4, 5)
    assert forest.home == {"a": 4, "b": 5, "c": 3, "d": 3, "e": 1, "f": 1}
    assert forest.path(5) == [0, 2, 5]
    assert list(forest.downwards()) == [0, 1, 2, 3, 4, 5]
    assert forest.counts == {}


def test_what_is_shown_at_a_level_covers_every_entity_once() -> None:
    assert [(row.community, carried) for row, carried in shown_at_level(ROWS, 0)] == [(0, False), (1, False)]
    assert [(row.community, carried) for row, carried in shown_at_level(ROWS, 1)] == [(1, True), (2, False), (3, False)]
    assert [(row.community, carried) for row, carried in shown_at_level(ROWS, 2)] == [
        (1, True), (3, True), (4, False), (5, False),
    ]  # fmt: skip


def test_broken_rows_are_mended_and_counted() -> None:
    forest = build_forest(
        [
            community(0, 0, -1, "ab"), community(0, 0, -1, "z"),
            community(1, 1, 99, "c"),
            community(2, 1, 3, "d"), community(3, 2, 4, "d"), community(4, 3, 2, "d"), community(5, 2, 5, "e"),
            community(6, 0, -1, "b"), community(7, 0, -1, ""),
        ]
    )  # fmt: skip
    assert forest.counts == {names.DUPLICATE: 1, names.MISSING_PARENT: 1, names.CIRCLE: 2, names.REPEATED: 1}
    assert forest.roots == (0, 1, 2, 5, 6, 7)
    assert sorted(forest.downwards()) == list(range(8))
    assert forest.home["b"] == 0 and forest.home["d"] == 4
    assert forest.size[7] == 1


def test_entities_that_no_child_took_stay_at_home_in_the_parent() -> None:
    forest = build_forest([community(0, 0, -1, "abc"), community(1, 1, 0, "a"), community(2, 1, 0, "b")])
    assert forest.members[0] == ("c",)


def test_links_between_shown_communities_are_summed() -> None:
    rows = relationships(
        [("a", "b", 1.0), ("b", "a", 2.0), ("a", "c", 4.0), ("d", "b", math.nan), ("a", "e", 0.5), ("f", "c", -3.0),
         ("a", "x", 9.0)]
    )  # fmt: skip
    people = entities("abcdef")
    assert community_links(people, rows, ROWS, 0) == {(0, 1): 0.5}
    assert community_links(people, rows, ROWS, 1) == {(1, 2): 0.5, (2, 3): 5.0}
    assert community_links(people, rows, ROWS, 2) == {(1, 4): 0.5, (3, 4): 4.0, (3, 5): 1.0, (4, 5): 3.0}
    assert entity_links(people, relationships([("a", "b", math.inf), ("c", "d", 2.0)])) == [
        ("a", "b", 2.0), ("c", "d", 2.0),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["mit/kexuan-backup3", "microsoft/verbs-v3.1.2"])
def test_shown_communities_of_a_real_index_hold_every_grouped_entity_once(shared: Path, name: str) -> None:
    index = open_index(shared / "indexes" / name)
    grouped = {entity for row in index.communities if row.level == 0 for entity in row.entity_ids}
    for level in sorted({row.level for row in index.communities}):
        shown = shown_at_level(index.communities, level)
        assert Counter(entity for row, _ in shown for entity in row.entity_ids) == Counter(grouped)
        assert {row.community for row, carried in shown if not carried} == {
            row.community for row in index.communities if row.level == level
        }
    assert all(row.parent == ROOT for row in index.communities if row.level == 0)
