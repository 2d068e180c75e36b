"""Citations in all the spellings that models write."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.tables.citations import CitedGroup, cited_numbers, parse_citations


def groups(text: str) -> list[tuple[str, tuple[int, ...], bool]]:
    return [(g.kind, g.numbers, g.more) for mark in parse_citations(text) for g in mark.groups]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[Data: Entities (1, 2); Relationships (3, +more); Sources (4)]",
         [("Entities", (1, 2), False), ("Relationships", (3,), True), ("Sources", (4,), False)]),
        ("[Data: Entities (1), Relationships (2, 3)]", [("Entities", (1,), False), ("Relationships", (2, 3), False)]),
        ("[data: reports (2, 7, 64, 46, 34, +more)]", [("Reports", (2, 7, 64, 46, 34), True)]),
        ("[^Data: Entity (5)]", [("Entities", (5,), False)]),
        ("(Data: Sources (15, 16))", [("Sources", (15, 16), False)]),
        ("[Data: Entities [1, 2]; Claims [3]]", [("Entities", (1, 2), False), ("Claims", (3,), False)]),
        ("[Data: Entities 5, 7; Relationships 2]", [("Entities", (5, 7), False), ("Relationships", (2,), False)]),
        ("[Entities (12); Relationships (88)]", [("Entities", (12,), False), ("Relationships", (88,), False)]),
        ("［Data：Entities（1，2）；Relationships（3）］",
         [("Entities", (1, 2), False), ("Relationships", (3,), False)]),
        ("[数据: 实体 (1, 2); 关系 (3)]", [("Entities", (1, 2), False), ("Relationships", (3,), False)]),
        ("[Data: Entities (3-6)]", [("Entities", (3, 4, 5, 6), False)]),
        ("[Data: Text Units (4); Sources (5)]", [("Sources", (4, 5), False)]),
        ("[Data: Entities (1); Entities (1, 2)]", [("Entities", (1, 2), False)]),
        ("[Data: Relationships (#12, #13, and more)]", [("Relationships", (12, 13), True)]),
        ("[Data: Entities (1, 2); Relationships (3)", [("Entities", (1, 2), False), ("Relationships", (3,), False)]),
    ],
)  # fmt: skip
def test_spellings(text: str, expected: list[tuple[str, tuple[int, ...], bool]]) -> None:
    assert groups(f"He is rich {text} and alone.") == expected


@pytest.mark.parametrize(
    "text",
    ["no citation at all", "[1]", "[Data: nothing here]", "an array [3, 4]", "Entities are (many)", "[Data: ]", "["],
)
def test_what_is_no_citation_stays_text(text: str) -> None:
    assert parse_citations(text) == []


def test_an_open_citation_does_not_swallow_the_prose_behind_it() -> None:
    text = "Rich [Data: Entities (1, 2) and in 1843 he was alone."
    (mark,) = parse_citations(text)
    assert mark.groups == (CitedGroup("Entities", (1, 2)),)
    assert text[mark.end :] == " and in 1843 he was alone."


def test_two_citations_in_one_sentence_keep_their_places() -> None:
    text = "A [Data: Entities (1)] and B [Data: Sources (2)]."
    marks = parse_citations(text)
    assert [text[mark.start : mark.end] for mark in marks] == ["[Data: Entities (1)]", "[Data: Sources (2)]"]


def test_numbers_beyond_any_table_are_not_ids() -> None:
    assert groups("[Data: Entities (99999999999999999999999999, 3)]") == [("Entities", (3,), False)]


@given(st.text(alphabet="[](){}Data: Entities,;0123456789-+more［］（）\n", max_size=200))
def test_any_text_is_taken_apart_without_overlap(text: str) -> None:
    end = 0
    for mark in parse_citations(text):
        assert end <= mark.start < mark.end <= len(text)
        assert mark.groups and all(group.numbers for group in mark.groups)
        end = mark.end


def test_every_citation_of_a_real_index_is_read(shared: Path) -> None:
    """All 122 reports cite, and what they cite is what a plain pattern over the commonest spelling finds."""
    import re

    from explorer.tables.index import open_index

    index = open_index(shared / "indexes" / "microsoft" / "verbs-v3.1.2")
    plain = re.compile(r"\b(Entities|Relationships|Claims|Sources|Reports) \(([\d, ]+)")
    for report in index.reports:
        expected: dict[str, set[int]] = {}
        for kind, numbers in plain.findall(report.full_content):
            expected.setdefault(kind, set()).update(int(number) for number in numbers.split(",") if number.strip())
        found = {kind: numbers for kind, numbers in cited_numbers(report.full_content).items() if numbers}
        assert found == expected, report.community
