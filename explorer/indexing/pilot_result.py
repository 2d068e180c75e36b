"""What a pilot saw: raw figures of every stage, from which the bill of the whole run can be extrapolated."""

from __future__ import annotations

from pydantic import BaseModel, Field


class PilotCall(BaseModel):
    """One call of the pilot. Tokens are those of the reply that stands, also where it came from the call store;
    `billed_…` and `cost` are what this run was charged (0 for a stored reply; cost None where no price is known).
    """

    subject: str = ""
    fate: str
    prompt_tokens: int = 0
    output_tokens: int = 0
    billed_prompt_tokens: int = 0
    billed_output_tokens: int = 0
    cost: float | None = None
    seconds: float = 0.0
    retries: int = 0


class PilotStage(BaseModel):
    """The calls of one stage. `wanted` is how many the pilot's text units or graph ask for: of descriptions and
    reports only a sample is made, because the whole run cannot use them again."""

    wanted: int = 0
    calls: list[PilotCall] = Field(default_factory=list)


class PilotUnit(BaseModel):
    """A text unit of the pilot and what was found in it; `failed` says why nothing could be."""

    id: str
    path: str
    tokens: int
    entities: int = 0
    relationships: int = 0
    claims: int = 0
    failed: str = ""


class GrowthPoint(BaseModel):
    """What is known after the first `text_units` units of the pilot: distinct entities and relationships, and how many
    of each stand in two units or more (those that will have several descriptions)."""

    text_units: int
    entities: int
    relationships: int
    repeated_entities: int
    repeated_relationships: int


class PilotResult(BaseModel):
    """A pilot of N text units. `text_units` and `tokens` (o200k_base) are those of the whole folder."""

    text_units: int
    tokens: int
    units: list[PilotUnit] = Field(default_factory=list)  # in the order they were chosen from the files
    entities: int = 0
    relationships: int = 0
    claims: int = 0
    communities: dict[int, int] = Field(default_factory=dict)  # level → number, of the pilot's own graph
    from_children: int = 0  # of these, communities whose members do not fit a report's context
    growth: list[GrowthPoint] = Field(default_factory=list)
    stages: dict[str, PilotStage] = Field(default_factory=dict)
    seconds: dict[str, float] = Field(default_factory=dict)  # stage of the pipeline → wall time
