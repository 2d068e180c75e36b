"""The ledger: candidates counted before a run, one fate each, and the proof that nothing is missing.

`candidates = Σ items by fate` holds only if every item was settled where it was lost. Nothing is derived by
subtraction, so an item that was forgotten shows itself as an unbalanced account.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, TypeVar

F = TypeVar("F", bound=StrEnum)


@dataclass
class Account(Generic[F]):
    """The fates of one kind of item in one run.

    Candidates enter by `expect` before or while the run goes; `settle` gives an item its one fate.
    """

    kind: str
    _candidates: dict[Hashable, None] = field(default_factory=dict)
    _fates: dict[Hashable, F] = field(default_factory=dict)

    def expect(self, items: Iterable[Hashable]) -> None:
        """Count items as candidates. Raises ValueError where one was counted before."""
        for item in items:
            if item in self._candidates:
                raise ValueError(f"{self.kind} {item!r} was counted twice")
            self._candidates[item] = None

    def settle(self, item: Hashable, fate: F) -> None:
        """Give an item its fate. Raises ValueError for an unknown item or a second fate."""
        if item not in self._candidates:
            raise ValueError(f"{self.kind} {item!r} was never a candidate")
        if item in self._fates:
            raise ValueError(f"{self.kind} {item!r} already ended as {self._fates[item]}")
        self._fates[item] = fate

    def fate(self, item: Hashable) -> F | None:
        """The fate of an item, or None while it has none."""
        return self._fates.get(item)

    @property
    def open_items(self) -> list[Hashable]:
        """Candidates without a fate, in the order they were counted."""
        return [item for item in self._candidates if item not in self._fates]

    @property
    def candidates(self) -> int:
        return len(self._candidates)

    @property
    def counts(self) -> dict[str, int]:
        """Number of items by fate, sorted by the name of the fate."""
        return dict(sorted(Counter(str(fate) for fate in self._fates.values()).items()))

    @property
    def balanced(self) -> bool:
        return self.candidates == sum(self.counts.values())
