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


# What a connection to a language model needs besides: only who has set one up waits for it.
MODEL_MODULES = (
    "explorer.search.ask_model",
    "explorer.models.call_store",
    "openai",
    "openai.types.chat",
    "openai.resources.chat",
    "explorer.models.client",
)


def warm_up(places: Iterable[str], scope: CancelScope) -> None:
    """Import the modules of the places and MODULES, and unpack the vocabulary that plans count with.

    Where connections are set up, what they need too.
    """
    _import((*places, *MODULES), scope)
    from explorer.base.tokens import count_tokens
    from explorer.models.connections import connections_file

    count_tokens("ready")
    if connections_file().is_file():
        warm_up_models(scope)
    if os.name == "posix":
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()  # the first process of a job would start this helper as well


def warm_up_models(scope: CancelScope) -> None:
    """Import what calls to a model need, and unpack the vocabulary of newer models; the second time does nothing."""
    _import(MODEL_MODULES, scope)
    from explorer.base.tokens import count_tokens

    count_tokens("ready", "o200k_base")


def _import(names: Iterable[str], scope: CancelScope) -> None:
    for name in names:
        scope.checkpoint()
        if importlib.util.find_spec(name.partition(".")[0]) is not None:
            importlib.import_module(name)
        time.sleep(0.002)  # lets the window have its turn
