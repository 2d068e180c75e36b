"""The knobs of indexing, under GraphRAG's names, with its defaults."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Grade = Literal["auto", "patterns", "spacy"]


class IndexOptions(BaseModel):
    """What decides an index besides its files.

    `chunk_size` and `chunk_overlap` are o200k_base tokens; a community of `max_cluster_size` or more entities is
    split where Leiden can; `use_lcc` clusters the largest component only; `max_input_tokens` is the budget of one
    report's context in cl100k_base tokens; `grade` chooses the offline analyst's grade.

    For a language model alone: `entity_types` are those it may name (None: whatever it finds), `max_gleanings` how
    often it is asked for what it missed in a text unit, `claims` whether it looks for claims as well, and
    `max_report_length` the words that a report may have.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    chunk_size: int = 1200
    chunk_overlap: int = 100
    seed: int = Field(default=0xDEADBEEF, ge=0, le=0xFFFFFFFF)
    max_cluster_size: int = Field(default=10, ge=1)
    use_lcc: bool = False
    max_input_tokens: int = Field(default=8000, ge=1)
    grade: Grade = "auto"
    entity_types: tuple[str, ...] | None = None
    max_gleanings: int = Field(default=1, ge=0, le=10)
    claims: bool = False
    max_report_length: int = Field(default=2000, ge=50)
