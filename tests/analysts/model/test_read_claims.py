"""Replies of claim extraction."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.analysts.model.read_claims import FoundClaim, read_claims
from explorer.base.fates import CallFate
from explorer.models.calls import Reading
from tests.analysts.model.awkward import json_values, spoilt

CLAIM = {
    "subject": "Mara Venn",
    "object": "Skerrow Bank",
    "type": "debt",
    "status": "SUSPECTED",
    "description": "She owed it money.",
    "start_date": "1912-03-01",
    "end_date": "",
    "source_text": "Venn is said to owe the bank.",
}
TEXT = json.dumps({"claims": [CLAIM]})
FOUND = (
    FoundClaim(
        "MARA VENN", "SKERROW BANK", "DEBT", "SUSPECTED", "She owed it money.", "1912-03-01", "",
        "Venn is said to owe the bank.",
    ),
)  # fmt: skip


def test_a_reply_as_asked_for_is_ok() -> None:
    assert read_claims(TEXT) == Reading(CallFate.OK, FOUND)
    assert read_claims('{"claims": []}') == Reading(CallFate.OK, ())


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([CLAIM]),
        json.dumps(CLAIM),
        f"Sure:\n```json\n{TEXT}\n```",
        TEXT.replace('"subject"', '"subject_entity"').replace('"status"', '"claim_status"'),
        TEXT[:-1],
    ],
)
def test_what_models_write_instead_is_read_and_said(text: str) -> None:
    reading = read_claims(text)
    assert reading.value == FOUND and reading.fate == CallFate.REPAIRED and reading.note.startswith("Repaired: ")


@pytest.mark.parametrize("nothing", ["NONE", "none", "N/A", " null ", None])
def test_the_words_for_nothing_are_nothing(nothing: str | None) -> None:
    reading = read_claims(json.dumps({"claims": [{**CLAIM, "object": nothing, "start_date": nothing}]}))
    assert isinstance(reading.value, tuple)
    assert (reading.value[0].object, reading.value[0].start_date) == ("", "")


@pytest.mark.parametrize(
    ("change", "lost"),
    [
        ({"subject": "NONE"}, "claims_without_subject"),
        ({"subject": 0 * [1]}, "claims_without_subject"),
        ({"description": ""}, "claims_without_description"),
        ({"status": "perhaps"}, "claim_statuses_not_readable"),
    ],
)
def test_what_cannot_be_used_is_counted(change: dict[str, object], lost: str) -> None:
    reading = read_claims(json.dumps({"claims": [CLAIM, {**CLAIM, **change}]}))
    assert reading.lost[lost] == 1 and reading.fate == CallFate.REPAIRED
    assert isinstance(reading.value, tuple) and reading.value[0] == FOUND[0]


@pytest.mark.parametrize(
    "text", ["", "No claims here.", "{}", '{"claims": ["a"]}', '{"claims": [{"su', '{"entities": []}']
)
def test_a_reply_of_which_nothing_can_be_used_is_malformed(text: str) -> None:
    reading = read_claims(text)
    assert reading.fate == CallFate.MALFORMED and "retry it" in reading.note


@settings(max_examples=100, deadline=None)
@given(st.one_of(json_values.map(json.dumps), spoilt(TEXT), st.text()))
def test_nothing_breaks_the_reader(text: str) -> None:
    reading = read_claims(text)
    assert (reading.value is None) == (reading.fate == CallFate.MALFORMED)
    assert all(count > 0 for count in reading.lost.values())
