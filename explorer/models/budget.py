"""Caps of a run in money and in calls: what was spent, and what the calls that are out may still cost."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

CapName = Literal["max_cost", "max_calls"]

# How far above the largest output seen in a stage the next one may go; the first few tell little of the spread.
_MORE = 1.25
_MORE_AT_FIRST = 3.0
_FEW = 8


class OutputSeen:
    """How long the outputs of each stage were, and what servers count of prompts, to say what the next may have."""

    def __init__(self) -> None:
        self._share = 1.0
        self._largest: dict[str, int] = {}
        self._count: dict[str, int] = {}

    def note(self, stage: str, tokens: int) -> None:
        """An output of a stage came."""
        self._largest[stage] = max(tokens, self._largest.get(stage, 0))
        self._count[stage] = self._count.get(stage, 0) + 1

    def note_prompt(self, counted: int, charged: int) -> None:
        """A server charged for a prompt that was counted here: it counts frames, or with another tokenizer."""
        if counted > 0:
            self._share = max(self._share, charged / counted)

    def prompt_at_most(self, counted: int) -> int:
        """The tokens that a prompt may be charged with: those counted, where the server counts alike."""
        return math.ceil(counted * self._share)

    def seen(self, stage: str) -> bool:
        return stage in self._count

    def at_most(self, stage: str, max_tokens: int | None = None) -> int:
        """The tokens that the next output of a stage may have: somewhat more than the largest seen, never more than
        the parameters allow; before the first, what the parameters allow or the largest of all stages."""
        if self.seen(stage):
            more = _MORE if self._count[stage] >= _FEW else _MORE_AT_FIRST
            guess = int(self._largest[stage] * more) + 1
            return guess if max_tokens is None else min(guess, max_tokens)
        if max_tokens is not None:
            return max_tokens
        return int(max(self._largest.values(), default=0) * _MORE)


@dataclass
class Budget:
    """The money and the requests of one run. Every request that goes out counts as one of `max_calls`, retries too.

    `cost` is in US dollars; amounts of calls without a known price are None and count for nothing: who sets a cap in
    money must know its prices.
    """

    max_cost: float | None = None
    max_calls: int | None = None
    cost: float = 0.0
    requests: int = 0
    out: dict[int, float] = field(default_factory=dict)  # what each request that is out may cost at most
    _next: int = 0

    def over(self, cost_at_most: float | None) -> CapName | None:
        """Which cap another request would pass, with all that are out costing the most that they may; None for none."""
        if self.max_calls is not None and self.requests >= self.max_calls:
            return "max_calls"
        if self.max_cost is not None and self.cost + self.reserved + (cost_at_most or 0.0) > self.max_cost + 1e-12:
            return "max_cost"
        return None

    @property
    def reserved(self) -> float:
        """The most that the requests which are out may still cost."""
        return sum(self.out.values())

    def take(self, cost_at_most: float | None) -> int:
        """A request goes out; the number to settle it with."""
        self.requests += 1
        self._next += 1
        self.out[self._next] = cost_at_most or 0.0
        return self._next

    def settle(self, number: int, cost: float | None) -> None:
        """A request ended and cost this much."""
        self.out.pop(number)
        self.cost += cost or 0.0

    def cap(self, name: CapName) -> float:
        """The cap of a name; infinite where there is none."""
        value = self.max_cost if name == "max_cost" else self.max_calls
        return float("inf") if value is None else float(value)

    def sentence(self, name: CapName) -> str:
        """What a reached cap means, for the window and for stderr."""
        kept = "the run has paused with everything kept. Raise the cap to go on, or stop."
        if name == "max_calls":
            return f"{self.requests} of at most {self.max_calls} calls are made; {kept}"
        spent = f"US$ {self.cost:.4f} of at most US$ {self.max_cost:.4f} are spent"
        return f"{spent}, and the next call could pass that; {kept}"
