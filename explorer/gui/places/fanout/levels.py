"""The plan of an index at each of its levels, for both meanings of a level. Runs on a worker thread; no Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from explorer.base.cancel import CancelScope
from explorer.base.events import EventSink, StageProgress, StageStarted

MODES = ("roll_up", "at_or_below")
MODE_WORDS = {
    "roll_up": "deepest report of each entity",
    "at_or_below": "every report at or above the level",
}


@dataclass(frozen=True)
class LevelPlan:
    """What one level sends. `calls` is low and high over all stages, `output` and `cost` low and high too."""

    level: int
    mode: str
    reports: int
    report_tokens: int
    batches: int
    calls: tuple[int, int]
    prompt_tokens: int
    output: tuple[int, int]
    cost: tuple[float, float] | None


def level_plans(index: Any, sink: EventSink, scope: CancelScope) -> list[LevelPlan]:
    """The plans of all levels, roll-up first, in the order of the levels."""
    from explorer.planning.plan import plan
    from explorer.search.options import GlobalOptions

    levels = list(index.levels)
    sink(StageStarted("plan", len(levels) * len(MODES)))
    plans = []
    for level in levels:
        for mode in MODES:
            scope.checkpoint()
            made = plan(index, GlobalOptions(level=level, reports=mode), "")
            low = sum(value if isinstance(value, int) else value[0] for value in made.calls.values())
            high = sum(value if isinstance(value, int) else value[1] for value in made.calls.values())
            plans.append(
                LevelPlan(
                    level,
                    mode,
                    made.reports,
                    made.report_tokens,
                    len(made.batches),
                    (low, high),
                    made.prompt_tokens,
                    made.output_tokens,
                    made.cost,
                )
            )
            sink(StageProgress("plan", len(plans), len(levels) * len(MODES)))
    return plans
