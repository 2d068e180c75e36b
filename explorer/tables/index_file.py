"""index.json: what made an index, and from which files. It is written last, so its `complete` can be trusted."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from explorer.base.errors import OpenError
from explorer.base.files import write_text_atomic

SCHEMA_VERSION = 1
FILE_NAME = "index.json"


class DamagedIndexFile(OpenError):
    """index.json cannot be read; the tables beside it may still be sound."""


class InputInfo(BaseModel):
    """A source file as it was when it was indexed; `fate` and `reason` are those of that run."""

    sha256: str
    size: int
    fate: str = "indexed"
    reason: str = ""
    documents: int = 0
    text_units: int = 0
    tokens: int = 0
    failed_units: int = 0  # text units that no call could read


class StageCalls(BaseModel):
    """Model calls of one stage: `count` were asked for, `cached` of them came from the call store.

    Tokens, retries and `cost` (US dollars, None where no price is known; offline has none) are what the run was
    charged, all attempts together. `malformed` and `failed` calls gave nothing, `repaired` ones a part or all.
    """

    count: int = 0
    cached: int = 0
    failed: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    repaired: int = 0
    malformed: int = 0
    retries: int = 0


class LeidenInfo(BaseModel):
    """How the communities were found. `start` is "fresh" or "old communities"; of the latter `joined` counts new
    titles that began in an old community, `alone` those that began on their own."""

    algorithm: str = ""
    runs: int = 0
    modularity: float = 0.0
    max_cluster_size: int = 10
    use_lcc: bool = False
    dropped: dict[str, int] = Field(default_factory=dict)
    start: str = "fresh"
    joined: int = 0
    alone: int = 0


class IndexInfo(BaseModel):
    """The content of index.json. Unknown fields of the same schema version are kept out, not refused."""

    model_config = ConfigDict(extra="ignore")

    schema_version: int = SCHEMA_VERSION
    created: str  # the day the index was made (UTC), the period of its communities
    connection: str = "offline"
    grade: str = ""
    seed: int = 0xDEADBEEF
    chunk_size: int = 1200
    chunk_overlap: int = 100
    max_input_tokens: int = 8000
    leiden: LeidenInfo = Field(default_factory=LeidenInfo)
    inputs: dict[str, InputInfo] = Field(default_factory=dict)  # path (forward slashes) → what it was
    counts: dict[str, int] = Field(default_factory=dict)  # rows by table
    levels: dict[int, int] = Field(default_factory=dict)  # level → communities
    dropped: dict[str, int] = Field(default_factory=dict)  # what extraction and communities left out, by reason
    fingerprint: str = ""  # of everything that decides the tables besides the inputs
    models: dict[str, str] = Field(default_factory=dict)  # stage → model; empty offline
    failed_calls: dict[str, int] = Field(default_factory=dict)  # stage → calls that gave nothing
    bill: dict[str, StageCalls] = Field(default_factory=dict)  # stage → what the last run was charged; empty offline
    estimate: dict[str, object] | None = None  # what was said before the run that it would cost
    folder: str | None = None  # where the documents are, if that is not the folder that holds the home
    complete: bool = False


def load_info(home: Path) -> IndexInfo | None:
    """The index.json of a home, or None where there is none.

    Raises OpenError for an index of a newer schema, DamagedIndexFile where the file cannot be read.
    """
    path = home / FILE_NAME
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise DamagedIndexFile(
            f"{path} cannot be read ({_short(error)}); the tables beside it are kept. "
            "Index the folder again to renew it."
        ) from error
    version = raw.get("schema_version") if isinstance(raw, dict) else None
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise OpenError(
            f"The index in {home} was made by a newer version of GraphRAG Explorer (schema {version}; this program "
            f"reads up to {SCHEMA_VERSION}); nothing was changed. Update the program, or index into another place "
            "with --index."
        )
    try:
        return IndexInfo.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise DamagedIndexFile(
            f"{path} is not an index file of this program ({where}: {first['msg']}); the tables beside it are kept. "
            "Index the folder again to renew it."
        ) from error


def save_info(home: Path, info: IndexInfo) -> None:
    """Write index.json atomically, with sorted inputs. Raises StorageError."""
    ordered = info.model_copy(update={"inputs": dict(sorted(info.inputs.items()))})
    text = json.dumps(ordered.model_dump(mode="json"), ensure_ascii=False, indent=1)
    write_text_atomic(home / FILE_NAME, text + "\n")


def _short(error: Exception) -> str:
    return str(error).splitlines()[0][:120] or type(error).__name__
