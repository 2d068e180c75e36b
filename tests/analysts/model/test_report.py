"""Reports: contexts whose text knows no number of the tables, replies whose citations come back as those numbers."""

from __future__ import annotations

import csv
import dataclasses
import json
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.analysts.judgements import (
    ChildReport,
    Finding,
    MemberClaim,
    MemberEntity,
    MemberRelationship,
    ReportContext,
    WrittenReport,
)
from explorer.analysts.model.map_citations import map_citations
from explorer.analysts.model.read_report import ReadReport, read_report
from explorer.analysts.model.report_context import render_context
from explorer.analysts.model.texts import one_line
from explorer.base.cancel import CancelScope
from explorer.base.events import Event, StageProgress, ignore
from explorer.base.fates import CallFate
from explorer.tables.citations import cited_numbers
from tests.analysts.model.awkward import json_values, spoilt
from tests.analysts.model.scripted_caller import ScriptedCaller, analyst, by_stage

ENTITIES = (
    MemberEntity("e1", 41, "MARA VENN", "PERSON", "A keeper, of the light.", 9, 2, ("u",)),
    MemberEntity("e2", 7, "LINDEN BAY", "PLACE", 'A bay called "the Sink".', 5, 1, ("u",)),
    MemberEntity("e3", 530, "COMET", "SHIP", "", 3, 1, ("u",)),
)
LINKS = (
    MemberRelationship("r1", 88, "LINDEN BAY", "MARA VENN", "She keeps its light.", 8.0, 14, ("u",)),
    MemberRelationship("r2", 12, "COMET", "MARA VENN", "It passed her light.", 2.0, 12, ("u",)),
)
CLAIMS = (MemberClaim("c1", 300, "MARA VENN", "", "NEGLECT", "FALSE", "She let the light go out."),)
CHILDREN = (
    ChildReport(77, "The light", "About it. [Data: Entities (41, 7); Relationships (88)]", 5),
    ChildReport(64, "The bay", "About the bay.", 9),
)
CONTEXT = ReportContext(19, 1, ENTITIES, LINKS, (), CHILDREN, from_children=True, claims=CLAIMS)
TEXT = """-----Reports-----
id,title,summary
0,The bay,About the bay.
1,The light,About it.

-----Entities-----
id,title,type,description,degree
0,MARA VENN,PERSON,"A keeper, of the light.",2
1,COMET,SHIP,,1
2,LINDEN BAY,PLACE,"A bay called ""the Sink"".",1

-----Claims-----
id,subject,object,type,status,description
0,MARA VENN,,NEGLECT,FALSE,She let the light go out.

-----Relationships-----
id,source,target,description
0,COMET,MARA VENN,It passed her light.
1,LINDEN BAY,MARA VENN,She keeps its light."""
NUMBERS = {"Reports": (64, 77), "Entities": (41, 530, 7), "Claims": (300,), "Relationships": (12, 88)}
REPLY = {
    "title": "Mara Venn and Linden Bay",
    "summary": "She keeps the light [Data: Entities (0, 2); Relationships (1)].",
    "findings": [{"summary": "The light", "explanation": "It went out. [Data: Claims (0); Reports (1, 0, +more)]"}],
    "rating": 6.5,
    "rating_explanation": "It matters.",
}


def test_a_context_has_local_ids_and_no_number_of_the_tables() -> None:
    rendered = render_context(CONTEXT)
    assert rendered.text == TEXT and rendered.numbers == NUMBERS and rendered.has_text


def test_reports_of_children_stand_only_for_members_that_do_not_fit() -> None:
    rendered = render_context(dataclasses.replace(CONTEXT, from_children=False, claims=()))
    assert rendered.text.startswith("-----Entities-----") and set(rendered.numbers) == {"Entities", "Relationships"}


def test_other_numbers_and_another_order_of_rows_leave_the_text_as_it_is() -> None:
    rng = random.Random(5)

    def renumbered(rows: tuple[object, ...], field: str) -> tuple[object, ...]:
        mixed = [dataclasses.replace(row, **{field: rng.randrange(10_000)}) for row in rows]  # type: ignore[type-var]
        rng.shuffle(mixed)
        return tuple(mixed)

    for _ in range(20):
        moved = dataclasses.replace(
            CONTEXT,
            community=rng.randrange(1000),
            entities=tuple(
                dataclasses.replace(row, degree=rng.randrange(99))  # type: ignore[type-var]
                for row in renumbered(ENTITIES, "number")
            ),
            relationships=renumbered(LINKS, "number"),
            claims=renumbered(CLAIMS, "number"),
            children=renumbered(CHILDREN, "community"),
        )
        assert render_context(moved).text == TEXT


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(st.text(max_size=12), st.sampled_from(["", "Same.", "Other, with a comma."]), st.integers(0, 3)),
        min_size=1,
        max_size=12,
    ),
    st.permutations(range(100, 112)),
)
def test_every_local_id_stands_for_the_row_that_has_it(rows: list[tuple[str, str, int]], numbers: list[int]) -> None:
    members = tuple(
        MemberEntity(str(place), numbers[place], title, "T", text, 0, inner, ())
        for place, (title, text, inner) in enumerate(rows)
    )
    rendered = render_context(ReportContext(0, 0, members, (), ()))
    lines = list(csv.reader(rendered.text.split("\n")[2:]))
    assert len(lines) == len(members) == len(set(rendered.numbers["Entities"]))
    by_number = {member.number: member for member in members}
    for local, title, _, text, inner in lines:
        member = by_number[rendered.numbers["Entities"][int(local)]]
        assert (one_line(member.title), member.description, str(member.inner_degree)) == (title, text, inner)


def test_a_row_stays_one_row_whatever_its_text_holds() -> None:
    bad = dataclasses.replace(ENTITIES[0], description='x\n-----Relationships-----\nid,source\n0,"a"\r\n9,b\x00')
    text = render_context(dataclasses.replace(CONTEXT, entities=(bad,), relationships=(), claims=(), children=())).text
    assert text.count("\n") == 2
    assert text.endswith('0,MARA VENN,PERSON,"x -----Relationships----- id,source 0,""a"" 9,b",2')


def test_a_report_comes_back_with_the_numbers_of_the_tables() -> None:
    caller = ScriptedCaller(by_stage(reports=json.dumps(REPLY)))
    model = analyst(caller)
    assert model.report([CONTEXT], sink=ignore, scope=CancelScope()) == [
        WrittenReport(
            19,
            "Mara Venn and Linden Bay",
            "She keeps the light [Data: Entities (41, 7); Relationships (88)].",
            (Finding("The light", "It went out. [Data: Claims (300); Reports (77, 64, +more)]"),),
            6.5,
            "It matters.",
        )
    ]
    assert model.take_report_losses() == {}
    request = caller.asked[0]
    assert request.messages[0][1].endswith(f"\n{TEXT}") and request.schema is not None
    assert request.schema.name == "community_report" and request.subject == "community 19"


def test_citations_of_rows_that_were_not_sent_are_taken_out_and_counted() -> None:
    reply = {**REPLY, "summary": "So it is [Data: Entities (0, 3); Sources (4)]. And so [Data: Entities (530)], too."}
    reading = read_report(json.dumps(reply), NUMBERS)
    assert isinstance(reading.value, ReadReport)
    assert reading.value.summary == "So it is [Data: Entities (41)]. And so, too."
    assert reading.lost == {"citations_of_unknown_rows": 3} and reading.fate == CallFate.REPAIRED


def test_a_community_without_text_is_not_asked_about_and_counted() -> None:
    bare = ReportContext(3, 0, (dataclasses.replace(ENTITIES[2], description=" "),), (), ())
    empty = ReportContext(4, 0, (), (), ())
    caller = ScriptedCaller(by_stage())
    model = analyst(caller)
    assert model.report([bare, empty], sink=ignore, scope=CancelScope()) == [] and caller.asked == []
    assert model.take_report_losses() == {"communities_without_text": 2} and model.take_report_losses() == {}


def test_reports_come_in_the_order_of_the_contexts_and_a_failed_one_is_missing() -> None:
    contexts = [dataclasses.replace(CONTEXT, community=number) for number in range(4)]
    caller = ScriptedCaller(
        by_stage(reports=lambda request: None if request.subject == "community 1" else json.dumps(REPLY)),
        turns=lambda request: 9 - int(request.subject.split()[1]),
    )
    events: list[Event] = []
    came = analyst(caller).report(contexts, sink=events.append, scope=CancelScope())
    assert [report.community for report in came] == [0, 2, 3]
    assert events == [StageProgress("reports", done, 4) for done in (1, 2, 3, 4)]


@pytest.mark.parametrize(
    ("change", "rating", "lost"),
    [
        ({"rating": 12}, 10.0, {"ratings_held_between_0_and_10": 1}),
        ({"rating": -1}, 0.0, {"ratings_held_between_0_and_10": 1}),
        ({"rating": "7.5/10"}, 7.5, {}),
        ({"rating": "high"}, 0.0, {"ratings_not_readable": 1}),
        ({"rating": None}, 0.0, {"ratings_not_readable": 1}),
    ],
)
def test_a_rating_is_held_between_0_and_10(change: dict[str, object], rating: float, lost: dict[str, int]) -> None:
    reading = read_report(json.dumps({**REPLY, **change}), NUMBERS)
    assert isinstance(reading.value, ReadReport)
    assert reading.value.rating == rating and reading.lost == lost and reading.fate == CallFate.REPAIRED


@pytest.mark.parametrize(
    ("change", "title", "headings", "lost"),
    [
        ({"title": ""}, "She keeps the light.", ["The light"], "titles_missing"),
        ({"summary": None}, REPLY["title"], ["The light"], "summaries_missing"),
        ({"findings": []}, REPLY["title"], [], "reports_without_findings"),
        ({"findings": [4, {"summary": "The light"}]}, REPLY["title"], ["The light"], "items_of_wrong_type"),
        ({"findings": ["Only text. More."]}, REPLY["title"], ["Only text"], ""),
        ({"findings": [{"explanation": "One thing. Another."}]}, REPLY["title"], ["One thing"], ""),
        ({"findings": {"summary": "The light", "explanation": "x"}}, REPLY["title"], ["The light"], ""),
    ],
)  # fmt: skip
def test_what_a_report_lacks_is_said(change: dict[str, object], title: str, headings: list[str], lost: str) -> None:
    reading = read_report(json.dumps({**REPLY, **change}), NUMBERS)
    assert isinstance(reading.value, ReadReport) and reading.fate == CallFate.REPAIRED
    assert reading.value.title == title and [finding.summary for finding in reading.value.findings] == headings
    assert reading.lost == ({lost: 1} if lost else {})


def test_a_report_in_a_list_of_its_own_is_taken_out_and_two_are_none() -> None:
    reading = read_report(json.dumps([REPLY]), NUMBERS)
    assert isinstance(reading.value, ReadReport) and reading.fate == CallFate.REPAIRED
    assert reading.value.title == REPLY["title"] and "list around the report" in reading.note
    assert read_report(json.dumps([REPLY, REPLY]), NUMBERS).fate == CallFate.MALFORMED


def test_of_a_report_cut_off_the_last_finding_is_lost() -> None:
    text = json.dumps({**REPLY, "findings": [*REPLY["findings"], {"summary": "S", "explanation": "It began"}]})
    reading = read_report(text[: text.index("It began") + 4], NUMBERS)
    assert isinstance(reading.value, ReadReport) and len(reading.value.findings) == 1
    assert reading.lost == {"findings_cut_off": 1, "ratings_not_readable": 1} and "cut off" in reading.note


def test_a_report_cut_off_before_its_first_finding_is_malformed() -> None:
    text = json.dumps(REPLY)
    for end in ("keeps the", "It went"):
        reading = read_report(text[: text.index(end)], NUMBERS)
        assert reading.fate == CallFate.MALFORMED and "cut off" in reading.note and "retry it" in reading.note


@pytest.mark.parametrize("text", ["", "The community is about a bay.", "[]", '{"title": "x"}', '{"rating": 3}', "{}"])
def test_a_reply_that_is_no_report_is_malformed(text: str) -> None:
    reading = read_report(text, NUMBERS)
    assert reading.fate == CallFate.MALFORMED and "retry it" in reading.note


@settings(max_examples=100, deadline=None)
@given(st.one_of(json_values.map(json.dumps), spoilt(json.dumps(REPLY)), st.text()))
def test_nothing_breaks_the_reader_and_no_citation_names_a_row_that_was_not_sent(text: str) -> None:
    reading = read_report(text, NUMBERS)
    assert (reading.value is None) == (reading.fate == CallFate.MALFORMED)
    assert all(count > 0 for count in reading.lost.values())
    if isinstance(reading.value, ReadReport):
        assert 0 <= reading.value.rating <= 10 and reading.value.title


PIECES = st.lists(
    st.sampled_from(
        ["[Data: ", "Entities", "Entity ", "(", ")", "0", "1, 2", "3", "99", "; ", "Relationships (1)", "]", " ", "x",
         "Reports (0, +more)", "Claims", "[", "1-3", "\n", "【", "】", "Sources (2)", "[Data: Entities (5)]"]
    ),
    max_size=14,
).map("".join)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(PIECES)
def test_mapped_citations_name_only_rows_that_were_sent(text: str) -> None:
    mapped = map_citations(text, NUMBERS, Counter())
    for kind, numbers in cited_numbers(mapped).items():
        assert numbers <= set(NUMBERS.get(kind, ())), (text, mapped)
