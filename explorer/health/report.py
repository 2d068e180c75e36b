"""What a check-up ends with: the object that `doctor --json` prints."""

from __future__ import annotations

from pydantic import BaseModel, Field


class TableLine(BaseModel):
    """A table: "read", "missing" or "unreadable", its rows, and the reason or a remark."""

    name: str
    state: str
    rows: int = 0
    reason: str = ""


class Defect(BaseModel):
    """One kind of defect: how often, one example, and what to do about it."""

    kind: str
    count: int
    example: str = ""
    remedy: str = ""


class Loss(BaseModel):
    """One kind of loss on the way to an index: how many of how many, an example, and one sentence."""

    kind: str
    count: int
    of: int
    example: str = ""
    sentence: str


class CheckUp(BaseModel):
    """`version` is that of the tables' GraphRAG schema, or of this program for a check of the machine.

    `other_runs` could have been opened in place of this one; `losses` are no defects: what GraphRAG left out.
    """

    version: str
    tables: list[TableLine] = Field(default_factory=list)
    defects: list[Defect] = Field(default_factory=list)
    made_by: str = ""
    path: str = ""
    other_runs: list[str] = Field(default_factory=list)
    losses: list[Loss] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)

    @property
    def sound(self) -> bool:
        return not self.defects
