"""What a question will cost before it is asked: reports, batches, calls, tokens and money, with no call made."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class PlannedBatch(BaseModel):
    model_config = ConfigDict(extra="forbid")

    report_ids: list[str]
    prompt_tokens: int  # of the messages as they would be sent: template, batch and question


class Plan(BaseModel):
    """The plan of a question over an index at a level.

    `report_tokens` are those of the rows that the batches hold; `sha256` is that of the batch texts joined by one NUL
    byte. A pair is a range, low and high. `cost` is in US dollars, null where no price is known.
    """

    model_config = ConfigDict(extra="forbid")

    reports: int
    report_tokens: int
    batches: list[PlannedBatch]
    sha256: str
    calls: dict[str, int | tuple[int, int]]
    prompt_tokens: int
    output_tokens: tuple[int, int]
    cost: tuple[float, float] | None
    # beside what the command line promises, for the window:
    level: int | None = None
    reports_mode: str = "roll_up"
    fates: dict[str, int] = Field(default_factory=dict)  # of the reports that will not be read, by reason
    notes: list[str] = Field(default_factory=list)
