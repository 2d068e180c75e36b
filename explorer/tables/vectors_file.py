"""vectors.json: which model made the vectors of an index, of which length, and how many.

It is taken away before tables are exchanged and written after, so that what it says is true of the tables there.
"""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from explorer.base.errors import OpenError
from explorer.base.files import write_text_atomic

SCHEMA_VERSION = 1
VECTORS_FILE = "vectors.json"


class VectorsInfo(BaseModel):
    """The content of vectors.json; numbers by table name."""

    model_config = ConfigDict(extra="ignore")

    schema_version: int = SCHEMA_VERSION
    connection: str  # who made them: "offline" or a connection's name
    model: str
    dimension: int
    created: str  # the day of the index (UTC), as the tables carry it
    rows: dict[str, int] = Field(default_factory=dict)
    empty: dict[str, int] = Field(default_factory=dict)  # texts with nothing in them, which have no vector
    failed: dict[str, int] = Field(default_factory=dict)  # texts whose call failed; the next run makes them again
    reason: str = ""  # why the first of them failed


def load_vectors_info(home: Path) -> VectorsInfo | None:
    """The vectors.json of a home; None where there is none or it is damaged (the vectors are then made again).

    Raises OpenError for one of a newer schema.
    """
    path = home / VECTORS_FILE
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    version = raw.get("schema_version") if isinstance(raw, dict) else None
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise OpenError(
            f"The vectors in {home} were made by a newer version of GraphRAG Explorer (schema {version}; this program "
            f"reads up to {SCHEMA_VERSION}); nothing was changed. Update the program."
        )
    try:
        return VectorsInfo.model_validate(raw)
    except ValidationError:
        return None


def save_vectors_info(home: Path, info: VectorsInfo) -> None:
    """Write vectors.json atomically. Raises StorageError."""
    text = json.dumps(info.model_dump(mode="json"), ensure_ascii=False, indent=1)
    write_text_atomic(home / VECTORS_FILE, text + "\n")
