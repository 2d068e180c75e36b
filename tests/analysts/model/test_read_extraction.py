"""Replies of extraction as models write them: what is read, what is said to be repaired, what is counted as lost."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.analysts.model.read_extraction import Found, FoundEntity, FoundRelationship, read_extraction
from explorer.base.fates import CallFate
from explorer.models.calls import Reading
from tests.analysts.model.awkward import json_values, spoilt

WHOLE = {
    "entities": [
        {"title": "Mara Venn", "type": "person", "description": "A keeper."},
        {"title": "Linden Bay", "type": "place", "description": "A bay."},
    ],
    "relationships": [
        {"source": "Mara Venn", "target": "Linden Bay", "description": "She keeps its light.", "strength": 8}
    ],
}
TEXT = json.dumps(WHOLE)
FOUND = Found(
    (FoundEntity("MARA VENN", "PERSON", "A keeper."), FoundEntity("LINDEN BAY", "PLACE", "A bay.")),
    (FoundRelationship("MARA VENN", "LINDEN BAY", "She keeps its light.", 8.0),),
)


def changed(**fields: object) -> str:
    return json.dumps({**WHOLE, **fields})


def entity(**fields: object) -> str:
    return changed(entities=[{"title": "Mara Venn", "type": "person", "description": "A keeper.", **fields}])


def link(**fields: object) -> str:
    return changed(relationships=[{**WHOLE["relationships"][0], **fields}])


def found(reading: Reading) -> Found:
    assert isinstance(reading.value, Found)
    return reading.value


def test_a_reply_as_asked_for_is_ok_and_nothing_is_said() -> None:
    assert read_extraction(TEXT) == Reading(CallFate.OK, FOUND)
    assert read_extraction(f"\n  {TEXT}\n").fate == CallFate.OK


def test_two_empty_lists_are_an_honest_answer() -> None:
    assert read_extraction('{"entities": [], "relationships": []}') == Reading(CallFate.OK, Found())


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{TEXT}\n```",
        f"```\n{TEXT}",
        f"Certainly! Here is what I found:\n\n{TEXT}\n\nLet me know if there is more.",
        f'<think>First {{"entities": []}}, no.</think>{TEXT}',
        f'{{"entities": [{{"title": "A draft"}}], "relationships": []}} or rather {TEXT}',
        json.dumps({"result": WHOLE}),
        TEXT.replace('"entities"', '"Entities"').replace('"relationships"', '"edges"'),
        TEXT.replace('"title"', '"name"').replace('"strength"', '"weight"').replace('"source"', '"from"'),
        TEXT.replace('"type"', '"Entity Type"'),
        TEXT.replace("8", '"8"'),
        TEXT.replace("8", '" 8/10 "'),
        TEXT.replace(" 8", " 8,").replace("}]}", "},],}"),
        TEXT.replace('"', "'"),
        json.dumps([*WHOLE["entities"], *WHOLE["relationships"]]),
        json.dumps({**WHOLE, "entities": {item["title"]: item for item in WHOLE["entities"]}}),
        TEXT[:-1],
        TEXT[:-2],
    ],
)  # fmt: skip
def test_what_models_write_instead_is_read_and_said(text: str) -> None:
    reading = read_extraction(text)
    assert reading.value == FOUND and reading.fate == CallFate.REPAIRED
    assert reading.note.startswith("Repaired: ") and reading.lost == {}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n",
        "I am glad to help with that.",
        "null",
        "42",
        '"text"',
        "[]",
        "[1, 2]",
        "{}",
        '{"points": []}',
        '{"entities":',
        '{"entities": [{"tit',
        '{"entities": "none", "relationships": "none"}',
        '{"entities": [{"type": "person"}], "relationships": []}',
        "{" * 5_000,
        "[" * 100_000,
        '{"entities": [' + "1" * 10_000 + "]}",
    ],
)
def test_a_reply_of_which_nothing_can_be_used_is_malformed_and_says_what_to_do(text: str) -> None:
    reading = read_extraction(text)
    assert reading.fate == CallFate.MALFORMED and reading.value is None
    assert "retry it" in reading.note and reading.note.endswith(".")


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        (entity(title=""), {"entities_without_title": 1}),
        (entity(title=None), {"entities_without_title": 1}),
        (entity(title=["a", 2]), {"entities_without_title": 1, "fields_of_wrong_type": 1}),
        (entity(title="\x00\u202e \x07"), {"entities_without_title": 1}),
        (entity(title="x" * 301), {"entities_with_overlong_title": 1}),
        (entity(type=None), {"types_missing": 1}),
        (entity(description={"a": 1}), {"fields_of_wrong_type": 1}),
        (entity(description="x" * 30_000), {"texts_cut_to_length": 1}),
        (link(source=" "), {"relationships_without_an_end": 1}),
        (link(target=False), {"relationships_without_an_end": 1}),
        (link(strength="strong"), {"strengths_not_readable": 1}),
        (link(strength=None), {"strengths_not_readable": 1}),
        (link(strength=0), {"strengths_not_readable": 1}),
        (link(strength=-3), {"strengths_not_readable": 1}),
        (link(strength=1e300), {"strengths_cut_to_100": 1}),
        (changed(relationships=[3, None]), {"items_of_wrong_type": 2}),
        (TEXT.replace("8", "NaN"), {"strengths_not_readable": 1}),
        (TEXT.replace("8", "9" * 400), {"strengths_not_readable": 1}),
    ],
)
def test_what_cannot_be_used_is_counted_by_name(text: str, lost: dict[str, int]) -> None:
    reading = read_extraction(text)
    assert reading.lost == lost and reading.fate == CallFate.REPAIRED and "Left out" in reading.note
    assert all(0 < item.strength <= 100 for item in found(reading).relationships)


def test_a_strength_that_is_no_number_counts_1() -> None:
    assert found(read_extraction(link(strength="strong"))).relationships[0].strength == 1.0


def test_of_a_reply_cut_off_the_last_item_is_lost_and_the_others_stand() -> None:
    cut = TEXT[: TEXT.index("A bay.") + 2]
    reading = read_extraction(cut)
    assert found(reading) == Found(FOUND.entities[:1]) and reading.lost == {"items_cut_off": 1}
    assert "cut off" in reading.note


def test_of_a_reply_cut_off_between_two_items_none_is_lost() -> None:
    reading = read_extraction(TEXT[: TEXT.index("A bay.") + 8])
    assert found(reading) == Found(FOUND.entities) and reading.lost == {} and "cut off" in reading.note


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("  Mara   Venn ", "MARA VENN"),
        ("mara\nvenn", "MARA VENN"),
        ('"Mara Venn"', "MARA VENN"),
        ('The "Comet"', 'THE "COMET"'),
        ("Venn &amp; Sons", "VENN & SONS"),
        ("Caf\u00e9", "CAFÉ"),
        ("Cafe\u0301", "CAFÉ"),
        ("M\x00ara\u202e Venn\ufeff", "MARA VENN"),
        ("Stra\u00dfe", "STRASSE"),
        ("東京", "東京"),
        ("\ud83d\ude00 bar \ud800", "😀 BAR \ufffd"),
    ],
)
def test_titles_are_folded_so_that_equal_names_meet(written: str, kept: str) -> None:
    assert found(read_extraction(entity(title=written))).entities[0].title == kept


@settings(max_examples=60, deadline=None)
@given(json_values)
def test_no_json_breaks_the_reader(value: object) -> None:
    check(read_extraction(json.dumps(value)))


@settings(max_examples=120, deadline=None)
@given(st.one_of(st.text(), spoilt(TEXT)))
def test_no_text_breaks_the_reader(text: str) -> None:
    check(read_extraction(text))


def check(reading: Reading) -> None:
    assert reading.fate in (CallFate.OK, CallFate.REPAIRED, CallFate.MALFORMED)
    assert (reading.value is None) == (reading.fate == CallFate.MALFORMED)
    assert (reading.note == "") == (reading.fate == CallFate.OK)
    assert all(count > 0 for count in reading.lost.values())
    if isinstance(reading.value, Found):
        for item in reading.value.entities:
            assert item.title and item.title == item.title.strip() and "\n" not in item.title + item.description
            (item.title + item.type + item.description).encode()
        assert all(0 < item.strength <= 100 for item in reading.value.relationships)
