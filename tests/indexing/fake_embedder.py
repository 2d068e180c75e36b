"""An embedder of a few lines: the vector of a text is made from its length and letters."""

from __future__ import annotations

import math
from collections.abc import Sequence

from explorer.analysts.judgements import CallCount
from explorer.base.cancel import CancelScope
from explorer.base.events import EventSink, StageProgress


class FakeEmbedder:
    """Keeps what it was asked for in `asked`; texts that hold a word of `refused` get no vector."""

    def __init__(self, model: str = "letters", length: int = 4, batch: int = 4, refused: Sequence[str] = ()) -> None:
        self.name = "a connection"
        self.model = model
        self.batch = batch
        self.length = length
        self.known: int | None = length
        self.refused = tuple(refused)
        self.asked: list[str] = []
        self.error = ""
        self.stop_after: int | None = None
        self._calls = CallCount()

    @property
    def dimension(self) -> int | None:
        return self.known

    @property
    def spent(self) -> CallCount:
        return self._calls

    def remark(self) -> str:
        return ""

    def embed(self, texts: Sequence[str], *, sink: EventSink, scope: CancelScope) -> list[tuple[float, ...] | None]:
        scope.checkpoint()
        self.asked += texts
        self._calls = CallCount(count=self._calls.count + 1, prompt_tokens=self._calls.prompt_tokens + len(texts))
        sink(StageProgress("embed", len(texts), len(texts)))
        if self.stop_after is not None and len(self.asked) >= self.stop_after:
            scope.cancel()
        return [self.vector(text) for text in texts]

    def vector(self, text: str) -> tuple[float, ...] | None:
        if any(word in text for word in self.refused):
            self.error = "the server refused it"
            return None
        numbers = [float(1 + text.count(letter)) for letter in "etaoinsh"[: self.length]]
        length = math.hypot(*numbers)
        return tuple(number / length for number in numbers)
