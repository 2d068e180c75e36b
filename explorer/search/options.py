"""The knobs of global search, by GraphRAG's names, with its defaults."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from explorer.base.tokens import EncodingName

ReportsMode = Literal["roll_up", "at_or_below"]


class GlobalOptions(BaseModel):
    """What a global search may be told. Raises pydantic's ValidationError for a value out of its range.

    `reports` chooses which reports stand for a level: "roll_up" takes each entity's deepest community at or below it,
    "at_or_below" every report at or below it, as GraphRAG since 2.0 really sends them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    level: int | None = Field(default=2, ge=0)  # GraphRAG's community_level; None is every level
    reports: ReportsMode = "roll_up"
    max_context_tokens: int = Field(default=12000, ge=1)  # of a map batch
    data_max_tokens: int = Field(default=12000, ge=0)  # of the points in the reduce prompt
    map_max_length: int = Field(default=1000, ge=1)  # words, asked of the map reply
    reduce_max_length: int = Field(default=2000, ge=1)  # words, asked of the answer
    response_type: str = "Multiple Paragraphs"
    concurrency: int = Field(default=25, ge=1)
    min_community_rank: float = Field(default=0, allow_inf_nan=False)
    use_community_summary: bool = False  # batches of summaries in place of full contents
    shuffle_seed: int = 86  # GraphRAG's random_state
    tokenizer: EncodingName = "cl100k_base"
    nearest_ancestor: bool = False  # beside GraphRAG: an ancestor's report stands for a community without one
    keep_filling: bool = False  # beside GraphRAG: go on packing after the first point that does not fit
    as_model: str | None = None  # price the calls as this model would be charged
