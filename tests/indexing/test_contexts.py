"""What a report is written from: order, budget, and the reports of the children where the members do not fit."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.analysts.judgements import (
    ExtractedEntity,
    ExtractedRelationship,
    Extraction,
    ReportContext,
    WrittenReport,
)
from explorer.base.tokens import count_tokens
from explorer.corpus.material import TextUnit
from explorer.indexing.contexts import CUT_ENTITIES, CUT_RELATIONSHIPS, ContextBuilder, LevelContexts
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


def test_members_by_inner_degree_then_title_relationships_by_combined_degree_then_number() -> None:
    graph = make_graph(STAR)
    context = only(build(graph, [community(graph, {"HUB", "A", "B", "C"})]))
    assert [(entity.title, entity.inner_degree) for entity in context.entities] == [
        ("HUB", 3), ("A", 2), ("B", 2), ("C", 1),
    ]  # fmt: skip
    # C's degree counts OUTSIDE as well, so that every link of HUB has a combined degree of 5.
    assert [(item.source, item.target, item.combined_degree) for item in context.relationships] == [
        ("A", "HUB", 5), ("B", "HUB", 5), ("C", "HUB", 5), ("A", "B", 4),
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


def test_tokens_are_those_of_the_rows() -> None:
    graph = make_graph([("A", "B")])
    built = build(graph, [community(graph, {"A", "B"})])
    context = only(built)
    text = "-----Entities-----\nhuman_readable_id,title,description,degree\n"
    parts = [text, "\n\n-----Relationships-----\nhuman_readable_id,source,target,description,combined_degree\n"]
    parts += [f"{e.number},{e.title},{e.description},{e.degree}\n" for e in context.entities]
    parts += [f"{r.number},{r.source},{r.target},{r.description},{r.combined_degree}\n" for r in context.relationships]
    assert built.tokens[0] == sum(count_tokens(part) for part in parts)


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
