"""Prompts of a GraphRAG project: which can be sent here, what becomes of their text, and why others cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.analysts.prompt_offers import PromptOffer, find_offers, take_over
from explorer.analysts.prompts import Prompts
from explorer.base.errors import InputError
from explorer.tables.settings import GraphragSettings

MAP = (
    'Note what helps, for at most {max_length} words and $5, as {{"points": [{{"description": "…", "score": 9}}]}}.\n'
    "Reports:\n{context_data}\nDo it well.\n"
)
JOIN = "Join what is said of {entity_name}: {description_list}"


def offer_of(folder: Path, name: str, text: str | bytes, kept: Path | None = None) -> PromptOffer:
    path = folder / "theirs.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    (offer,) = find_offers(GraphragSettings(folder / "settings.yaml", prompts={name: path}), kept)
    return offer


def test_a_prompt_is_sent_with_the_fields_of_this_program(tmp_path: Path) -> None:
    kept = tmp_path / "home" / "prompts"
    offer = offer_of(tmp_path, "map_points", MAP, kept)
    assert not offer.wrong and offer.fills == ("max_length", "context_data") and not offer.added and not offer.taken
    assert not kept.exists()  # offered, not imposed
    take_over(kept, offer)
    sent = Prompts(kept).map_messages("Who?", "1,Alma's circle,{x} $y", 300)[0].content
    assert sent == (
        'Note what helps, for at most 300 words and $5, as {"points": [{"description": "…", "score": 9}]}.\n'
        "Reports:\n1,Alma's circle,{x} $y\nDo it well."
    )
    assert offer_of(tmp_path, "map_points", MAP, kept).taken
    assert (tmp_path / "theirs.txt").read_text() == MAP


def test_a_limit_that_it_has_no_place_for_is_put_before_it_and_said(tmp_path: Path) -> None:
    offer = offer_of(tmp_path, "describe", JOIN)
    assert offer.added == ("max_length",) and "no place for $max_length" in offer.words
    take_over(tmp_path / "prompts", offer)
    (message,) = Prompts(tmp_path / "prompts").describe_messages("ALMA", "She sails.", 40)
    assert message.content == "Write at most 40 words.\nJoin what is said of ALMA: She sails."


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("entity_extraction", "List ({tuple_delimiter}) in {input_text}", "JSON"),
        ("claim_extraction", 'Write ("entity"<|>x) of {input_text}', "JSON"),
        ("map_points", "Points with description and score, at most {max_length}.", "{context_data}"),
        ("map_points", "Note what helps. {context_data} {max_length}", "points, description and score"),
        ("describe", "Join {description_list}.", "{entity_name}"),
        ("describe", JOIN + " in {language}", "{language}"),
        ("describe", JOIN + " {entity_name.__class__}", "{entity_name.__class__}"),
        ("describe", JOIN + " {entity_name!r}", "{entity_name}"),
        ("describe", JOIN + " {", "brace"),
        ("describe", JOIN + " {}", "which nothing here fills"),
        ("describe", "", "empty"),
        ("describe", b"\xff\xfe\x00", "cannot be read"),
        ("describe", JOIN + "x" * 200_000, "characters"),
        ("answer", "{context_data} {response_type}", "yet"),
    ],
)
def test_what_cannot_be_sent_says_why_and_is_not_kept(tmp_path: Path, name: str, text: str | bytes, why: str) -> None:
    offer = offer_of(tmp_path, name, text)
    assert why in offer.wrong and offer.words == offer.wrong
    with pytest.raises(InputError, match=r"theirs\.txt was not taken over"):
        take_over(tmp_path / "prompts", offer)
    assert not (tmp_path / "prompts").exists()


def test_prompts_of_no_part_here_are_named(tmp_path: Path) -> None:
    settings = GraphragSettings(tmp_path / "s.yaml", unused_prompts=(("DRIFT search", tmp_path / "drift.txt"),))
    (offer,) = find_offers(settings, None)
    assert offer.name == "" and "DRIFT" in offer.wrong
    assert find_offers(None, None) == ()


def test_a_foreign_index_is_offered_no_prompt_of_indexing(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(JOIN)
    settings = GraphragSettings(tmp_path / "s.yaml", prompts={"describe": tmp_path / "a.txt"})
    assert "folder of documents" in find_offers(settings, None, foreign=True)[0].wrong
