"""Clusters become communities: what is inside, who is whose child, and what becomes none."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.analysts.judgements import ExtractedEntity, ExtractedRelationship, Extraction
from explorer.graph.leiden import Cluster, Hierarchy, find_hierarchy
from explorer.graph.network import build_network
from explorer.indexing.communities import NO_RELATIONSHIP, build_communities
from explorer.indexing.rows import NO_ENTITY, GraphRows, graph_rows


def make_graph(edges: list[tuple[str, str]], alone: tuple[str, ...] = ()) -> GraphRows:
    titles = sorted({end for edge in edges for end in edge} | set(alone))
    pairs = sorted({(min(edge), max(edge)) for edge in edges})
    return graph_rows(
        Extraction(
            entities=tuple(ExtractedEntity(title, "T", "", ("u1",), 1) for title in titles),
            relationships=tuple(
                ExtractedRelationship(source, target, "", 1.0, (f"u{n}", "u0"))
                for n, (source, target) in enumerate(pairs)
            ),
        )
    )


def hierarchy(*clusters: Cluster) -> Hierarchy:
    return Hierarchy(clusters, 0.0, "by hand", 1, 0)


def test_relationships_with_both_ends_inside_and_their_units_sorted() -> None:
    graph = make_graph([("A", "B"), ("B", "C"), ("C", "D")])
    built = build_communities(
        hierarchy(Cluster(0, 0, -1, ("A", "B")), Cluster(1, 0, -1, ("C", "D"))), graph, "2026-01-02"
    )
    first, second = built.rows
    ids = {(item.source, item.target): item.id for item in graph.relationships}
    assert (first.relationship_ids, second.relationship_ids) == ((ids["A", "B"],), (ids["C", "D"],))
    assert second.text_unit_ids == ("u0", "u2")
    assert (first.period, first.size, first.parent, first.children) == ("2026-01-02", 2, -1, ())


def test_a_single_entity_becomes_no_community_and_is_counted() -> None:
    graph = make_graph([("A", "B"), ("B", "C")])
    built = build_communities(
        hierarchy(Cluster(0, 0, -1, ("A", "B", "C")), Cluster(1, 1, 0, ("A", "B")), Cluster(2, 1, 0, ("C",))),
        graph,
        "",
    )
    assert [row.community for row in built.rows] == [0, 1]
    assert built.rows[0].children == (1,)
    assert built.dropped == {NO_RELATIONSHIP: 1}


def test_ids_come_from_the_members_whatever_their_number() -> None:
    graph = make_graph([("A", "B"), ("C", "D")])
    one = build_communities(hierarchy(Cluster(0, 0, -1, ("A", "B")), Cluster(1, 0, -1, ("C", "D"))), graph, "")
    two = build_communities(hierarchy(Cluster(5, 0, -1, ("C", "D")), Cluster(6, 0, -1, ("A", "B"))), graph, "")
    assert {row.id for row in one.rows} == {row.id for row in two.rows}


def test_a_relationship_whose_end_is_no_entity_is_left_out_and_counted() -> None:
    extraction = Extraction((ExtractedEntity("A", "", "", (), 1),), (ExtractedRelationship("A", "GHOST", "", 1.0, ()),))
    rows = graph_rows(extraction)
    assert rows.relationships == () and rows.dropped == {NO_ENTITY: 1}
    assert rows.entities[0].degree == 0


NAMES = st.sampled_from([f"N{n:02}" for n in range(25)])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(NAMES, NAMES).filter(lambda pair: pair[0] != pair[1]), min_size=1, max_size=80))
def test_the_hierarchy_holds_together(edges: list[tuple[str, str]]) -> None:
    graph = make_graph(edges, alone=("LONELY",))
    network = build_network(
        [(item.source, item.target, item.weight) for item in graph.relationships],
        [entity.title for entity in graph.entities],
    )
    built = build_communities(find_hierarchy(network, 42, 4, False), graph, "")
    rows = {row.community: row for row in built.rows}
    for row in built.rows:
        assert row.size == len(set(row.entity_ids)) > 1 and row.relationship_ids
        if row.level == 0:
            assert row.parent == -1
        else:
            parent = rows[row.parent]
            assert parent.level == row.level - 1 and row.community in parent.children
            assert set(row.entity_ids) < set(parent.entity_ids)
        assert all(rows[child].parent == row.community for child in row.children)
    for level in {row.level for row in built.rows}:
        members = [key for row in built.rows if row.level == level for key in row.entity_ids]
        assert len(members) == len(set(members))
    inside = {key for row in built.rows for key in row.entity_ids}
    linked = {end for edge in edges for end in edge}
    assert {entity.title for entity in graph.entities if entity.id in inside} <= linked
