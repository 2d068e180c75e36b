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


class CheckUp(BaseModel):
    """`version` is that of the tables' GraphRAG schema, or of this program for a check of the machine."""

    version: str
    tables: list[TableLine] = Field(default_factory=list)
    defects: list[Defect] = Field(default_factory=list)

    @property
    def sound(self) -> bool:
        return not self.defects
