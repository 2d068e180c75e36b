"""What a run of indexing ends with: the object that `index --json` prints."""

from __future__ import annotations

from pydantic import BaseModel, Field


class FileReason(BaseModel):
    path: str
    reason: str


class FileSummary(BaseModel):
    """The fates of all files: indexed + unchanged + skipped + failed is the number of files found."""

    indexed: int = 0
    unchanged: int = 0
    skipped: list[FileReason] = Field(default_factory=list)
    failed: list[FileReason] = Field(default_factory=list)


class StageCalls(BaseModel):
    """Model calls of one stage. `cost` is in USD, None where no price is known (offline has none)."""

    count: int = 0
    cached: int = 0
    failed: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None


class IndexSummary(BaseModel):
    """The result of one run: where the index is, what it holds, what every file became, what it cost."""

    index: str
    files: FileSummary
    documents: int = 0
    text_units: int = 0
    entities: int = 0
    relationships: int = 0
    claims: int = 0
    communities: dict[int, int] = Field(default_factory=dict)  # level → number
    reports: int = 0
    calls: dict[str, StageCalls] = Field(default_factory=dict)  # stage → calls
    seconds: dict[str, float] = Field(default_factory=dict)  # stage → seconds
