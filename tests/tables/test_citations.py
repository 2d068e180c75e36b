"""Citations as models write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.tables.citations import CitedGroup, cited_numbers, parse_citations


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        (
            "A [Data: Entities (1, 2); Relationships (3); Sources (4)].",
            {"Entities": {1, 2}, "Relationships": {3}, "Sources": {4}},
        ),
        ("A [Data: Reports (2, 7, 34, 46, 64, +more)].", {"Reports": {2, 7, 34, 46, 64}}),
        ("A [Data: Entities (5), Relationships (6, 7)]", {"Entities": {5}, "Relationships": {6, 7}}),
        ("A (Entity 12)", {"Entities": {12}}),
        ("A 【数据：实体 (3)】", {"Entities": {3}}),
        ("A [Data: Claims (1-3)]", {"Claims": {1, 2, 3}}),
        ("No citation [1] (2) [Date: 3 May].", {}),
        ("A [Data: Entities ()]", {}),
    ],
)  # fmt: skip
def test_spellings(text: str, cited: dict[str, set[int]]) -> None:
    assert {kind: numbers for kind, numbers in cited_numbers(text).items() if numbers} == cited


def test_a_mark_covers_its_bracket_and_keeps_the_order() -> None:
    text = "Before [Data: Sources (9, 3, 9, +more)] after."
    (mark,) = parse_citations(text)
    assert text[mark.start : mark.end] == "[Data: Sources (9, 3, 9, +more)]"
    assert mark.groups == (CitedGroup("Sources", (9, 3), more=True),)


@given(
    st.lists(
        st.sampled_from(["[Data: ", "Entities", " (", "1", ", ", ")", "]", "\n", "Sources", "-", "99999999999", "x"])
    )
)
def test_any_text_gives_marks_in_order_inside_it(pieces: list[str]) -> None:
    text = "".join(pieces)
    position = 0
    for mark in parse_citations(text):
        assert position <= mark.start < mark.end <= len(text)
        assert all(group.numbers for group in mark.groups)
        position = mark.end
