"""A caller that answers with what a test wrote down, and reads the replies as the model client does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from explorer.analysts.model.analyst import ModelAnalyst
from explorer.base.fates import CallFate
from explorer.models.calls import CallResult, ChatRequest

Result = TypeVar("Result")
Answer = str | Exception | None  # a reply's text; an error that ends the run; None for a call that failed


class PlainLoop:
    """Runs a coroutine at once, in a loop of its own."""

    def run(self, work: Coroutine[Any, Any, Result], /) -> Result:
        return asyncio.run(work)


@dataclass
class ScriptedCaller:
    """`script` gives the answer to a request; `turns` how many turns of the loop it takes, to change the order."""

    script: Callable[[ChatRequest], Answer]
    turns: Callable[[ChatRequest], int] = lambda request: 0
    asked: list[ChatRequest] = field(default_factory=list)

    async def chat(self, request: ChatRequest) -> CallResult:
        self.asked.append(request)
        for _ in range(self.turns(request)):
            await asyncio.sleep(0)
        answer = self.script(request)
        if isinstance(answer, Exception):
            raise answer
        result = CallResult(
            f"k{len(self.asked)}",
            request.stage,
            request.subject,
            answer or "",
            CallFate.OK,
            "script-1",
            messages=request.messages,
            billed_prompt_tokens=100,
            billed_output_tokens=10,
        )
        if answer is None:
            return _with(result, fate=CallFate.FAILED, error="The server answered 500 six times; retry the call later.")
        if request.read is None:
            return result
        reading = request.read(answer)
        error = reading.note if reading.fate == CallFate.MALFORMED else ""
        return _with(result, fate=reading.fate, value=reading.value, note=reading.note, lost=reading.lost, error=error)

    def stages(self) -> list[str]:
        return [request.stage for request in self.asked]


def _with(result: CallResult, **changes: Any) -> CallResult:
    from dataclasses import replace

    return replace(result, **changes)


def analyst(caller: ScriptedCaller, **parameters: Any) -> ModelAnalyst:
    return ModelAnalyst(caller, PlainLoop(), name="scripted", grade="script-1", **parameters)


def by_stage(**answers: Answer | Callable[[ChatRequest], Answer]) -> Callable[[ChatRequest], Answer]:
    """A script with one answer, or one function, a stage."""

    def script(request: ChatRequest) -> Answer:
        answer = answers[request.stage]
        return answer(request) if callable(answer) else answer

    return script


def extraction(
    entities: list[tuple[str, str, str]] | None = None, links: list[tuple[str, str, str, Any]] | None = None
) -> str:
    """A well-formed reply of extraction."""
    return json.dumps(
        {
            "entities": [{"title": t, "type": k, "description": d} for t, k, d in entities or []],
            "relationships": [
                {"source": s, "target": t, "description": d, "strength": n} for s, t, d, n in links or []
            ],
        }
    )


NOTHING = extraction()


def prompt_of(request: ChatRequest) -> str:
    return request.messages[-1][1]


def only(mapping: Mapping[str, int], *names: str) -> dict[str, int]:
    return {name: mapping[name] for name in names if name in mapping}
