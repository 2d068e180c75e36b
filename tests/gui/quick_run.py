"""The window's own way of indexing, in a process of its own, in the grade that starts fastest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from explorer.base.cancel import CancelScope
from explorer.base.events import EventSink
from explorer.base.jobs import run_job


def index_by_patterns(folder: Path, home: Path | None, *, sink: EventSink, scope: CancelScope) -> Any:
    from explorer.indexing.options import IndexOptions
    from explorer.indexing.run import index_folder

    return index_folder(folder, home=home, options=IndexOptions(grade="patterns"), sink=sink, scope=scope)


def quick_runner(folder: Path, home: Path | None, sink: EventSink, scope: CancelScope) -> Any:
    return run_job(index_by_patterns, folder, home, sink=sink, scope=scope)
