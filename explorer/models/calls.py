"""What a call to a model is asked for and what it brings back, as data. No client, no network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from explorer.base.fates import CallFate


@dataclass(frozen=True)
class ReplySchema:
    """A reply that is asked for as JSON: the schema's name, and the schema itself (closed, every field required)."""

    name: str
    schema: Mapping[str, object]


@dataclass(frozen=True)
class Reading:
    """What a reader makes of a reply's text.

    `fate` is OK, REPAIRED or MALFORMED; `value` what was read (None where nothing could be); `note` one sentence that
    says what was repaired, left out or wrong; `lost` counts by name what the reply held and could not be used.
    """

    fate: CallFate
    value: object = None
    note: str = ""
    lost: Mapping[str, int] = field(default_factory=dict)


Reader = Callable[[str], Reading]


@dataclass(frozen=True)
class ChatRequest:
    """One chat call to make.

    `subject` says what it is about, for people and for retries (a text unit's id, a title, a community's key);
    `read` turns the text into a value and decides whether it was well formed (None: any text that is not empty is).
    `prompt_tokens` where they are counted already. `stream` gets pieces of the text as they come.
    `repeat` counts deliberate repeats and retries by hand.
    """

    stage: str
    messages: tuple[tuple[str, str], ...]  # (role, content)
    schema: ReplySchema | None = None
    subject: str = ""
    read: Reader | None = None
    parameters: Mapping[str, object] = field(default_factory=dict)
    prompt_tokens: int | None = None
    stream: Callable[[str], None] | None = None
    repeat: int = 0


@dataclass(frozen=True)
class Attempt:
    """One request that went out for a call: what became of it, what it took, what it was charged for."""

    outcome: str  # ok | malformed | http_429 | http_500 … | timeout | dropped | empty | refused | cancelled
    seconds: float = 0.0
    prompt_tokens: int = 0  # charged; 0 where the server gave no reply
    output_tokens: int = 0
    waited: float = 0.0  # seconds before it, for limits and back-off
    error: str = ""
    text: str = ""  # the raw reply where there was one


@dataclass(frozen=True)
class CallResult:
    """A call that ended. It never raises for a bad reply; `error` says why there is no value.

    `prompt_tokens` and `output_tokens` are those of the attempt that stands; `billed_prompt_tokens` and
    `billed_output_tokens` those of all attempts that were charged, and `cost` is theirs in US dollars: None where no
    price is known, 0 for a reply from the call store. Token counts are the server's own (usage) where it gives them.
    """

    key: str
    stage: str
    subject: str
    text: str
    fate: CallFate
    model: str
    messages: tuple[tuple[str, str], ...] = ()
    value: object = None
    note: str = ""
    lost: Mapping[str, int] = field(default_factory=dict)
    prompt_tokens: int = 0
    output_tokens: int = 0
    billed_prompt_tokens: int = 0
    billed_output_tokens: int = 0
    cost: float | None = None
    seconds: float = 0.0
    attempts: tuple[Attempt, ...] = ()
    error: str = ""

    @property
    def retries(self) -> int:
        return max(0, len(self.attempts) - 1)

    @property
    def usable(self) -> bool:
        """Whether a value or text came that the pipeline may use."""
        return self.fate in (CallFate.OK, CallFate.CACHED, CallFate.REPAIRED)


@dataclass(frozen=True)
class EmbeddingResult:
    """Vectors of some texts in their order; None for a text whose call failed (`error` says why)."""

    vectors: tuple[tuple[float, ...] | None, ...]
    model: str
    calls: int = 0
    cached: int = 0
    failed: int = 0
    prompt_tokens: int = 0
    cost: float | None = None
    error: str = ""


class Caller(Protocol):
    """Whoever makes calls: the model client. Tests of analysts may give their own, tests of the client may not."""

    async def chat(self, request: ChatRequest) -> CallResult: ...
