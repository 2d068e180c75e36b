"""Terms, references and statements: what relevance is judged by, and what a point carries with it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.analysts.offline.references import join_references, read_references, without_references, write_references
from explorer.analysts.offline.statements import split_report
from explorer.analysts.offline.terms import plain, question_terms, stem, terms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("apprentice", "apprenticed"), ("curtain", "curtains"), ("city", "cities"), ("stopped", "stopping"),
        ("neglect", "neglected"), ("haus", "hauses"), ("engage", "engagement"), ("worker", "works"),
    ],
)  # fmt: skip
def test_inflected_words_meet(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_words_that_only_look_alike_stay_apart() -> None:
    assert stem("glass") != stem("glad") and stem("year") != stem("yes") and stem("war") != stem("ware")


def test_a_question_asks_about_its_content_words() -> None:
    assert question_terms("Who was the captain of the ship?") == [stem("captain"), stem("ship")]
    assert question_terms("Wer war der Kapitän des Schiffes?") == [stem("kapitän"), stem("schiffes")]


def test_scripts_without_spaces_give_pairs() -> None:
    assert "曹操" in terms("曹操到許都") and "許都" in terms("曹操到許都")
    assert plain("曹操").strip() and plain("曹操") in plain("話說曹操到許都")


def test_a_name_is_found_as_whole_words_in_any_case() -> None:
    assert plain("Tiny Tim") in plain("…and TINY\nTIM, who did not die")
    assert plain("Ann") not in plain("Anna and Annabel")


def test_references_read_what_they_wrote() -> None:
    text = write_references({"Sources": [4], "Entities": [1, 2], "Reports": [12]})
    assert text == "[Data: Reports (12); Entities (1, 2); Sources (4)]"
    assert read_references(f"So it was {text}.") == {"Reports": [12], "Entities": [1, 2], "Sources": [4]}


def test_at_most_five_numbers_then_more() -> None:
    assert write_references({"Sources": range(7)}) == "[Data: Sources (0, 1, 2, 3, 4, +more)]"
    assert read_references("[Data: Sources (0, 1, 2, 3, 4, +more)]") == {"Sources": [0, 1, 2, 3, 4]}


@given(st.dictionaries(st.sampled_from(["Reports", "Entities", "Relationships", "Sources"]),
                       st.lists(st.integers(0, 10**6), min_size=1, max_size=5, unique=True)))  # fmt: skip
def test_references_survive_any_numbers(references: dict[str, list[int]]) -> None:
    assert read_references(write_references(references)) == references
    assert without_references(f"Text {write_references(references)}") == "Text"
    assert join_references(references, references) == references


def test_a_report_falls_into_statements_with_their_references() -> None:
    title, statements = split_report(
        "# The ferry\n\nA summary without any.\n\n## Ada and Tom\n\nShe owned it [Data: Entities (1)]. He sold it "
        "[Data: Entities (2); Sources (3)] Nobody knows why."
    )
    assert title == "The ferry"
    assert [(s.heading, s.text, s.references) for s in statements] == [
        ("", "A summary without any.", {}),
        ("Ada and Tom", "She owned it.", {"Entities": [1]}),
        ("Ada and Tom", "He sold it", {"Entities": [2], "Sources": [3]}),
        ("Ada and Tom", "Nobody knows why.", {}),
    ]


@given(st.text(max_size=400))
def test_any_text_is_a_report(text: str) -> None:
    for statement in split_report(text)[1]:
        assert statement.text.strip()


def test_joining_characters_make_no_pairs_in_a_question() -> None:
    assert question_terms("玄德和张飞有什么关系？") == ["玄德", "张飞"]


def test_words_that_only_ask_are_left_out() -> None:
    assert question_terms("What is said about Alma, and how is it connected with Bruno?") == ["alma", "bruno"]
