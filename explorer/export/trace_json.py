"""The trace of a run as a JSON file."""

from __future__ import annotations

from pathlib import Path

from explorer.base.errors import InputError
from explorer.base.files import write_text_atomic
from explorer.export.target import target_file
from explorer.search.runs import list_runs, load_run
from explorer.search.trace import Trace
from explorer.tables.index import Index


def export_trace(index: Index, run: str | Path, out: Path) -> Path:
    """Write the trace that `run` names (see `find_run`); gives the file that was written."""
    return write_trace(load_run(find_run(index, run)), out)


def write_trace(trace: Trace, out: Path) -> Path:
    """Write a trace, indented, whole or not at all. Raises StorageError where the disk refuses."""
    target = target_file(out, "trace.json")
    write_text_atomic(target, trace.model_dump_json(indent=2) + "\n")
    return target


def find_run(index: Index, run: str | Path) -> Path:
    """The file of a run: a path to it, the name that it is kept under, the start of that name, or "last".

    Raises InputError where no run or more than one is meant.
    """
    kept = [info.path for info in list_runs(index)]
    name = str(run)
    if name == "last" and kept:
        return kept[0]
    exact = [path for path in kept if name in (path.name, path.stem)]
    matches = exact or [path for path in kept if name and path.name.startswith(name)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise InputError(f"{len(matches)} runs begin with {name!r}; give more of the name. Nothing was written.")
    path = Path(run).expanduser()
    if path.is_file():
        return path
    known = f"its newest run is {kept[0].stem}" if kept else "it keeps no run yet"
    raise InputError(f"{index.name} has no run {name!r} ({known}); nothing was written.")
