"""The estimate against the truth: what each stage was said to take and what it took."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, ValidationError, model_serializer

from explorer.base.files import write_text_atomic
from explorer.planning.estimated import Estimate, StageEstimate, Whole, high, low
from explorer.tables.index_file import StageCalls

FILE_NAME = "bill.json"


class Charged(Protocol):
    """What a run was charged for one stage (StageCalls of the summary)."""

    count: int
    cached: int
    prompt_tokens: int
    output_tokens: int
    cost: float | None


class Checked(BaseModel):
    """One figure: estimated, actual, whether the range held it, and the error of the middle as a share of the truth
    (None where the truth is 0 and the middle is not, or nothing is known)."""

    model_config = ConfigDict(extra="forbid")

    estimated: Whole | tuple[float, float] | None
    actual: float | int | None
    inside: bool | None
    error: float | None


class StageBill(BaseModel):
    model_config = ConfigDict(extra="forbid")

    calls: Checked
    prompt_tokens: Checked
    output_tokens: Checked
    cost: Checked

    @property
    def inside(self) -> bool:
        """Whether every figure that can be compared lay in its range."""
        checks = (self.calls, self.prompt_tokens, self.output_tokens, self.cost)
        return all(check.inside is not False for check in checks)


class Pending(BaseModel):
    """What a bill needs to take in vectors that are made after its run: the whole estimate, what the run was charged,
    and the last record of the call store before them."""

    model_config = ConfigDict(extra="forbid")

    estimate: Estimate
    calls: dict[str, StageCalls]
    after: int


class Bill(BaseModel):
    """The comparison by stage and in total, and in one sentence. `pending` is there while the vectors of the index are
    still to come: then neither side holds them."""

    model_config = ConfigDict(extra="forbid")

    basis: str
    stages: dict[str, StageBill] = Field(default_factory=dict)
    total: StageBill
    sentence: str
    pending: Pending | None = None

    @model_serializer(mode="wrap")
    def _without_nothing(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        plain: dict[str, Any] = handler(self)
        return {name: value for name, value in plain.items() if name != "pending" or value is not None}


def compare(estimate: Estimate, calls: Mapping[str, Charged]) -> Bill:
    """Hold an estimate against what a run was charged.

    Parameters
    ----------
    calls: what the run's summary has under `calls`: stage → figures. Calls from the call store are left out on both
        sides. A stage that is in neither is not shown.
    """
    stages: dict[str, StageBill] = {}
    for name in dict.fromkeys((*estimate.stages, *calls)):
        said, was = estimate.stages.get(name, StageEstimate()), calls.get(name)
        if was is None and not high(said.calls):
            continue
        stages[name] = _stage(said, was)
    made = [was for was in calls.values() if was.count > was.cached]
    priced = all(was.cost is not None for was in made)
    whole = StageBill(
        calls=_whole(estimate.calls, estimate.middle.calls, sum(was.count - was.cached for was in calls.values())),
        prompt_tokens=_whole(
            estimate.prompt_tokens, estimate.middle.prompt_tokens, sum(was.prompt_tokens for was in calls.values())
        ),
        output_tokens=_whole(
            estimate.output_tokens, estimate.middle.output_tokens, sum(was.output_tokens for was in calls.values())
        ),
        cost=_money(estimate.cost, estimate.middle.cost, sum(was.cost or 0.0 for was in made) if priced else None),
    )
    return Bill(basis=estimate.basis, stages=stages, total=whole, sentence=_sentence(estimate, whole))


def save_bill(home: Path, bill: Bill) -> None:
    """Keep the comparison in the home of an index. Raises StorageError."""
    write_text_atomic(home / FILE_NAME, bill.model_dump_json(indent=1) + "\n")


def load_bill(home: Path) -> Bill | None:
    """The comparison of the last run that had an estimate, or None where there is none that can be read."""
    try:
        return Bill.model_validate_json((home / FILE_NAME).read_text(encoding="utf-8"))
    except (OSError, ValidationError, ValueError):
        return None


def dollars(value: float) -> str:
    """Money in words: $0.41, $0.0032 below a cent, $1,234."""
    if value == 0:
        return "$0"
    if abs(value) < 0.01:
        return f"${value:.2g}" if abs(value) >= 0.0001 else "less than $0.0001"
    return f"${value:,.2f}" if value < 1000 else f"${value:,.0f}"


def dollar_range(cost: tuple[float, float] | None) -> str:
    """A range of money in words; "unknown" where no price is known."""
    if cost is None:
        return "unknown"
    first, last = dollars(cost[0]), dollars(cost[1])
    return first if first == last else f"{first} to {last}"


def _stage(said: StageEstimate, was: Charged | None) -> StageBill:
    middle = said.middle
    if was is None:
        return StageBill(
            calls=_whole(said.calls, middle.calls, 0),
            prompt_tokens=_whole(said.prompt_tokens, middle.prompt_tokens, 0),
            output_tokens=_whole(said.output_tokens, middle.output_tokens, 0),
            cost=_money(said.cost, middle.cost, 0.0),
        )
    return StageBill(
        calls=_whole(said.calls, middle.calls, was.count - was.cached),
        prompt_tokens=_whole(said.prompt_tokens, middle.prompt_tokens, was.prompt_tokens),
        output_tokens=_whole(said.output_tokens, middle.output_tokens, was.output_tokens),
        cost=_money(said.cost, middle.cost, was.cost),
    )


def _whole(said: Whole, middle: int, was: int) -> Checked:
    return Checked(estimated=said, actual=was, inside=low(said) <= was <= high(said), error=_error(middle, was))


def _money(said: tuple[float, float] | None, middle: float | None, was: float | None) -> Checked:
    if said is None or was is None or middle is None:
        return Checked(estimated=said, actual=was, inside=None, error=None)
    slack = 1e-9  # sums of binary fractions
    return Checked(
        estimated=said, actual=was, inside=said[0] - slack <= was <= said[1] + slack, error=_error(middle, was)
    )


def _error(middle: float, was: float) -> float | None:
    if was == 0:
        return 0.0 if middle == 0 else None
    return round((middle - was) / was, 6)


def _sentence(estimate: Estimate, whole: StageBill) -> str:
    if estimate.cost is not None and whole.cost.actual is not None:
        verb = "it cost"
        was = dollars(float(whole.cost.actual))
        return f"The estimate was {dollar_range(estimate.cost)}; {verb} {was}."
    first, last = low(estimate.prompt_tokens), high(estimate.prompt_tokens)
    said = f"{first:,}" if first == last else f"{first:,} to {last:,}"
    return (
        f"The estimate was {said} prompt tokens; it took {whole.prompt_tokens.actual:,}. "
        "The money is unknown: no price is known for a model that was used."
    )
