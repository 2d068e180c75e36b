"""An analyst that says what a test wrote down for it, batch by batch."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from explorer.analysts.judgements import KeptPoint, Reply, ReportBatch
from explorer.analysts.message import Message
from explorer.analysts.prompts import map_messages, reduce_messages
from explorer.base.cancel import CancelScope
from explorer.base.errors import Cancelled, ExplorerError
from explorer.base.fates import CallFate
from explorer.base.tokens import EncodingName, count_tokens


def points(*scored: tuple[str, object]) -> str:
    """A well-formed map reply."""
    return json.dumps({"points": [{"description": text, "score": score} for text, score in scored]})


@dataclass(frozen=True)
class Said:
    """What happens to one call.

    `how` is "reply", "cached", "failed", "cancelled" (the analyst says so itself), "raise", "raise_cancelled",
    "cancel_run" (the scope is cancelled while the call is out, and no reply comes), or "stop" (the connection is of no
    use: an error that ends the run, where the analyst is a model).
    """

    text: str = ""
    how: str = "reply"
    delay: int = 0  # turns of the loop before the reply, to change the order in which replies come


@dataclass
class ScriptedAnalyst:
    """Map calls are answered by `script` in the order in which they go out, which is that of the batches."""

    script: Sequence[Said]
    answer: Said = field(default_factory=lambda: Said("The answer [Data: Reports (1)]."))
    scope: CancelScope | None = None
    map_max_length: int = 1000
    tokenizer: EncodingName = "cl100k_base"
    name: str = "scripted"
    model: str = "script-1"
    is_model: bool = False
    batches: list[ReportBatch] = field(default_factory=list)
    reduced: list[tuple[tuple[KeptPoint, ...], str]] = field(default_factory=list)
    out: int = 0
    most_out: int = 0

    async def map(self, question: str, batch: ReportBatch) -> Reply:
        said = self.script[len(self.batches)] if len(self.batches) < len(self.script) else Said(points())
        self.batches.append(batch)
        self.out += 1
        self.most_out = max(self.most_out, self.out)
        try:
            return await self._say(said, map_messages(question, batch.text, self.map_max_length))
        finally:
            self.out -= 1

    async def reduce(self, question: str, points: Sequence[KeptPoint], data: str) -> Reply:
        self.reduced.append((tuple(points), data))
        return await self._say(self.answer, reduce_messages(question, data))

    async def rate(self, question: str, report: str) -> Reply:
        raise AssertionError("global search rates nothing")

    async def _say(self, said: Said, messages: tuple[Message, ...]) -> Reply:
        for _ in range(said.delay):
            await asyncio.sleep(0)
        if said.how == "raise":
            raise RuntimeError("the analyst broke")
        if said.how == "stop":
            raise ExplorerError("The server refused the key.")
        if said.how == "raise_cancelled":
            raise Cancelled
        if said.how == "cancel_run":
            assert self.scope is not None
            self.scope.cancel()
            await asyncio.sleep(3600)
        prompt = sum(count_tokens(message.content, self.tokenizer) for message in messages)
        if said.how == "failed":
            return Reply("", messages, prompt, 0, self.model, CallFate.FAILED, retries=3, error="HTTP 500, three times")
        if said.how == "cancelled":
            return Reply("", messages, prompt, 0, self.model, CallFate.CANCELLED)
        cached = said.how == "cached"
        fate = CallFate.CACHED if cached else CallFate.OK
        return Reply(
            said.text, messages, prompt, count_tokens(said.text, self.tokenizer), self.model, fate, billed=not cached
        )
