"""Clustering again from old communities: never worse than they are, the same each time, and most of them stay."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.graph.leiden import FRESH, OLD, Hierarchy, cluster, find_hierarchy
from explorer.graph.network import Network, build_network, modularity
from explorer.graph.old_communities import Start
from explorer.graph.partition import IGRAPH, partition
from tests.graph.graphs import read_network, read_rows
from tests.graph.test_leiden import check_levels

SEED = 0xDEADBEEF


def levels_of(found: Hierarchy) -> list[dict[str, int]]:
    levels: list[dict[str, int]] = []
    for item in found.clusters:
        if item.level == len(levels):
            levels.append({})
        levels[item.level].update(dict.fromkeys(item.titles, item.community))
    return levels


def from_start(network: Network, start: Start, size: int = 10) -> Hierarchy:
    return find_hierarchy(network, SEED, size, False, start)


def old_quality(network: Network, start: Start) -> float:
    return modularity(network, [start[0].get(title) for title in network.titles])


@pytest.mark.parametrize("name", ["lesmis_weighted", "football", "polbooks", "hier_4x4x25"])
def test_one_link_more_leaves_most_communities_as_they_were(shared: Path, name: str) -> None:
    rows, nodes, _ = read_rows(shared / "graphs", name)
    before = find_hierarchy(build_network(rows, nodes), SEED, 10, False)
    start = levels_of(before)
    network = build_network([*rows, (rows[0][0], "A NEW NAME", 1.0)], nodes)
    after = from_start(network, start)
    check_levels(network, after, 10)
    assert (after.start, after.joined, after.alone) == (OLD, 1, 0)
    assert after.modularity >= old_quality(network, start)
    old = {(item.level, item.titles) for item in before.clusters}
    kept = sum((item.level, item.titles) in old for item in after.clusters)
    assert kept >= 0.6 * len(after.clusters)


def test_a_new_name_begins_with_those_it_is_linked_to_most() -> None:
    rows = [("a", "b", 5.0), ("b", "c", 5.0), ("a", "c", 5.0), ("x", "y", 5.0), ("y", "z", 5.0), ("x", "z", 5.0)]
    start = levels_of(find_hierarchy(build_network(rows), SEED, 10, False))
    network = build_network([*rows, ("new", "a", 1.0), ("new", "x", 3.0), ("pair", "other", 1.0)])
    after = from_start(network, start)
    assert {item.titles for item in after.clusters} == {("a", "b", "c"), ("new", "x", "y", "z"), ("other", "pair")}
    assert (after.joined, after.alone) == (1, 2)


def test_a_wrong_start_is_mended_and_a_best_one_is_kept() -> None:
    rows = [("a", "b", 1.0), ("b", "c", 1.0), ("a", "c", 1.0), ("x", "y", 1.0), ("y", "z", 1.0), ("x", "z", 1.0)]
    network = build_network([*rows, ("c", "x", 1.0)])
    wrong = [{"a": 0, "x": 0, "b": 1, "y": 1, "c": 2, "z": 2}]
    for start in (wrong, [{"a": 0, "b": 0, "c": 0, "x": 7, "y": 7, "z": 7}]):
        assert [item.titles for item in from_start(network, start).clusters] == [("a", "b", "c"), ("x", "y", "z")]


def test_another_graph_is_clustered_afresh() -> None:
    network = build_network([("a", "b", 1.0), ("b", "c", 1.0), ("c", "d", 1.0), ("d", "a", 1.0)])
    fresh = find_hierarchy(network, SEED, 10, False)
    assert from_start(network, [{"a": 0, "elsewhere": 1}]) == fresh
    assert from_start(network, []) == fresh and fresh.start == FRESH


def test_the_process_and_the_call_agree(shared: Path) -> None:
    network = read_network(shared / "graphs", "lesmis_weighted")
    start = levels_of(find_hierarchy(network, 7, 10, False))
    assert cluster(network, start=start) == from_start(network, start)


def test_igraph_goes_on_from_a_start_and_is_never_worse(shared: Path) -> None:
    network = read_network(shared / "graphs", "football")
    start = [node % 12 for node in range(len(network.titles))]
    parts = partition(len(network.titles), network.edges, seed=1, name=IGRAPH, start=start)
    member = {node: number for number, part in enumerate(parts) for node in part}
    found = modularity(network, [member[node] for node in range(len(network.titles))])
    assert found >= modularity(network, start)


NAMES = st.integers(0, 30).map(lambda number: f"n{number:02}")
ROWS = st.lists(st.tuples(NAMES, NAMES, st.floats(0.1, 5.0)), min_size=1, max_size=120)


@settings(deadline=None, max_examples=60)
@given(ROWS, ROWS, st.integers(1, 12))
def test_from_any_old_communities_levels_hold_and_nothing_is_worse(
    rows: list[tuple[str, str, float]], more: list[tuple[str, str, float]], size: int
) -> None:
    start = levels_of(find_hierarchy(build_network(rows), SEED, size, False))
    network = build_network([*rows, *more])
    after = from_start(network, start, size)
    check_levels(network, after, size)
    assert after == from_start(network, start, size)
    if after.start == OLD:
        assert after.modularity >= old_quality(network, start) - 1e-9
