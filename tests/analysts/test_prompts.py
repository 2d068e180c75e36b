"""Prompts: fields are filled in once, and data end the message."""

from __future__ import annotations

import pytest

from explorer.analysts import prompts

FIELDS = {
    "community_report": {"input_text": "DATA", "max_report_length": 9},
    "map_points": {"context_data": "DATA", "max_length": 9},
    "reduce": {"report_data": "DATA", "max_length": 9, "response_type": "List"},
    "community_rating": {"description": "DATA", "question": "Why?"},
    "answer": {"context_data": "DATA", "response_type": "List"},
    "entity_extraction": {"input_text": "DATA", "entity_types": "person"},
    "claim_extraction": {"input_text": "DATA", "claim_description": "all"},
    "describe": {"title": "Ada", "descriptions": "DATA", "max_length": 9},
}


@pytest.mark.parametrize("name", FIELDS)
def test_every_prompt_ends_with_its_data(name: str) -> None:
    text = prompts.render(name, **FIELDS[name])
    assert text.endswith("\nDATA") and "$" not in text


def test_text_of_a_document_is_never_read_as_a_field() -> None:
    assert prompts.map_messages("q", "costs $max_length $$ {x}")[0].content.endswith("costs $max_length $$ {x}")


def test_a_missing_field_or_prompt_is_an_error() -> None:
    with pytest.raises(KeyError):
        prompts.render("reduce", report_data="x")
    with pytest.raises(FileNotFoundError):
        prompts.render("no_such_prompt")
