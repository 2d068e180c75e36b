"""An estimate as data: what is known exactly as a number, what is not as a range that holds the truth and a middle."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

Whole = int | tuple[int, int]  # exact, or low and high
Money = tuple[float, float] | None  # US dollars, low and high; None where no price is known

STAGES = ("extract", "glean", "claims", "describe", "reports", "embed")


class Middle(BaseModel):
    """The likeliest figures. `cost` is None where no price is known."""

    model_config = ConfigDict(extra="forbid")

    calls: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    seconds: float = 0.0


class StageEstimate(BaseModel):
    """The calls of one stage that will be made and charged. `cached` more are known from the call store: they cost
    nothing and stand in no other figure."""

    model_config = ConfigDict(extra="forbid")

    model: str = ""
    calls: Whole = 0
    cached: int = 0
    prompt_tokens: Whole = 0
    output_tokens: Whole = 0
    cost: Money = None
    seconds: tuple[float, float] = (0.0, 0.0)
    middle: Middle = Field(default_factory=Middle)


class Estimate(BaseModel):
    """What indexing a folder will take. The top figures are sums over the stages.

    `files` counts files by what will become of them; `basis` is "folder" before a pilot and "pilot" after one;
    `spent` is what the pilot was charged already and is part of no other figure. `entities`, `relationships` and
    `reports` are what the index will hold, low and high. `notes` are sentences for the person.
    """

    model_config = ConfigDict(extra="forbid")

    connection: str
    basis: str = "folder"
    pilot_units: int = 0
    documents: int
    files: dict[str, int] = Field(default_factory=dict)
    skipped: list[tuple[str, str]] = Field(default_factory=list)  # (path, reason), failed ones too
    text_units: int
    text_tokens: int  # o200k_base, of all text units
    stages: dict[str, StageEstimate] = Field(default_factory=dict)
    calls: Whole = 0
    cached: int = 0
    prompt_tokens: Whole = 0
    output_tokens: Whole = 0
    cost: Money = None
    seconds: tuple[float, float] = (0.0, 0.0)
    middle: Middle = Field(default_factory=Middle)
    spent: float | None = None
    entities: tuple[int, int] = (0, 0)
    relationships: tuple[int, int] = (0, 0)
    reports: tuple[int, int] = (0, 0)
    notes: list[str] = Field(default_factory=list)


def low(value: Whole) -> int:
    """The smallest that a figure may become."""
    return value if isinstance(value, int) else value[0]


def high(value: Whole) -> int:
    """The largest that a figure may become."""
    return value if isinstance(value, int) else value[1]


def span(least: float, most: float) -> Whole:
    """A figure from its bounds: one number where both are the same."""
    first, last = round(least), round(most)
    return first if first == last else (first, last)


def total(stages: dict[str, StageEstimate], **fields: Any) -> Estimate:
    """The estimate of some stages, added up; `fields` are the others of Estimate.

    Ranges add up bound by bound: stages err together (a model that finds more writes more in all of them). The cost is
    None where that of a stage with calls is. Stages run one after the other, so their seconds add up.
    """
    charged = [stage for stage in stages.values() if high(stage.calls)]
    priced = all(stage.cost is not None for stage in charged)
    costs = [stage.cost for stage in charged if stage.cost is not None]
    middles = [stage.middle for stage in stages.values()]
    cost: Money = (round(sum(c[0] for c in costs), 9), round(sum(c[1] for c in costs), 9)) if priced else None
    return Estimate(
        stages=stages,
        calls=_sum([stage.calls for stage in stages.values()]),
        cached=sum(stage.cached for stage in stages.values()),
        prompt_tokens=_sum([stage.prompt_tokens for stage in stages.values()]),
        output_tokens=_sum([stage.output_tokens for stage in stages.values()]),
        cost=cost,
        seconds=(sum(s.seconds[0] for s in stages.values()), sum(s.seconds[1] for s in stages.values())),
        middle=Middle(
            calls=sum(m.calls for m in middles),
            prompt_tokens=sum(m.prompt_tokens for m in middles),
            output_tokens=sum(m.output_tokens for m in middles),
            cost=sum(m.cost or 0.0 for m in middles) if priced else None,
            seconds=sum(m.seconds for m in middles),
        ),
        **fields,
    )


def without(estimate: Estimate, stage: str) -> Estimate:
    """The estimate without one stage: its figures added up anew."""
    stages = {name: figures for name, figures in estimate.stages.items() if name != stage}
    added = ("stages", "calls", "cached", "prompt_tokens", "output_tokens", "cost", "seconds", "middle")
    return total(stages, **{name: value for name, value in estimate if name not in added})


def _sum(values: list[Whole]) -> Whole:
    return span(sum(map(low, values)), sum(map(high, values)))
