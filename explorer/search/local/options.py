"""The knobs of local search, by GraphRAG's names, with its defaults."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from explorer.base.tokens import EncodingName


class LocalOptions(BaseModel):
    """What a local search may be told. The two shares are of `max_context_tokens`; entities get the rest."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    level: int | None = Field(default=2, ge=0)
    max_context_tokens: int = Field(default=12_000, ge=1)
    text_unit_prop: float = Field(default=0.5, ge=0, le=1)
    community_prop: float = Field(default=0.15, ge=0, le=1)
    top_k_entities: int = Field(default=10, ge=1)  # twice as many are looked for, and all of them are used
    top_k_relationships: int = Field(default=10, ge=0)
    tokenizer: EncodingName = "cl100k_base"
