"""One graph from rows: what is summed, what is left out, and that nothing is lost without a count."""

from __future__ import annotations

import math
import random

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.base.errors import InputError
from explorer.graph import network as names
from explorer.graph.network import Network, build_network, check_network, modularity

TITLES = st.sampled_from(list("abcdefgh"))
WEIGHTS = st.one_of(
    st.none(), st.floats(allow_nan=True, allow_infinity=True), st.sampled_from([0.1, 0.2, 0.3, 1.0, 7.0, -1.0, 0.0])
)
LOST = (names.NO_TITLE, names.SELF_LOOP, names.NOT_POSITIVE, names.MERGED)
ROWS = st.lists(st.tuples(TITLES, TITLES, WEIGHTS), max_size=30)


def weights(network: Network) -> dict[tuple[str, str], float]:
    return {(network.titles[i], network.titles[j]): weight for i, j, weight in network.edges}


def test_both_directions_and_repeated_rows_are_summed() -> None:
    found = build_network([("a", "b", 1), ("b", "a", 2), ("a", "b", 3), ("c", "d", 1), ("b", "c", 1)])
    assert weights(found) == {("a", "b"): 1.0, ("b", "c"): pytest.approx(1 / 6), ("c", "d"): pytest.approx(1 / 6)}
    assert found.dropped == {names.MERGED: 2}


def test_missing_weights_count_as_one() -> None:
    found = build_network([("a", "b", None), ("b", "c", math.nan), ("c", "d", 2.0)])
    assert weights(found) == {("a", "b"): 0.5, ("b", "c"): 0.5, ("c", "d"): 1.0}
    assert found.dropped == {names.MISSING_WEIGHT: 2}


def test_weights_at_or_below_zero_make_no_edge_and_the_titles_stay() -> None:
    found = build_network([("a", "b", 0.0), ("b", "c", -1.0), ("c", "d", -math.inf), ("x", "y", 3.0)])
    assert weights(found) == {("x", "y"): 1.0}
    assert found.titles == ("a", "b", "c", "d", "x", "y")
    assert [found.titles[i] for i in found.isolated()] == ["a", "b", "c", "d"]
    assert found.dropped == {names.NOT_POSITIVE: 3}


def test_infinite_and_overflowing_weights_stay_finite() -> None:
    found = build_network([("a", "b", math.inf), ("c", "d", 4.0), ("e", "f", 2.0)])
    assert weights(found) == {("a", "b"): 1.0, ("c", "d"): 1.0, ("e", "f"): 0.5}
    assert found.dropped == {names.INFINITE: 1}
    summed = build_network([("a", "b", 1e308), ("b", "a", 1e308), ("c", "d", 1e308)])
    assert weights(summed) == {("a", "b"): 1.0, ("c", "d"): 0.5}
    assert weights(build_network([("a", "b", math.inf)])) == {("a", "b"): 1.0}


def test_a_weight_that_vanishes_beside_the_largest_keeps_its_edge() -> None:
    found = build_network([("a", "b", 1e308), ("b", "c", 5e-324)])
    assert [weight > 0 for _, _, weight in found.edges] == [True, True]
    assert found.dropped == {names.VANISHING: 1}


def test_loops_and_rows_without_a_title_are_left_out_and_counted() -> None:
    found = build_network([("a", "a", 5.0), ("", "b", 1.0), ("c", "d", 1.0)], nodes=["e"])
    assert weights(found) == {("c", "d"): 1.0}
    assert found.titles == ("a", "c", "d", "e")
    assert found.dropped == {names.SELF_LOOP: 1, names.NO_TITLE: 1}


def test_titles_are_compared_as_they_are() -> None:
    found = build_network([("A", "a", 1), ("A ", '"A"', 1), ("Å", "A\u030a", 1), ("NaN", "null", 1), ("1", "1.0", 1)])
    assert len(found.titles) == 10
    assert len(found.edges) == 5


@given(ROWS, st.integers())
def test_every_row_becomes_an_edge_or_a_count_in_any_order(
    rows: list[tuple[str, str, float | None]], seed: int
) -> None:
    found = build_network(rows)
    check_network(found)
    lost = sum(found.dropped.get(name, 0) for name in LOST)
    assert len(found.edges) + lost == len(rows)
    assert all(0 < weight <= 1 for _, _, weight in found.edges)
    assert not found.edges or max(weight for _, _, weight in found.edges) == 1.0
    shuffled = [(b, a, w) if random.Random(seed + k).random() < 0.5 else (a, b, w) for k, (a, b, w) in enumerate(rows)]
    random.Random(seed).shuffle(shuffled)
    again = build_network(shuffled)
    assert (again.titles, again.edges, again.dropped) == (found.titles, found.edges, found.dropped)


@given(ROWS, st.lists(st.integers(0, 3), min_size=8, max_size=8))
def test_modularity_is_what_networkx_says(rows: list[tuple[str, str, float | None]], parts: list[int]) -> None:
    found = build_network(rows, nodes="abcdefgh")
    membership = parts[: len(found.titles)]
    graph = networkx.Graph()
    graph.add_nodes_from(range(len(found.titles)))
    graph.add_weighted_edges_from(found.edges)
    groups = [{node for node in graph if membership[node] == part} for part in sorted(set(membership))]
    expected = networkx.community.modularity(graph, groups) if found.edges else 0.0
    assert modularity(found, membership) == pytest.approx(expected, abs=1e-9)


def test_modularity_of_known_graphs() -> None:
    triangles = [("a", "b", 1), ("b", "c", 1), ("a", "c", 1), ("d", "e", 1), ("e", "f", 1), ("d", "f", 1)]
    assert modularity(build_network(triangles), [0, 0, 0, 1, 1, 1]) == pytest.approx(0.5)
    bridged = build_network([*triangles, ("c", "d", 1)])
    assert modularity(bridged, [0, 0, 0, 1, 1, 1]) == pytest.approx(6 / 7 - 0.5)
    assert modularity(bridged, [0] * 6) == pytest.approx(0.0)
    assert modularity(build_network([], "ab"), [0, None]) == 0.0
    with pytest.raises(ValueError, match="2 memberships for 6 titles"):
        modularity(bridged, [0, 1])


@pytest.mark.parametrize(
    "edges", [((0, 1, math.nan),), ((0, 1, 0.0),), ((0, 1, math.inf),), ((1, 0, 1.0),), ((0, 0, 1.0),), ((0, 9, 1.0),),
              ((0, 1, 1.0), (0, 1, 1.0))]
)  # fmt: skip
def test_a_network_that_would_crash_the_native_code_is_refused(edges: tuple[tuple[int, int, float], ...]) -> None:
    with pytest.raises(InputError):
        check_network(Network(("a", "b"), edges))
