"""Prompts of a project: edited ones take the place of those that ship, and a broken one is refused in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.analysts import prompts
from explorer.analysts.model import messages
from explorer.analysts.prompts import Prompts
from explorer.base.errors import InputError


def edit(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.txt").write_text(text, "utf-8")
    return folder


def test_without_a_folder_or_with_an_empty_one_the_prompts_are_those_that_ship(tmp_path: Path) -> None:
    shipped = Prompts()
    for folder in (tmp_path, tmp_path / "missing"):
        project = Prompts(folder)
        assert project.fingerprint() == shipped.fingerprint() and project.edited == ()
        assert project.text("describe") == prompts.shipped_text("describe")


def test_an_edited_prompt_takes_the_place_of_the_one_that_ships(tmp_path: Path) -> None:
    project = Prompts(edit(tmp_path, "entity_extraction", "Types $entity_types for $$5:\r\n$input_text\n"))
    (message,) = project.extract_messages(" A $text. ", ["person"])
    assert message.content == "Types one of: person for $5:\nA $text."
    assert project.edited == ("entity_extraction",)
    assert project.text("describe") == prompts.shipped_text("describe")
    assert messages.extract_messages("A", prompts=project)[0].content.endswith("for $5:\nA")


def test_the_fingerprint_changes_with_a_text_and_only_with_it(tmp_path: Path) -> None:
    shipped = Prompts()
    same = Prompts(edit(tmp_path / "same", "describe", prompts.shipped_text("describe") + "\n"))
    other = Prompts(edit(tmp_path / "other", "describe", prompts.shipped_text("describe") + "!"))
    assert same.fingerprint() == shipped.fingerprint() != other.fingerprint() and same.edited == ()
    assert other.fingerprint("answer", "reduce") == shipped.fingerprint("reduce", "answer")
    assert other.fingerprint("describe") != shipped.fingerprint("describe")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("List everything in $input_text", r"has lost \$entity_types"),
        ("Nothing at all", r"has lost \$entity_types, \$input_text"),
        ("$entity_types $input_text $language", r"has \$language"),
        ("$entity_types costs $5 $input_text", "belongs to no field"),
        (" \n", "is empty"),
        ("x" * 100_001, "more than 100,000 characters"),
    ],
)
def test_an_edited_prompt_that_cannot_be_filled_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        Prompts(edit(tmp_path, "entity_extraction", text))
    assert "entity_extraction" in caught.value.sentence and "\n" not in caught.value.sentence


def test_an_edited_prompt_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "describe.txt").write_bytes(b"\xff\xfe\x00 $title")
    with pytest.raises(InputError, match="UTF-8"):
        Prompts(tmp_path)


def test_files_that_are_no_prompts_are_left_alone(tmp_path: Path) -> None:
    edit(tmp_path, "notes", "Remember to edit the prompts. $")
    (tmp_path / "describe.txt").mkdir()
    assert Prompts(tmp_path).fingerprint() == Prompts().fingerprint()


def test_every_prompt_that_ships_passes_its_own_check() -> None:
    assert {"entity_extraction", "entity_gleaning", "claim_extraction", "describe", "community_report"} <= set(
        prompts.prompt_names()
    )
    for name in prompts.prompt_names():
        prompts.check_prompt(name, prompts.shipped_text(name))


def test_the_types_are_those_listed_or_any() -> None:
    assert "one of: person, place;" in messages.extract_messages("x", entity_types=["person", "place"])[0].content
    assert f'"type": {prompts.ANY_TYPE};' in messages.extract_messages("x")[0].content
