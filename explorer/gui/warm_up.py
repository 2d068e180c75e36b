"""What the first jobs need, imported once after the window stands: an import in the middle of a job would hold it.

Importing holds the interpreter while a module is compiled or a native library is loaded. Before the window it would
keep the person waiting, in a job it would make the window stutter; here nothing moves yet.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import time
from collections.abc import Iterable

from explorer.base.cancel import CancelScope

MODULES = (
    "pyarrow.parquet",
    "explorer.tables.index",
    "explorer.tables.write",
    "explorer.corpus.folder",
    "explorer.base.jobs",
    "explorer.gui.indexing_job",
    "explorer.graph.layout_store",
    "explorer.search.global_search",
    "explorer.search.runs",
    "explorer.search.suggest",
    "explorer.planning.plan",
    "explorer.analysts.offline.analyst",
    "explorer.analysts.offline.word_index",
    "explorer.analysts.offline.map_points",
    "explorer.analysts.offline.reduce",
    "explorer.indexing.contexts",
    "explorer.indexing.summary",
    "multiprocessing.popen_spawn_posix" if os.name == "posix" else "multiprocessing.popen_spawn_win32",
    "json_repair",
)


def warm_up(places: Iterable[str], scope: CancelScope) -> None:
    """Import the modules of the places and MODULES, and unpack the vocabulary that plans count with."""
    for name in (*places, *MODULES):
        scope.checkpoint()
        if importlib.util.find_spec(name.partition(".")[0]) is not None:
            importlib.import_module(name)
        time.sleep(0.002)  # lets the window have its turn
    from explorer.base.tokens import count_tokens

    count_tokens("ready")
    if os.name == "posix":
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()  # the first process of a job would start this helper as well
