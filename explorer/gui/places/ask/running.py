"""What this place asks the engine for. These functions run on worker threads, except `save_trace`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from explorer.base.cancel import CancelScope
from explorer.base.errors import ExplorerError
from explorer.base.events import EventSink

_SHOWN_RUNS = 30


def ask(index: Any, question: str, options: Any, sink: EventSink, scope: CancelScope) -> Any:
    """Answer a question and keep its trace with the index; a coroutine of the trace."""
    from explorer.analysts.offline.analyst import OfflineAnalyst
    from explorer.search.global_search import global_search
    from explorer.search.runs import save_run

    async def run() -> Any:
        analyst = OfflineAnalyst.for_index(
            index,
            tokenizer=options.tokenizer,
            max_length=options.map_max_length,
            reduce_max_length=options.reduce_max_length,
            response_type=options.response_type,
        )
        try:
            trace = await global_search(index, question, analyst, options, sink=sink, scope=scope)
        finally:
            analyst.close()
        await asyncio.to_thread(save_run, index, trace)
        return trace

    return run()


def make_plan(index: Any, options: Any, question: str) -> Any:
    """What the question would cost."""
    from explorer.planning.plan import plan

    return plan(index, options, question)


def earlier_runs(index: Any) -> list[tuple[str, Path]]:
    """The newest runs of an index with a line for each; the newest first."""
    from explorer.search.runs import list_runs

    return [
        (f"{run.started[:16].replace('T', ' ')}  {' '.join(run.question.split())[:60]}", run.path)
        for run in list_runs(index)[:_SHOWN_RUNS]
    ]


def save_trace(parent: QWidget, trace: Any) -> None:
    """Ask for a file and write the trace to it; says in one sentence why, where that fails."""
    from explorer.export.trace_json import write_trace

    name, _ = QFileDialog.getSaveFileName(parent, "Export the trace", "trace.json", "JSON (*.json)")
    if not name:
        return
    try:
        write_trace(trace, Path(name))
    except ExplorerError as error:
        QMessageBox.warning(parent, "Export the trace", error.sentence)
