"""Defects gathered one by one and handed out one line a kind, with the first example."""

from __future__ import annotations

from explorer.health.report import Defect

_LONGEST = 300  # letters: a title may have a million


class Defects:
    """Counts what is found by kind; the first one found is the example. The order of kinds is that of their finding."""

    def __init__(self) -> None:
        self._found: dict[str, Defect] = {}

    def add(self, kind: str, example: str, remedy: str) -> None:
        known = self._found.get(kind)
        if known is None:
            short = example if len(example) <= _LONGEST else f"{example[: _LONGEST - 100]} … {example[-90:]}"
            self._found[kind] = Defect(kind=kind, count=1, example=short, remedy=remedy)
        else:
            known.count += 1

    def all(self) -> list[Defect]:
        return list(self._found.values())
