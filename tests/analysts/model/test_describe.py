"""Descriptions joined by a model: who is asked about, in which batches, and what a failure leaves."""

from __future__ import annotations

import pytest

from explorer.analysts.judgements import ExtractedEntity, ExtractedRelationship, Extraction
from explorer.analysts.model.read_description import read_description
from explorer.analysts.prompts import count_messages, describe_messages
from explorer.base.cancel import CancelScope
from explorer.base.events import Event, StageProgress, ignore
from explorer.base.fates import CallFate
from explorer.base.tokens import count_tokens
from explorer.models.calls import ChatRequest
from tests.analysts.model.scripted_caller import Answer, ScriptedCaller, analyst, by_stage, prompt_of


def entity(title: str, *descriptions: str) -> ExtractedEntity:
    apart = descriptions if len(descriptions) > 1 else ()
    return ExtractedEntity(title, "THING", "\n".join(descriptions), ("u0",), 1, apart)


def relationship(*descriptions: str) -> ExtractedRelationship:
    return ExtractedRelationship("A", "B", "\n".join(descriptions), 3.0, ("u0",), descriptions)


EXTRACTION = Extraction(
    (entity("A", "First.", "Second."), entity("B", "Only one."), entity("C")),
    (relationship("One way.", "Other way."),),
    {"types_missing": 2},
)


def test_only_what_has_several_descriptions_is_asked_about() -> None:
    caller = ScriptedCaller(by_stage(describe=lambda request: f"All of {request.subject}.\n"))
    events: list[Event] = []
    joined = analyst(caller).describe(EXTRACTION, sink=events.append, scope=CancelScope())
    assert sorted(request.subject for request in caller.asked) == ["A", "A — B"]
    assert [item.description for item in joined.entities] == ["All of A.", "Only one.", ""]
    assert joined.relationships[0].description == "All of A — B."
    assert all(not item.descriptions for item in (*joined.entities, *joined.relationships))
    assert joined.dropped == {"types_missing": 2} and joined.calls.count == 2
    assert events == [StageProgress("describe", 1, 2), StageProgress("describe", 2, 2)]
    assert caller.asked[0].schema is None
    assert prompt_of(caller.asked[0]).endswith("\nName: A\n\nNotes:\n- First.\n- Second.")


@pytest.mark.parametrize("answer", [None, "", "  \x00 ", "```\n\n```"])
def test_where_a_call_fails_the_descriptions_stand_one_below_the_other_and_are_counted(answer: Answer) -> None:
    caller = ScriptedCaller(by_stage(describe=lambda request: answer if request.subject == "A" else "Fine."))
    joined = analyst(caller).describe(EXTRACTION, sink=ignore, scope=CancelScope())
    assert joined.entities[0].description == "First.\nSecond." and joined.entities[0].descriptions == ()
    assert joined.relationships[0].description == "Fine."
    assert joined.dropped == {"descriptions_joined_without_model": 1, "types_missing": 2}


def test_many_descriptions_go_out_in_batches_within_the_budget_and_the_last_reply_stands() -> None:
    notes = tuple(sorted(f"Fact number {number} of the light: " + "it shone again. " * 20 for number in range(40)))
    budget = 1000

    def describe(request: ChatRequest) -> str:
        return f"Summary {len(caller.asked)}."

    caller = ScriptedCaller(by_stage(describe=describe))
    joined = analyst(caller, max_input_tokens=budget).describe(
        Extraction((entity("LIGHT", *notes),), ()), sink=ignore, scope=CancelScope()
    )
    prompts = [prompt_of(request) for request in caller.asked]
    assert len(prompts) > 5 and all(count_tokens(prompt, "o200k_base") <= budget for prompt in prompts)
    for number, prompt in enumerate(prompts[1:], 1):
        assert prompt.split("Notes:\n")[1].startswith(f"- Summary {number}.\n")
    told = "\n".join(prompts)
    assert all(told.count(note.strip()) == 1 for note in notes)
    assert joined.entities[0].description == f"Summary {len(prompts)}."


def test_two_descriptions_over_the_budget_are_joined_all_the_same() -> None:
    notes = ("a " * 3000, "b " * 3000, "c " * 3000)
    caller = ScriptedCaller(by_stage(describe="Short."))
    analyst(caller, max_input_tokens=500).describe(
        Extraction((entity("X", *notes),), ()), sink=ignore, scope=CancelScope()
    )
    assert len(caller.asked) == 2


def test_a_failure_in_a_later_batch_keeps_every_description() -> None:
    notes = tuple(f"{number} " + "word " * 200 for number in range(8))
    caller = ScriptedCaller(by_stage(describe=lambda request: "Sum." if len(caller.asked) == 1 else None))
    joined = analyst(caller, max_input_tokens=1000).describe(
        Extraction((entity("X", *notes),), ()), sink=ignore, scope=CancelScope()
    )
    assert joined.entities[0].description == "\n".join(notes)


@pytest.mark.parametrize(
    ("reply", "text", "fate"),
    [
        ("It is a lamp.", "It is a lamp.", CallFate.OK),
        (" It is\n\na lamp.\x07 ", "It is a lamp.", CallFate.OK),
        ("```\nIt is a lamp.\n```", "It is a lamp.", CallFate.REPAIRED),
        ("<think>A lamp?</think>\nIt is a lamp.", "It is a lamp.", CallFate.REPAIRED),
        ('{"description": "It is a lamp."}', "It is a lamp.", CallFate.REPAIRED),
        ("{curly} It is a lamp.", "{curly} It is a lamp.", CallFate.OK),
    ],
)
def test_plain_text_is_taken_out_of_what_stands_around_it(reply: str, text: str, fate: CallFate) -> None:
    reading = read_description(reply)
    assert (reading.value, reading.fate) == (text, fate) and bool(reading.note) == (fate != CallFate.OK)


def test_text_without_end_is_cut_and_counted() -> None:
    reading = read_description("word " * 10_000)
    assert (
        isinstance(reading.value, str) and len(reading.value) <= 20_000 and reading.lost == {"texts_cut_to_length": 1}
    )


def test_the_tokens_of_a_prompt_are_those_of_its_head_and_its_notes() -> None:
    whole = count_messages(describe_messages("A", "- First.\n- Second."))
    assert whole == count_messages(describe_messages("A", "")) + count_tokens("- First.\n- Second.")
