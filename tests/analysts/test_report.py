"""Reports of the offline analyst: what a reader may rely on, whatever the community."""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from explorer.analysts.judgements import ChildReport, ReportContext, WrittenReport
from explorer.analysts.offline.report import ReportWriter
from explorer.base.cancel import CancelScope
from explorer.base.errors import Cancelled
from explorer.base.events import Event, StageProgress, ignore
from tests.analysts.communities import HARBOUR, community

BRACKET = re.compile(r"\[Data: ([^\]]+)\]")


def write(*contexts: ReportContext, writer: ReportWriter | None = None) -> list[WrittenReport]:
    return (writer or ReportWriter()).write(contexts, sink=ignore, scope=CancelScope())


def cited(report: WrittenReport, table: str) -> set[int]:
    texts = [report.summary, *(finding.explanation for finding in report.findings)]
    parts = re.findall(rf"{table} \(([^)]*)\)", " ".join(texts))
    return {int(number) for part in parts for number in re.findall(r"\d+", part)}


def sentences(report: WrittenReport) -> list[str]:
    texts = [report.title, report.summary]
    texts += [text for finding in report.findings for text in (finding.summary, finding.explanation)]
    parts = [part for text in texts for part in re.split(r"[.!?]|\[Data:[^\]]*\]", text)]
    return [" ".join(part.split()).casefold() for part in parts if len(part.split()) > 1]


def test_a_report_says_what_its_units_say_and_cites_them() -> None:
    (report,) = write(community(5, ["Ada Brook", "Tom Reed", "Holm"], HARBOUR))
    assert any(name in report.title for name in ("Ada Brook", "Tom Reed", "Holm"))
    told = " ".join(finding.explanation for finding in report.findings) + report.summary
    assert "Ada Brook and Tom Reed built a second boat together." in told
    assert cited(report, "Sources") <= {3, 4, 7} and cited(report, "Sources")
    for finding in report.findings:
        numbers = re.findall(r"Entities \(([^)]*)\)", finding.explanation)
        assert len({number for part in numbers for number in part.split(", ")}) >= 2
    assert 0 <= report.rating <= 10 and "3 members" in report.rating_explanation


def test_no_two_reports_share_a_title_and_none_is_told_apart_by_a_count() -> None:
    texts = {1: "Ada met Bo and Cy. Ada wrote to Dan about Eve. Bo saw Cy with Fay.", 2: "Ada and Bo left Cy for Gil."}
    writer = ReportWriter()
    first = write(
        *(community(n, ["Ada", "Bo", "Cy", other], texts, level=1) for n, other in enumerate(["Dan", "Eve", "Fay"])),
        writer=writer,
    )
    second = write(community(9, ["Ada", "Bo", "Cy", "Dan", "Eve", "Fay"], texts), writer=writer)
    titles = [report.title for report in (*first, *second)]
    assert len({title.casefold() for title in titles}) == len(titles)
    assert not any(re.search(r"\(\d+\)", title) for title in titles)


def test_two_communities_of_the_same_members_still_have_two_titles() -> None:
    texts = {1: "Ada met Bo."}
    reports = write(*(community(number, ["Ada", "Bo"], texts) for number in range(6)))
    assert len({report.title for report in reports}) == 6
    assert all("Ada" in report.title or "Bo" in report.title for report in reports)


def test_a_parent_does_not_repeat_its_children() -> None:
    north = {1: "Ada met Bo at the mill. Ada paid Bo for the flour.", 2: "Bo told Ada of the fire."}
    south = {5: "Cy met Dan on the road. Cy sold Dan a mule.", 6: "Dan warned Cy of the flood."}
    both = {**north, **south, 8: "Later Ada wrote to Cy about the price of salt. Bo and Dan became friends at sea."}
    writer = ReportWriter()
    below = write(
        community(1, ["Ada", "Bo"], north, level=1), community(2, ["Cy", "Dan"], south, level=1), writer=writer
    )
    children = tuple(ChildReport(report.community, report.title, report.summary, 2) for report in below)
    (parent,) = write(community(0, ["Ada", "Bo", "Cy", "Dan"], both, children=children), writer=writer)
    told = " ".join(finding.explanation for finding in parent.findings)
    assert "Ada wrote to Cy about the price of salt" in told
    for sentence in ("at the mill", "for the flour", "on the road", "a mule", "of the fire", "of the flood"):
        assert sentence not in told
    assert all(report.title in parent.summary for report in below)


def test_a_parent_of_which_all_is_told_below_speaks_of_its_links() -> None:
    texts = {1: "Ada met Bo at the mill and Cy at the well."}
    writer = ReportWriter()
    (child,) = write(community(1, ["Ada", "Bo", "Cy"], texts, level=1), writer=writer)
    children = (ChildReport(1, child.title, child.summary, 3),)
    (parent,) = write(community(0, ["Ada", "Bo", "Cy"], texts, children=children), writer=writer)
    assert parent.findings
    assert "at the mill" not in " ".join(finding.explanation for finding in parent.findings)
    assert "linked in 1 text unit" in parent.findings[0].explanation


def test_a_community_of_one_and_one_that_no_text_names_say_so() -> None:
    (alone,) = write(community(1, ["Ada"], {1: "Ada lived here for a long time, and nobody knew why."}))
    assert "lived here" in alone.findings[0].explanation and cited(alone, "Sources") == {1}
    (silent,) = write(community(2, ["Bo", "Cy"], {1: "Nothing of interest stands in this text."}))
    assert "No sentence of the text units names these members" in silent.findings[0].explanation
    assert not cited(silent, "Sources")


@pytest.mark.parametrize(
    ("members", "text", "wanted"),
    [
        (
            ["曹操", "劉備", "許都"],
            "曹操請劉備到許都。劉備辭曹操而去,心中不安。曹操在許都練兵三年。",
            "曹操請劉備到許都",
        ),
        (["Müller", "Weiß", "Köln"], "Müller zog mit Weiß nach Köln. Dr. Weiß blieb dort bis 1905.", "nach Köln"),
        (["山田", "京都"], "山田は京都に住んでいた。それから三年が過ぎた。", "山田は京都に住んでいた"),
    ],
)
def test_other_scripts(members: list[str], text: str, wanted: str) -> None:
    (report,) = write(community(0, members, {0: text}))
    assert wanted in " ".join(finding.explanation for finding in report.findings) + report.summary


NAMES = ["Ada", "Bo Lund", "Cy", "Dan's Mill", "Eve", "Fay Lane", "Gil", "Hal"]
WORDS = st.sampled_from(["met", "saw", "paid", "warned", "the miller", "a boat", "at sea", "in May", "and", "twice"])
SENTENCE = st.builds(
    lambda names, words, end: " ".join(x for pair in zip(names, words, strict=False) for x in pair) + end,
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=4),
    st.lists(WORDS, min_size=4, max_size=4),
    st.sampled_from([". ", "! ", '." ', "\n\n", "? "]),
)
TEXTS = st.dictionaries(
    st.integers(0, 9), st.lists(SENTENCE, min_size=1, max_size=6).map("".join), min_size=1, max_size=5
)
GROUPS = st.lists(st.lists(st.sampled_from(NAMES), min_size=1, max_size=6, unique=True), min_size=1, max_size=5)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts=TEXTS, groups=GROUPS, seed=st.integers(0, 99))
def test_whatever_the_texts(texts: dict[int, str], groups: list[list[str]], seed: int) -> None:
    contexts = [community(number, members, texts) for number, members in enumerate(groups)]
    reports = write(*contexts)
    assert len({report.title.casefold() for report in reports}) == len(reports)
    for context, report in zip(contexts, reports, strict=True):
        assert report.community == context.community and report.findings
        assert cited(report, "Entities") <= {entity.number for entity in context.entities}
        assert cited(report, "Relationships") <= {link.number for link in context.relationships}
        assert cited(report, "Sources") <= set(texts)
        centre = [entity.title for entity in context.entities[:3]]
        assert any(name in report.title for name in centre)
        twice = [text for text, count in Counter(sentences(report)).items() if count > 1]
        assert not twice
        for bracket in BRACKET.findall(report.summary):
            assert all(part.count(",") < 5 for part in bracket.split(";"))
    shuffled = list(contexts)
    random.Random(seed).shuffle(shuffled)
    again = {report.community: report for report in write(*shuffled)}
    assert [again[report.community] for report in reports] == reports


def test_progress_and_cancel() -> None:
    events: list[Event] = []
    contexts = [community(number, ["Ada", "Bo"], {1: "Ada met Bo."}) for number in range(45)]
    ReportWriter().write(contexts, sink=events.append, scope=CancelScope())
    assert events[-1] == StageProgress("reports", 45, 45) and len(events) == 3
    scope = CancelScope()
    scope.cancel()
    with pytest.raises(Cancelled):
        ReportWriter().write(contexts, sink=ignore, scope=scope)
