"""A language model in a run: its client, its analyst and the loop of its calls, opened together and closed together."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.analysts.judgements import IndexAnalyst
from explorer.base.cancel import CancelScope
from explorer.base.events import EventSink, Notice, ignore
from explorer.indexing.options import IndexOptions
from explorer.models.call_store import CALLS_NAME, CallStore
from explorer.models.connection import Connection

if TYPE_CHECKING:
    from explorer.models.client import ModelClient
    from explorer.models.loop import ModelLoop

CHAT_STAGES = ("extract", "glean", "claims", "describe", "reports")
_BESIDE_CONTEXT = 3000  # tokens of a report's call besides its context: the prompt, the schema, the reply
_SMALLEST_CONTEXT = 500


@dataclass(frozen=True)
class ModelSession:
    """What is open while a model works for a run. `signature` is all of it that decides what is judged."""

    analyst: IndexAnalyst
    client: ModelClient
    loop: ModelLoop
    store: CallStore
    signature: tuple[str, ...]


@contextmanager
def model_analyst(
    home: Path,
    options: IndexOptions,
    connection: Connection,
    key: str | None,
    *,
    sink: EventSink = ignore,
    scope: CancelScope | None = None,
    max_cost: float | None = None,
    max_calls: int | None = None,
    retry: frozenset[str] | None = None,
) -> Iterator[ModelSession]:
    """The analyst of a connection for one run, its calls kept in the home.

    Parameters
    ----------
    key: the secret of the connection, which is kept nowhere; None for a server that asks for none.
    max_cost, max_calls: caps of this run in US dollars and calls; what comes from the call store counts for neither.
    retry: which failed calls are made again; None: all of them.

    Raises StorageError, InputError for an edited prompt that cannot be used.
    """
    from explorer.analysts.model.analyst import ModelAnalyst
    from explorer.analysts.prompts import INDEX_PROMPTS, PROMPTS_NAME, Prompts
    from explorer.models.client import ModelClient
    from explorer.models.loop import ModelLoop

    async def open_client(store: CallStore) -> ModelClient:  # a client is made inside the loop that it works in
        return ModelClient(
            connection,
            key,
            store,
            sink=sink,
            scope=scope,
            max_cost=max_cost,
            max_calls=max_calls,
            retry=retry,
        )

    prompts = Prompts(home / PROMPTS_NAME)
    with CallStore(home / CALLS_NAME) as store, ModelLoop() as loop:
        client = loop.run(open_client(store))
        try:
            analyst = ModelAnalyst(
                client,
                loop,
                name=connection.name,
                grade=models_in_words(connection),
                entity_types=options.entity_types,
                max_gleanings=options.max_gleanings,
                claims=options.claims,
                max_report_length=options.max_report_length,
                prompts=prompts,
                tokenizer=client.tokenizer,
            )
            yield ModelSession(
                analyst, client, loop, store, model_signature(connection, prompts.fingerprint(*INDEX_PROMPTS))
            )
        finally:
            with suppress(RuntimeError):  # the loop is closed already where the program is interrupted
                loop.run(client.aclose())


def models_in_words(connection: Connection) -> str:
    """The chat models of a connection for indexing, each once, the most used first."""
    names = [connection.model_for(stage) for stage in CHAT_STAGES]
    return ", ".join(sorted(dict.fromkeys(names), key=lambda name: (-names.count(name), name)))


def model_signature(connection: Connection, prompts: str) -> tuple[str, ...]:
    """What has to be the same for a model to judge the same: where it is, which one, how it is asked."""
    parts = {
        "kind": connection.kind,
        "base_url": connection.base_url,
        "models": {stage: connection.model_for(stage) for stage in CHAT_STAGES},
        "parameters": connection.parameters,
        "stage_parameters": connection.stage_parameters,
        "prompts": prompts,
    }
    text = json.dumps(parts, sort_keys=True, default=str)
    return connection.name, hashlib.sha256(text.encode()).hexdigest()


def report_budget(options: IndexOptions, connection: Connection, sink: EventSink) -> int:
    """Tokens that a report's context may have: `max_input_tokens`, or less where the model's window holds less.

    It is said where it is less.
    """
    window = connection.context_window
    if window is None:
        return options.max_input_tokens
    fits = max(_SMALLEST_CONTEXT, window - _BESIDE_CONTEXT)
    if fits >= options.max_input_tokens:
        return options.max_input_tokens
    sink(
        Notice(
            f"The context window of {connection.name} is {window:,} tokens: reports are written from {fits:,} tokens "
            f"instead of {options.max_input_tokens:,}."
        )
    )
    return fits
