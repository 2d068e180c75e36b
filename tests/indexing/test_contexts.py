"""What a report is written from: order, budget, and the reports of the children where the members do not fit."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.analysts.judgements import (
    ExtractedClaim,
    ExtractedEntity,
    ExtractedRelationship,
    Extraction,
    ReportContext,
    WrittenReport,
)
from explorer.analysts.model.report_context import render_context
from explorer.base.tokens import count_tokens
from explorer.corpus.material import TextUnit
from explorer.indexing.claims import claim_rows
from explorer.indexing.contexts import CUT_CLAIMS, CUT_ENTITIES, CUT_RELATIONSHIPS, ContextBuilder, LevelContexts
from explorer.indexing.rows import GraphRows, graph_rows
from explorer.tables.rows import ROOT, CommunityRow

UNITS = [TextUnit(f"u{n}", "d", f"text {n}", 2, "a.txt", n, n + 1) for n in range(4)]


def make_graph(edges: list[tuple[str, str]], words: int = 3) -> GraphRows:
    titles = sorted({end for edge in edges for end in edge})
    return graph_rows(
        Extraction(
            entities=tuple(
                ExtractedEntity(title, "T", "about " * words, (f"u{n % 4}", f"u{(n + 1) % 4}"), 2)
                for n, title in enumerate(titles)
            ),
            relationships=tuple(
                ExtractedRelationship(source, target, "linked " * words, 1.0, ("u0",))
                for source, target in sorted({(min(edge), max(edge)) for edge in edges})
            ),
        )
    )


def community(
    graph: GraphRows, titles: set[str], number: int = 0, level: int = 0, children: tuple[int, ...] = ()
) -> CommunityRow:
    inner = [item for item in graph.relationships if {item.source, item.target} <= titles]
    return CommunityRow(
        id=f"c{number}",
        community=number,
        level=level,
        parent=ROOT,
        children=children,
        title=f"Community {number}",
        entity_ids=tuple(entity.id for entity in graph.entities if entity.title in titles),
        relationship_ids=tuple(sorted(item.id for item in inner)),
        size=len(titles),
    )


def build(
    graph: GraphRows, rows: list[CommunityRow], budget: int = 8000, written: dict[int, WrittenReport] | None = None
) -> LevelContexts:
    top = [row for row in rows if row.level == 0]
    return ContextBuilder(graph, rows, UNITS, budget).build(top, written or {})


def report(number: int, title: str = "Title", words: int = 5) -> WrittenReport:
    return WrittenReport(number, title, "summary " * words, (), 5.0, "")


STAR = [("HUB", "A"), ("HUB", "B"), ("HUB", "C"), ("A", "B"), ("C", "OUTSIDE")]


def only(contexts: LevelContexts) -> ReportContext:
    (context,) = contexts.contexts
    return context


def test_members_by_inner_degree_relationships_by_those_of_their_ends_then_titles() -> None:
    graph = make_graph(STAR)
    context = only(build(graph, [community(graph, {"HUB", "A", "B", "C"})]))
    assert [(entity.title, entity.inner_degree) for entity in context.entities] == [
        ("HUB", 3), ("A", 2), ("B", 2), ("C", 1),
    ]  # fmt: skip
    # Inside, A–HUB and B–HUB have 2 + 3; C's neighbour OUTSIDE does not count, so that C–HUB has 1 + 3.
    assert [(item.source, item.target) for item in context.relationships] == [
        ("A", "HUB"), ("B", "HUB"), ("A", "B"), ("C", "HUB"),
    ]  # fmt: skip
    assert not context.from_children and context.children == ()


def test_units_are_those_that_the_members_stand_in_by_number() -> None:
    graph = make_graph([("A", "B")])  # A stands in u0 and u1, B in u1 and u2
    context = only(build(graph, [community(graph, {"A", "B"})]))
    assert [(unit.number, unit.text) for unit in context.units] == [(0, "text 0"), (1, "text 1"), (2, "text 2")]


def test_a_parent_that_fits_has_its_members_and_its_children() -> None:
    graph = make_graph(STAR)
    rows = [community(graph, {"HUB", "A", "B", "C"}, children=(1, 2)), community(graph, {"HUB", "A"}, 1, level=1)]
    rows.append(community(graph, {"C", "OUTSIDE"}, 2, level=1))
    context = only(build(graph, rows, written={1: report(1, "First"), 2: report(2, "Second")}))
    assert not context.from_children and len(context.entities) == 4
    assert [(child.community, child.title, child.size) for child in context.children] == [
        (1, "First", 2), (2, "Second", 2),
    ]  # fmt: skip


def test_a_parent_that_does_not_fit_is_written_from_its_children_and_nothing_is_counted_as_lost() -> None:
    edges = [(f"N{a:02}", f"N{b:02}") for a in range(20) for b in range(a)]
    graph = make_graph(edges, words=20)
    names = {end for edge in edges for end in edge}
    rows = [community(graph, names, children=(1,)), community(graph, {"N00", "N01"}, 1, level=1)]
    built = build(graph, rows, budget=1000, written={1: report(1)})
    context = only(built)
    assert context.from_children and len(context.children) == 1
    assert 3 <= len(context.entities) < 20 and len(context.relationships) < len(edges)
    assert built.tokens[0] <= 1000 and built.dropped == {}


def test_without_children_the_weakest_rows_are_cut_and_counted() -> None:
    edges = [(f"N{a:02}", f"N{b:02}") for a in range(20) for b in range(a)]
    graph = make_graph(edges, words=20)
    built = build(graph, [community(graph, {end for edge in edges for end in edge})], budget=1000)
    context = only(built)
    assert not context.from_children
    assert built.dropped == {
        CUT_ENTITIES: 20 - len(context.entities),
        CUT_RELATIONSHIPS: len(edges) - len(context.relationships),
    }
    assert built.tokens[0] <= 1000


def test_a_child_without_a_report_is_not_among_the_children() -> None:
    graph = make_graph(STAR)
    rows = [community(graph, {"HUB", "A", "B"}, children=(1, 2)), community(graph, {"HUB", "A"}, 1, level=1)]
    rows.append(community(graph, {"A", "B"}, 2, level=1))
    context = only(build(graph, rows, written={2: report(2)}))
    assert [child.community for child in context.children] == [2]


def test_tokens_are_those_of_the_rows_with_ids_of_their_own() -> None:
    graph = make_graph([("A", "B")])
    built = build(graph, [community(graph, {"A", "B"})])
    context = only(built)
    parts = ["-----Entities-----\nid,title,type,description,degree\n"]
    parts += ["\n\n-----Relationships-----\nid,source,target,description\n"]
    parts += [f"0,{entity.title},T,{entity.description},{entity.inner_degree}\n" for entity in context.entities]
    parts += [f"0,{item.source},{item.target},{item.description}\n" for item in context.relationships]
    assert built.tokens[0] == sum(count_tokens(part) for part in parts)


def content(context: ReportContext) -> object:
    """What a report may be written from: all but numbers, and degrees outside the community."""
    return (
        [(item.title, item.type, item.description, item.inner_degree) for item in context.entities],
        [(item.source, item.target, item.description) for item in context.relationships],
        [(item.subject, item.object, item.type, item.status, item.description) for item in context.claims],
        [(item.title, item.summary, item.size) for item in context.children],
        context.from_children,
    )


@pytest.mark.parametrize("budget", [400, 8000])
def test_a_change_elsewhere_changes_nothing_in_a_context(budget: int) -> None:
    """Entities before and after in the table, more neighbours outside: other numbers and degrees, the same content."""
    edges = [(f"N{a:02}", f"N{b:02}") for a in range(9) for b in range(a)]
    names = {end for edge in edges for end in edge}
    more = [*edges, ("AAA", "N01"), ("AAA", "N05"), ("N05", "ZZZ"), ("AAB", "AAC")]
    found = []
    for rows in (edges, more):
        # Text units follow from the place in the table, so that only what a report is written from is compared.
        graph = make_graph(rows, words=12)
        claims = claim_rows([a_claim("N03", n) for n in range(5)], UNITS).rows
        built = ContextBuilder(graph, [community(graph, names)], UNITS, budget, claims).build(
            [community(graph, names)], {}
        )
        found.append(only(built))
    assert content(found[0]) == content(found[1])
    assert found[0].entities[0].number != found[1].entities[0].number


def a_claim(subject: str, number: int, words: int = 3) -> ExtractedClaim:
    return ExtractedClaim(subject, "", "PAYMENT", "TRUE", f"paid {number} " * words, "", "", "", f"u{number % 4}")


def test_claims_stand_with_the_community_of_their_subject_in_an_order_of_content() -> None:
    graph = make_graph(STAR)
    said = [a_claim("A", 2), a_claim("OUTSIDE", 1), a_claim("HUB", 7), a_claim("A", 1), a_claim("A STRANGER", 3)]
    rows = [community(graph, {"HUB", "A", "B", "C"})]
    for claims in (said, said[::-1]):
        context = only(ContextBuilder(graph, rows, UNITS, 8000, claim_rows(claims, UNITS).rows).build(rows, {}))
        assert [(claim.subject, claim.description[:6]) for claim in context.claims] == [
            ("HUB", "paid 7"), ("A", "paid 1"), ("A", "paid 2"),
        ]  # fmt: skip


def test_claims_that_do_not_fit_are_cut_and_counted_and_leave_room_for_relationships() -> None:
    edges = [(f"N{a:02}", f"N{b:02}") for a in range(20) for b in range(a)]
    graph = make_graph(edges, words=20)
    rows = [community(graph, {end for edge in edges for end in edge})]
    claims = claim_rows([a_claim(f"N{n % 20:02}", n, words=10) for n in range(200)], UNITS).rows
    built = ContextBuilder(graph, rows, UNITS, 1000, claims).build(rows, {})
    context = only(built)
    assert context.relationships and context.claims
    assert built.dropped[CUT_CLAIMS] == 200 - len(context.claims)
    assert built.tokens[0] <= 1000
    assert {claim.subject for claim in context.claims} <= {entity.title for entity in context.entities}


NAMES = st.sampled_from([f"N{n}" for n in range(12)])


@settings(max_examples=60, deadline=None)
@given(
    edges=st.lists(st.tuples(NAMES, NAMES).filter(lambda pair: pair[0] != pair[1]), min_size=1, max_size=40),
    budget=st.integers(200, 2000),
    words=st.integers(1, 30),
    has_child=st.booleans(),
)
def test_a_context_fits_its_budget_and_holds_both_ends_of_every_relationship(
    edges: list[tuple[str, str]], budget: int, words: int, has_child: bool
) -> None:
    graph = make_graph(edges, words)
    names = {end for edge in edges for end in edge}
    rows = [community(graph, names, children=(1,) if has_child else ())]
    rows.append(community(graph, set(sorted(names)[:2]), 1, level=1))
    built = build(graph, rows, budget, {1: report(1)})
    context = only(built)
    titles = {entity.title for entity in context.entities}
    assert all({item.source, item.target} <= titles for item in context.relationships)
    if len(context.entities) > 3 or context.relationships:
        assert built.tokens[0] <= budget
    whole = len(context.entities) == len(names) and len(context.relationships) == len(graph.relationships)
    assert whole or context.from_children or built.dropped
    assert len(context.entities) >= min(3, len(names))  # the three that a title may name are always there


def test_the_budget_is_that_of_the_text_that_a_model_is_sent() -> None:
    edges = [(f"N{a:02}", f"N{b:02}") for a in range(12) for b in range(a)]
    graph = make_graph(edges, words=9)
    rows = [community(graph, {end for edge in edges for end in edge}, children=(1, 2))]
    rows += [community(graph, {"N00", "N01"}, 1, level=1), community(graph, {"N02", "N03"}, 2, level=1)]
    claims = claim_rows([a_claim(f"N{n % 12:02}", n) for n in range(30)], UNITS).rows
    for budget in (700, 20_000):
        built = ContextBuilder(graph, rows, UNITS, budget, claims).build(rows[:1], {1: report(1), 2: report(2)})
        text = render_context(only(built)).text
        assert only(built).from_children == (budget == 700)
        assert count_tokens(text) <= built.tokens[0] <= 1.03 * count_tokens(text) + 5
