"""What a run of indexing ends with: the object that `index --json` prints."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field, SerializerFunctionWrapHandler, model_serializer

from explorer.indexing.pilot_result import PilotResult
from explorer.tables.index_file import StageCalls

__all__ = ["FailedCall", "FileReason", "FileSummary", "IndexSummary", "PilotResult", "StageCalls", "Stopped"]


class FileReason(BaseModel):
    path: str
    reason: str


class FileSummary(BaseModel):
    """The fates of all files: indexed + unchanged + skipped + failed is the number of files found."""

    indexed: int = 0
    unchanged: int = 0
    skipped: list[FileReason] = Field(default_factory=list)
    failed: list[FileReason] = Field(default_factory=list)


class FailedCall(BaseModel):
    """A call that gave nothing, by the key under which the call store has it; it can be made again alone."""

    stage: str
    key: str
    subject: str = ""
    fate: str  # failed | malformed
    error: str = ""
    files: list[str] = Field(default_factory=list)


class Stopped(BaseModel):
    """The cap at which a run was ended: "max_cost" (US dollars) or "max_calls"."""

    name: str
    spent: float
    cap: float


class VectorsEnd(BaseModel):
    """How the stage of vectors ended: `state` is "made" (or as they should be already), "failed" or "stopped" with the
    reason in `sentence`, or "other_model", a question: vectors of another model are there and were left. Numbers are
    by table.
    """

    state: str
    sentence: str = ""
    model: str = ""
    dimension: int | None = None
    rows: dict[str, int] = Field(default_factory=dict)
    failed: dict[str, int] = Field(default_factory=dict)


class IndexSummary(BaseModel):
    """The result of one run: where the index is, what it holds, what every file became, what it cost.

    `partly` names files among the indexed ones of which some text units could not be read; `pilot` is there after a
    pilot, which makes no index; `stopped` where a cap ended the run; `failures` are the calls that gave nothing: the
    next run makes them again.
    """

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
    partly: list[FileReason] = Field(default_factory=list)
    failures: list[FailedCall] = Field(default_factory=list)
    pilot: PilotResult | None = None
    estimate: dict[str, object] | None = None
    bill: dict[str, object] | None = None  # the estimate against what was charged, after a run that had one
    stopped: Stopped | None = None
    vectors: VectorsEnd | None = None  # None where the run was not asked for them

    @model_serializer(mode="wrap")
    def _without_what_was_not(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """What only some runs have is left out where there is nothing of it."""
        plain: dict[str, Any] = handler(self)
        some = ("partly", "failures", "pilot", "estimate", "bill", "stopped", "vectors")
        return {name: value for name, value in plain.items() if value or name not in some}
