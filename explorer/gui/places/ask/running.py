"""What this place asks the engine for. These functions run on worker threads, except `save_trace`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from explorer.base.cancel import CancelScope
from explorer.base.errors import ExplorerError
from explorer.base.events import EventSink

_SHOWN_RUNS = 30
OFFLINE = "offline"


@dataclass(frozen=True)
class Who:
    """Who answers: a connection by its name, where its key is asked for, and what may be spent.

    `keys` gives the key of a connection (Keys). `anew` are keys of calls that are made again by hand, and `retry`
    those of failed calls that are (None: all of them).
    """

    name: str = OFFLINE
    keys: Any = None
    max_cost: float | None = None
    max_calls: int | None = None
    anew: frozenset[str] = frozenset()
    retry: frozenset[str] | None = None


@dataclass(frozen=True)
class Planned:
    """A plan, and what of the connection the page shows: the models, and the defaults of knobs that nobody turned."""

    plan: Any
    models: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)


def ask(
    index: Any, question: str, options: Any, turned: frozenset[str], who: Who, sink: EventSink, scope: CancelScope
) -> Any:
    """Answer a question and keep its trace with the index; a coroutine of the trace.

    Knobs that were not `turned` have the connection's own values.
    """
    from explorer.search.runs import save_run

    connection = find(who.name)
    options = fit(options, turned, connection)
    key = None if connection is None else who.keys.get(connection)

    async def run() -> Any:
        if connection is None:
            trace = await _ask_offline(index, question, options, sink, scope)
        else:
            from explorer.search.ask_model import ask_model

            trace = await ask_model(
                index,
                question,
                options,
                connection,
                key,
                sink=sink,
                scope=scope,
                max_cost=who.max_cost,
                max_calls=who.max_calls,
                anew=who.anew,
                retry=who.retry,
            )
        await asyncio.to_thread(save_run, index, trace)
        return trace

    return run()


async def _ask_offline(index: Any, question: str, options: Any, sink: EventSink, scope: CancelScope) -> Any:
    from explorer.analysts.offline.analyst import OfflineAnalyst
    from explorer.search.global_search import global_search

    analyst = OfflineAnalyst.for_index(
        index,
        tokenizer=options.tokenizer,
        max_length=options.map_max_length,
        reduce_max_length=options.reduce_max_length,
        response_type=options.response_type,
    )
    try:
        return await global_search(index, question, analyst, options, sink=sink, scope=scope)
    finally:
        analyst.close()


def project_knobs(index: Any) -> Any:
    """What the settings.yaml of an open index's project says of the knobs (Taken), None without one."""
    settings = getattr(index, "settings", None)
    if settings is None:
        return None
    from explorer.search.project_settings import search_settings

    return search_settings(settings)


def find(name: str) -> Any:
    """The connection of that name, None for the offline analyst. Raises InputError where it is gone."""
    if name == OFFLINE:
        return None
    from explorer.models.connections import find_connection

    return find_connection(name)


def fit(options: Any, turned: frozenset[str], connection: Any) -> Any:
    """The options with the connection's own values for the knobs that were not turned."""
    from explorer.search.ask_model import model_defaults

    defaults = model_defaults(connection)
    return options.model_copy(update={name: value for name, value in defaults.items() if name not in turned})


def retried(trace: Any, who: Who, call: Any) -> tuple[Any, frozenset[str], Who]:
    """The options, turned knobs and who, to ask a run again with its own knobs: its failed calls, or one `call`.

    With one call only that one is made again, and what the answer needs; others that failed stay as they are.
    """
    from dataclasses import replace

    from explorer.search.options import GlobalOptions

    knobs = {name: value for name, value in trace.parameters.items() if name in GlobalOptions.model_fields}
    if call is not None:
        answers = frozenset(each.key for each in trace.calls if each.stage == "reduce" and each.key)
        who = replace(who, anew=frozenset((call.key,)), retry=answers)
    return GlobalOptions.model_validate(knobs), frozenset(knobs), who


def make_plan(index: Any, options: Any, turned: frozenset[str], question: str, name: str) -> Planned:
    """What the question would cost through a connection."""
    from explorer.planning.plan import plan
    from explorer.search.ask_model import model_defaults

    connection = find(name)
    made = plan(index, fit(options, turned, connection), question, connection=connection)
    return Planned(made, made.models, model_defaults(connection))


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
