"""What the indexing process calls. No Qt here: the child of `run_job` imports this module and nothing of the window."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from explorer.base.cancel import CancelScope
from explorer.base.events import EventSink


def index_in_child(folder: Path, home: Path | None, *, sink: EventSink, scope: CancelScope) -> Any:
    """Index a folder with the offline analyst; see explorer.indexing.run.index_folder."""
    from explorer.indexing.run import index_folder

    return index_folder(folder, home=home, sink=sink, scope=scope)
