"""An analyst of a few lines for tests of the pipeline: capitalised words are entities, a shared sentence links them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from explorer.analysts.judgements import (
    CallCount,
    ExtractedEntity,
    ExtractedRelationship,
    Extraction,
    Finding,
    ReportContext,
    UnitText,
    WrittenReport,
)
from explorer.base.cancel import CancelScope
from explorer.base.events import EventSink, StageProgress


class PlainAnalyst:
    """Reads and writes without any store; `reports_missing` are communities that it writes no report for."""

    name = "plain"
    grade = "words"

    def __init__(self, reports_missing: Sequence[int] = ()) -> None:
        self.reports_missing = set(reports_missing)
        self.contexts: list[ReportContext] = []
        self.extractions = 0

    def extract(self, units: Sequence[UnitText], *, sink: EventSink, scope: CancelScope) -> Extraction:
        self.extractions += 1
        places: dict[str, list[str]] = {}
        pairs: Counter[tuple[str, str]] = Counter()
        shown: dict[tuple[str, str], tuple[str, list[str]]] = {}
        for done, unit in enumerate(units, start=1):
            scope.checkpoint()
            for sentence in re.split(r"(?<=[.!?])\s+", unit.text):
                names = sorted(set(re.findall(r"\b[A-Z][a-z]{2,}\b", sentence)))
                for name in names:
                    if unit.id not in places.setdefault(name, []):
                        places[name].append(unit.id)
                for i, first in enumerate(names):
                    for second in names[i + 1 :]:
                        pairs[first, second] += 1
                        _, ids = shown.setdefault((first, second), (sentence, []))
                        if unit.id not in ids:
                            ids.append(unit.id)
            sink(StageProgress("something", done, len(units)))
        return Extraction(
            entities=tuple(
                ExtractedEntity(name, "NAME", f"{name} is named.", tuple(ids), len(ids))
                for name, ids in sorted(places.items())
            ),
            relationships=tuple(
                ExtractedRelationship(
                    first, second, shown[first, second][0], float(number), tuple(shown[first, second][1])
                )
                for (first, second), number in sorted(pairs.items())
            ),
            dropped={"sentence_without_name": 1},
            calls=CallCount(count=len(units), prompt_tokens=10 * len(units), output_tokens=5 * len(units)),
        )

    def report(self, contexts: Sequence[ReportContext], *, sink: EventSink, scope: CancelScope) -> list[WrittenReport]:
        written = []
        for done, context in enumerate(contexts, start=1):
            scope.checkpoint()
            self.contexts.append(context)
            if context.community in self.reports_missing:
                continue
            first = context.entities[0]
            written.append(
                WrittenReport(
                    community=context.community,
                    title=f"{first.title} and others ({context.community})",
                    summary=f"About {first.title}, with {len(context.children)} parts.",
                    findings=(
                        Finding(f"{first.title} is linked", f"It stands first [Data: Entities ({first.number})]."),
                        Finding("Size", f"{len(context.entities)} members."),
                    ),
                    rating=min(10.0, len(context.entities) / 2),
                    rating_explanation="By size.",
                )
            )
            sink(StageProgress("something", done, len(contexts)))
        return written
