"""The plan of an index at each of its levels, for both meanings of a level. Runs on a worker thread; no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from explorer.base.cancel import CancelScope
from explorer.base.events import EventSink, StageProgress, StageStarted

MODES = ("roll_up", "at_or_below")
DIFFERENCE = "difference"
MODE_WORDS = {
    "roll_up": "the deepest of each entity",
    "at_or_below": "every one down to the level",
    DIFFERENCE: "difference",
}
_FIGURES = ("reports", "report_tokens", "batches", "prompt_tokens")


@dataclass(frozen=True)
class LevelPlan:
    """What one level sends. `calls` is low and high over all stages, `output` and `cost` low and high too.

    With the mode "difference" each figure is that of "at_or_below" less that of "roll_up".
    """

    level: int
    mode: str
    reports: int
    report_tokens: int
    batches: int
    calls: tuple[int, int]
    prompt_tokens: int
    output: tuple[int, int]
    cost: tuple[float, float] | None  # US dollars; None where no price is known


def level_plans(index: Any, connection: str, model: str | None, sink: EventSink, scope: CancelScope) -> list[LevelPlan]:
    """The plans of all levels, roll-up first, in the order of the levels.

    `connection` names who would answer: its tokenizer, prompts and prices count. `model` is one to take the prices of
    in its place, None for none.
    """
    from explorer.gui.places.ask.running import find
    from explorer.planning.plan import plan

    answering = find(connection)
    levels = list(index.levels)
    sink(StageStarted("plan", len(levels) * len(MODES)))
    plans = []
    for level in levels:
        for mode in MODES:
            scope.checkpoint()
            options = _options(index, answering, level, mode, model)
            made = plan(index, options, "", connection=None if model else answering)
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


def _options(index: Any, connection: Any, level: int, mode: str, model: str | None) -> Any:
    """The usual knobs with the connection's own values and the budgets of the project's settings, as `ask` has them."""
    from explorer.search.ask_model import model_defaults
    from explorer.search.options import GlobalOptions
    from explorer.search.project_settings import search_settings

    settings = search_settings(index.settings).values if index.settings is not None else {}
    return GlobalOptions.model_validate(
        {**settings, **model_defaults(connection), "level": level, "reports": mode, "as_model": model}
    )


def with_differences(plans: Sequence[LevelPlan]) -> list[LevelPlan]:
    """Each level's two plans, and after them what the second has more than the first."""
    rows: list[LevelPlan] = []
    for deepest, every in zip(plans[::2], plans[1::2], strict=True):
        rows += [deepest, every, difference(deepest, every)]
    return rows


def difference(deepest: LevelPlan, every: LevelPlan) -> LevelPlan:
    """What `every` has more than `deepest`, figure by figure."""
    cost = None
    if deepest.cost is not None and every.cost is not None:
        cost = (every.cost[0] - deepest.cost[0], every.cost[1] - deepest.cost[1])
    return LevelPlan(
        level=deepest.level,
        mode=DIFFERENCE,
        calls=(every.calls[0] - deepest.calls[0], every.calls[1] - deepest.calls[1]),
        output=(every.output[0] - deepest.output[0], every.output[1] - deepest.output[1]),
        cost=cost,
        **{name: getattr(every, name) - getattr(deepest, name) for name in _FIGURES},
    )
