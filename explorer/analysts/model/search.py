"""The judgements of a search, made by a language model: map, reduce, rate and answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from explorer.analysts.judgements import KeptPoint, Reply, ReportBatch
from explorer.analysts.message import Message
from explorer.analysts.model.rating import read_rating
from explorer.analysts.model.schemas import COMMUNITY_RATING, MAP_POINTS
from explorer.analysts.prompts import Prompts, shipped
from explorer.base.fates import CallFate
from explorer.models.calls import Caller, CallResult, ChatRequest, Reader, ReplySchema
from explorer.models.wire import without_thinking

ANSWER = "answer"  # the subject of a call that writes the answer


def batch_subject(index: int) -> str:
    """What a map call is about, for people. Batches are numbered from 1 there."""
    return f"batch {index + 1}"


class ModelSearchAnalyst:
    """Implements SearchAnalyst over a model client.

    Parameters
    ----------
    client: makes the calls; `Cancelled` and `ModelStop` of it pass through, bad replies come back as replies.
    name: the connection's name; `models` the model of each stage, by which `model` names them.
    read_points: reads a map reply as the search does, so that one that the search cannot read is never kept as well
        formed and served again.
    prompts: those of the project; by default those that ship.
    count_fits: whether the tokens of a batch were counted as the client counts.
    """

    is_model = True

    def __init__(
        self,
        client: Caller,
        *,
        name: str,
        models: Mapping[str, str],
        read_points: Reader,
        max_length: int = 1000,
        reduce_max_length: int = 2000,
        response_type: str = "Multiple Paragraphs",
        prompts: Prompts | None = None,
        count_fits: bool = False,
    ) -> None:
        self.name = name
        self.models = dict(models)
        self.model = name_models(self.models)
        self._client = client
        self._read_points = read_points
        self._max_length = max_length
        self._reduce_max_length = reduce_max_length
        self._response_type = response_type
        self.prompts = prompts or shipped()
        self._count_fits = count_fits

    async def map(self, question: str, batch: ReportBatch) -> Reply:
        """The points of one batch: the reply as it came, whatever it holds."""
        messages = self.prompts.map_messages(question, batch.text, self._max_length)
        return await self._ask(
            "map",
            messages,
            batch_subject(batch.index),
            schema=MAP_POINTS,
            read=self._read_points,
            prompt_tokens=batch.prompt_tokens if self._count_fits else None,
        )

    async def reduce(self, question: str, points: Sequence[KeptPoint], data: str) -> Reply:
        """The answer from the kept points as packed in `data`, in plain text, streamed."""
        messages = self.prompts.reduce_messages(question, data, self._response_type, self._reduce_max_length)
        return await self._ask("reduce", messages, ANSWER, stream=_as_events)

    async def rate(self, question: str, report: str) -> Reply:
        """How far one report helps: the reply as it came; `read_rating` reads it."""
        messages = self.prompts.rating_messages(question, report)
        return await self._ask("rate", messages, "rating", schema=COMMUNITY_RATING, read=read_rating)

    async def answer(self, question: str, context: str) -> Reply:
        """The answer from rows of an index, in plain text, streamed."""
        messages = self.prompts.answer_messages(question, context, self._response_type)
        return await self._ask("answer", messages, ANSWER, stream=_as_events)

    async def _ask(
        self,
        stage: str,
        messages: tuple[Message, ...],
        subject: str,
        *,
        schema: ReplySchema | None = None,
        read: Reader | None = None,
        prompt_tokens: int | None = None,
        stream: Callable[[str], None] | None = None,
    ) -> Reply:
        request = ChatRequest(
            stage=stage,
            messages=tuple((message.role, message.content) for message in messages),
            schema=schema,
            subject=subject,
            read=read,
            prompt_tokens=prompt_tokens,
            stream=stream,
        )
        return reply_of(await self._client.chat(request), messages)


def _as_events(text: str) -> None:
    """Asks for a stream; the client sends its pieces out as events (TextStreamed)."""


def reply_of(result: CallResult, messages: tuple[Message, ...]) -> Reply:
    """A call that ended, as the search takes it.

    A reply that was repaired, or is malformed, comes as it is: who reads it finds the same and says so. Tokens are
    those that were charged, all attempts together; of a reply from the call store those that it once had.
    """
    cached = result.fate is CallFate.CACHED
    passed = (CallFate.CACHED, CallFate.FAILED, CallFate.CANCELLED)
    billed = not cached and result.billed_prompt_tokens + result.billed_output_tokens > 0
    return Reply(
        text=without_thinking(result.text),
        messages=messages,
        prompt_tokens=result.prompt_tokens,
        output_tokens=result.output_tokens,
        model=result.model,
        fate=result.fate if result.fate in passed else CallFate.OK,
        seconds=result.seconds,
        retries=result.retries,
        billed=billed,
        error=result.error or None,
        cost=0.0 if cached else result.cost,
        key=result.key,
        billed_prompt_tokens=None if cached else result.billed_prompt_tokens,
        billed_output_tokens=None if cached else result.billed_output_tokens,
        note=result.note,
        attempts=result.attempts,
    )


def name_models(models: Mapping[str, str]) -> str:
    """The models of the stages in words: the one that makes them all, or each with its stages."""
    names = sorted(set(models.values()))
    if len(names) <= 1:
        return names[0] if names else ""
    return ", ".join(
        f"{name} ({', '.join(sorted(stage for stage, model in models.items() if model == name))})" for name in names
    )
