"""What the test of a connection found, as data and in words."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from explorer.models.connection import ReplyMode

State = Literal["right", "note", "wrong"]


@dataclass(frozen=True)
class CheckLine:
    """One finding. `part` is address, key, chat, json, window, models, embedding or bill."""

    part: str
    state: State
    sentence: str


@dataclass(frozen=True)
class ConnectionReport:
    """What a test found. `ok` is whether nothing was wrong; `lines` say everything in words, in the order found.

    `models` are those that the server lists (None: it lists none); `context_window` in tokens where the server tells
    it; `seconds` of the chat and the embedding call; `calls` and tokens are what the test itself used.
    """

    connection: str
    ok: bool
    lines: tuple[CheckLine, ...]
    reply_mode: ReplyMode | None = None
    context_window: int | None = None
    dimension: int | None = None
    models: tuple[str, ...] | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    calls: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None

    @property
    def sentences(self) -> list[str]:
        return [line.sentence for line in self.lines]

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)
