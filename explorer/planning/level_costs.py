"""What the two meanings of a level send, level by level: the reports, calls, tokens and money of a question."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from explorer.base.errors import ExplorerError
from explorer.base.token_cache import TokenCounter
from explorer.planning.plan import Plan, plan
from explorer.search.options import GlobalOptions
from explorer.search.project_settings import search_settings
from explorer.tables.index import Index


class Sent(BaseModel):
    """What a level sends in one of its meanings; pairs are low and high, `cost` is null where no price is known."""

    model_config = ConfigDict(extra="forbid")

    reports: int
    report_tokens: int
    calls: tuple[int, int]
    prompt_tokens: int
    output_tokens: tuple[int, int]
    cost: tuple[float, float] | None

    def less(self, other: Sent) -> Sent:
        """The difference of each figure."""
        mine, theirs = self.cost, other.cost
        return Sent(
            reports=self.reports - other.reports,
            report_tokens=self.report_tokens - other.report_tokens,
            calls=(self.calls[0] - other.calls[0], self.calls[1] - other.calls[1]),
            prompt_tokens=self.prompt_tokens - other.prompt_tokens,
            output_tokens=(
                self.output_tokens[0] - other.output_tokens[0],
                self.output_tokens[1] - other.output_tokens[1],
            ),
            cost=None
            if mine is None or theirs is None
            else (round(mine[0] - theirs[0], 9), round(mine[1] - theirs[1], 9)),
        )


class LevelCost(BaseModel):
    """A level in both meanings; None where the index cannot be asked so, and then `reason` says why."""

    model_config = ConfigDict(extra="forbid")

    level: int
    roll_up: Sent | None = None
    at_or_below: Sent | None = None
    difference: Sent | None = None  # at_or_below less roll_up
    reason: str = ""


def level_costs(index: Index, *, as_model: str | None = None) -> list[LevelCost]:
    """A line a level of the index, ascending; [] for an index without communities or without reports.

    Counted as `plan` counts, with the budgets of the project's settings. `as_model` is whose prices make the money.
    """
    if not index.reports:
        return []
    taken = {} if index.settings is None else dict(search_settings(index.settings, {}).values)
    found = []
    with TokenCounter(GlobalOptions().tokenizer, index.home) as counter:
        for level in index.levels:
            line = LevelCost(level=level)
            for mode in ("roll_up", "at_or_below"):
                options = GlobalOptions.model_validate({**taken, "level": level, "reports": mode, "as_model": as_model})
                try:
                    sent = _sent(plan(index, options, counter=counter))
                except ExplorerError as error:
                    line.reason = error.sentence
                    continue
                setattr(line, mode, sent)
            if line.roll_up is not None and line.at_or_below is not None:
                line.difference = line.at_or_below.less(line.roll_up)
            found.append(line)
    return found


def _sent(made: Plan) -> Sent:
    calls = [value if isinstance(value, tuple) else (value, value) for value in made.calls.values()]
    return Sent(
        reports=made.reports,
        report_tokens=made.report_tokens,
        calls=(sum(low for low, _ in calls), sum(high for _, high in calls)),
        prompt_tokens=made.prompt_tokens,
        output_tokens=made.output_tokens,
        cost=made.cost,
    )
