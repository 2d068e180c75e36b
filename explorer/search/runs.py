"""Runs are kept: one JSON trace a run, in the index's home."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from explorer.base.errors import InputError
from explorer.base.files import write_text_atomic
from explorer.search.trace import SCHEMA_VERSION, Trace

if TYPE_CHECKING:
    from explorer.tables.index import Index

_HEAD = 65_536  # characters in which the fields before the reports are expected
_HEAD_END = ',"reports":['  # in a compact trace these marks cannot stand inside a string: its quotes would be escaped


@dataclass(frozen=True)
class RunInfo:
    """A kept run, as far as a list shows it."""

    path: Path
    started: str
    question: str
    method: str
    status: str
    seconds: float


def runs_dir(index: Index) -> Path:
    return index.home / "runs"


def save_run(index: Index, trace: Trace) -> Path:
    """Write the trace whole or not at all, to runs/<time>-<short hash>.json. Raises StorageError in one sentence."""
    text = trace_json(trace)
    time = "".join(char for char in trace.started[:19] if char.isalnum())
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    path = runs_dir(index) / f"{time}Z-{digest}.json"
    write_text_atomic(path, text)
    return path


def trace_json(trace: Trace) -> str:
    """The trace as compact JSON, its calls last and one by one: at once they would hold the interpreter too long."""
    rest = trace.model_dump_json(exclude={"calls"})
    return f'{rest[:-1]},"calls":[{",".join(call.model_dump_json() for call in trace.calls)}]}}'


def list_runs(index: Index) -> list[RunInfo]:
    """The kept runs, newest first. A file that is no trace is left out."""
    found = [_info(path) for path in runs_dir(index).glob("*.json") if not path.name.startswith(".")]
    return sorted((info for info in found if info), key=lambda info: (info.started, info.path.name), reverse=True)


def load_run(path: Path) -> Trace:
    """Read a trace. Raises InputError in one sentence where the file is none, or of a newer schema."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The run {path} cannot be read ({type(error).__name__}); choose another file.") from error
    try:
        return Trace.model_validate_json(text)
    except ValidationError as error:
        newer = _version(text)
        if newer is not None and newer > SCHEMA_VERSION:
            raise InputError(
                f"The run {path.name} was written by a newer version of this program (schema {newer}, "
                f"known is {SCHEMA_VERSION}); nothing was changed. Update the program to read it."
            ) from error
        raise InputError(f"{path.name} is not the trace of a run; nothing was changed. Choose another file.") from error


def _info(path: Path) -> RunInfo | None:
    try:
        with path.open(encoding="utf-8") as handle:
            head = handle.read(_HEAD)
            end = head.find(_HEAD_END)
            value = json.loads(head[:end] + "}" if end >= 0 else head + handle.read())
        return RunInfo(
            path,
            str(value["started"]),
            str(value["question"]),
            str(value["method"]),
            str(value["answer"]["status"]),
            float(value["seconds"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _version(text: str) -> int | None:
    try:
        version = json.loads(text)["schema_version"]
    except (ValueError, KeyError, TypeError):
        return None
    return version if isinstance(version, int) else None
