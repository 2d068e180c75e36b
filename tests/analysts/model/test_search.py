"""The judgements of a search by a model, over a caller that says what a test wrote down."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from explorer.analysts.judgements import KeptPoint, ReportBatch
from explorer.analysts.model.rating import Rating, read_rating
from explorer.analysts.model.search import ModelSearchAnalyst, batch_subject, name_models
from explorer.base.fates import CallFate
from explorer.models.calls import Attempt, CallResult, ChatRequest, Reading
from explorer.search.parse_points import read_map_reply

BATCH = ReportBatch("id|title\n1|One\n", (1,), ("One",), 123, 3)


class ScriptedCaller:
    """Answers every request with one result, and keeps what it was asked."""

    def __init__(self, answer: Callable[[ChatRequest], CallResult]) -> None:
        self.answer = answer
        self.asked: list[ChatRequest] = []

    async def chat(self, request: ChatRequest) -> CallResult:
        self.asked.append(request)
        if request.stream is not None:
            request.stream("Two ")
            request.stream("parts.")
        return self.answer(request)


def result(request: ChatRequest, text: str, fate: CallFate = CallFate.OK, **given: object) -> CallResult:
    return CallResult("key-1", request.stage, request.subject, text, fate, "m-1", **given)  # type: ignore[arg-type]


def analyst(caller: ScriptedCaller, **given: object) -> ModelSearchAnalyst:
    return ModelSearchAnalyst(
        caller, name="mine", models={"map": "small", "reduce": "large"}, read_points=read_map_reply, **given  # type: ignore[arg-type]
    )  # fmt: skip


def test_a_map_call_asks_for_points_under_their_schema_and_says_what_it_is_about() -> None:
    caller = ScriptedCaller(lambda request: result(request, '{"points": []}', prompt_tokens=150, output_tokens=5))
    reply = asyncio.run(analyst(caller).map("Who?", BATCH))
    (asked,) = caller.asked
    assert asked.stage == "map"
    assert asked.schema is not None and asked.schema.name == "map_points"
    assert asked.subject == "batch 4" == batch_subject(3)
    assert BATCH.text in asked.messages[0][1]
    assert asked.messages[-1] == ("user", "Who?")
    assert asked.read is not None
    assert asked.read("I will not.").fate is CallFate.MALFORMED
    assert asked.prompt_tokens is None  # counted by another tokenizer than the client's, as far as is known
    assert reply.text == '{"points": []}'
    assert (reply.fate, reply.key, reply.model) == (CallFate.OK, "key-1", "m-1")


def test_tokens_that_were_counted_as_the_client_counts_are_handed_on() -> None:
    caller = ScriptedCaller(lambda request: result(request, '{"points": []}'))
    asyncio.run(analyst(caller, count_fits=True).map("Who?", BATCH))
    assert caller.asked[0].prompt_tokens == 123


def test_retries_are_billed_on_the_call_they_belong_to() -> None:
    attempts = (
        Attempt("malformed", 1.0, 100, 7, text="no"),
        Attempt("http_503", 0.1, waited=2.0, error="503"),
        Attempt("ok", 1.0, 100, 9),
    )
    caller = ScriptedCaller(
        lambda request: result(
            request, '{"points": []}', prompt_tokens=100, output_tokens=9, billed_prompt_tokens=200,
            billed_output_tokens=16, cost=0.25, attempts=attempts,
        )
    )  # fmt: skip
    reply = asyncio.run(analyst(caller).map("Who?", BATCH))
    assert (reply.retries, reply.billed, reply.cost) == (2, True, 0.25)
    assert (reply.billed_prompt_tokens, reply.billed_output_tokens) == (200, 16)
    assert reply.attempts == attempts


@pytest.mark.parametrize("fate", [CallFate.REPAIRED, CallFate.MALFORMED])
def test_what_the_search_reads_itself_comes_as_it_is(fate: CallFate) -> None:
    caller = ScriptedCaller(lambda request: result(request, "Well: {}", fate, note="mended", billed_prompt_tokens=3))
    reply = asyncio.run(analyst(caller).map("Who?", BATCH))
    assert (reply.fate, reply.text, reply.note) == (CallFate.OK, "Well: {}", "mended")


def test_a_reply_from_the_store_costs_nothing_even_where_no_price_is_known() -> None:
    caller = ScriptedCaller(lambda request: result(request, "{}", CallFate.CACHED, prompt_tokens=90, output_tokens=3))
    reply = asyncio.run(analyst(caller).map("Who?", BATCH))
    assert (reply.fate, reply.billed, reply.cost, reply.prompt_tokens) == (CallFate.CACHED, False, 0.0, 90)


def test_a_failed_call_says_why_and_was_not_charged() -> None:
    caller = ScriptedCaller(lambda request: result(request, "", CallFate.FAILED, error="HTTP 500, six times"))
    reply = asyncio.run(analyst(caller).reduce("Who?", [KeptPoint(0, "a", 5, 1)], "data"))
    assert (reply.fate, reply.billed, reply.error) == (CallFate.FAILED, False, "HTTP 500, six times")


def test_the_answer_is_asked_for_as_a_stream_of_plain_text() -> None:
    caller = ScriptedCaller(lambda request: result(request, "Two parts."))
    mine = analyst(caller, response_type="One line")
    reply = asyncio.run(mine.reduce("Who?", [KeptPoint(0, "a", 5, 1)], "----Analyst 1----\nImportance Score: 5\na"))
    assert reply.text == "Two parts."
    (asked,) = caller.asked
    assert asked.schema is None and asked.stream is not None
    assert "One line" in asked.messages[0][1] and "Importance Score: 5" in asked.messages[0][1]
    asyncio.run(mine.answer("Who?", "Sources: …"))
    assert caller.asked[1].stage == "answer" and caller.asked[1].stream is not None


def test_thoughts_before_a_reply_are_no_part_of_it() -> None:
    caller = ScriptedCaller(lambda request: result(request, "<think>{}</think>I will not.", CallFate.MALFORMED))
    assert asyncio.run(analyst(caller).map("Who?", BATCH)).text == "I will not."


def test_the_models_of_the_stages_are_named() -> None:
    assert name_models({"map": "m", "reduce": "m"}) == "m"
    assert name_models({"map": "small", "reduce": "large"}) == "large (reduce), small (map)"


@pytest.mark.parametrize(
    ("text", "fate", "value"),
    [
        ('{"rating": 4, "reason": "It names him."}', CallFate.OK, Rating(4, "It names him.")),
        ('{"rating": "3", "reason": "r"}', CallFate.OK, Rating(3, "r")),
        ('Sure!\n```json\n{"rating": 2, "reason": "r"}\n```', CallFate.REPAIRED, Rating(2, "r")),
        ('{"rating": 9, "reason": "r"}', CallFate.REPAIRED, Rating(5, "r")),
        ('{"rating": "much", "reason": "r"}', CallFate.MALFORMED, None),
        ('{"rating": true, "reason": "r"}', CallFate.MALFORMED, None),
        ('{"rating": NaN}', CallFate.MALFORMED, None),
        ("Very relevant.", CallFate.MALFORMED, None),
        ("[]", CallFate.MALFORMED, None),
        ("", CallFate.MALFORMED, None),
    ],
)
def test_a_rating_that_cannot_be_read_is_never_taken_for_relevant(
    text: str, fate: CallFate, value: Rating | None
) -> None:
    reading: Reading = read_rating(text)
    assert (reading.fate, reading.value) == (fate, value)
    assert bool(reading.note) == (fate is not CallFate.OK)
