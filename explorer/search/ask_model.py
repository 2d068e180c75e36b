"""A question answered by a language model: its calls kept in the index's home, so that asking again costs nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from explorer.analysts.model.search import ModelSearchAnalyst
from explorer.analysts.prompts import PROMPTS_NAME, Prompts
from explorer.base.cancel import CancelScope
from explorer.base.events import EventSink, ignore
from explorer.models.connection import Connection
from explorer.search.global_search import global_search
from explorer.search.options import GlobalOptions
from explorer.search.parse_points import read_map_reply
from explorer.search.sent import MapMessages
from explorer.search.trace import Trace
from explorer.search.watch import RunWatch

if TYPE_CHECKING:
    from explorer.tables.index import Index

STAGES = ("map", "reduce")


async def ask_model(
    index: Index,
    question: str,
    options: GlobalOptions,
    connection: Connection,
    key: str | None,
    *,
    sink: EventSink = ignore,
    scope: CancelScope | None = None,
    max_cost: float | None = None,
    max_calls: int | None = None,
    anew: Iterable[str] = (),
    retry: frozenset[str] | None = None,
) -> Trace:
    """Ask a question of an index through a connection; `global_search` says what the trace holds.

    Parameters
    ----------
    key: what the connection's server is sent; it stands in no trace, event or error.
    max_cost, max_calls: caps in US dollars and calls; at one the run waits until the scope raises it or is cancelled.
    anew: keys of calls that are made again by hand, whatever they brought.
    retry: which calls that failed before are made again: None is all of them, else those with these keys.

    Raises InputError where the index cannot be rolled up, an edited prompt cannot be used, or a cap in money cannot be
    kept because a price is unknown; StorageError where the call store cannot be opened.
    """
    from explorer.models.call_store import CALLS_NAME, CallStore
    from explorer.models.client import ModelClient
    from explorer.models.prices import refuse_unpriced

    if max_cost is not None:
        refuse_unpriced(connection, [connection.model_for(stage) for stage in STAGES])
    watch = RunWatch(sink)
    prompts = project_prompts(index)
    with CallStore(index.home / CALLS_NAME) as store:
        for call in sorted(set(anew)):
            store.repeat(call)
        client = ModelClient(
            connection,
            key,
            store,
            sink=watch.sink,
            scope=scope,
            max_cost=max_cost,
            max_calls=max_calls,
            retry=retry,
        )
        try:
            analyst = ModelSearchAnalyst(
                client,
                name=connection.name,
                models={stage: connection.model_for(stage) for stage in STAGES},
                read_points=read_map_reply,
                max_length=options.map_max_length,
                reduce_max_length=options.reduce_max_length,
                response_type=options.response_type,
                prompts=prompts,
                count_fits=client.tokenizer == options.tokenizer,
            )
            notes = model_notes(connection, prompts)
            return await global_search(
                index, question, analyst, options, sink=sink, scope=scope, watch=watch, notes=notes
            )
        finally:
            await client.aclose()


def model_defaults(connection: Connection | None) -> dict[str, object]:
    """The knobs whose default is the connection's own: its tokenizer and how many calls it takes at one time.

    The tokenizer is that of the connection, else of its model, else cl100k_base, as GraphRAG's command line in effect
    counts; the offline analyst has GraphRAG's defaults.
    """
    if connection is None:
        return {}
    from explorer.base.tokens import encoding_of

    tokenizer = connection.tokenizer or encoding_of(connection.model_for("map")) or "cl100k_base"
    return {"tokenizer": tokenizer, "concurrency": connection.concurrency}


def project_prompts(index: Index) -> Prompts:
    """The prompts of an index: those edited in its home, and the shipped ones for the others. Raises InputError."""
    return Prompts(index.home / PROMPTS_NAME)


def stored_batches(index: Index, sent: Sequence[MapMessages], connection: Connection) -> int:
    """How many of the map calls have a reply in the call store already, and would cost nothing.

    Raises StorageError where the store cannot be read.
    """
    from explorer.analysts.model.schemas import MAP_POINTS
    from explorer.models.call_store import CALLS_NAME, CallStore, call_key
    from explorer.models.open_client import server_address
    from explorer.models.stored_call import HAND

    path = index.home / CALLS_NAME
    if not path.is_file():
        return 0
    schema = {MAP_POINTS.name: MAP_POINTS.schema}
    parameters = {**connection.parameters, **connection.stage_parameters.get("map", {})}
    address, model = server_address(connection), connection.model_for("map")
    with CallStore(path) as store:
        keys = []
        for call in sent:
            messages = [(message.role, message.content) for message in call.messages]

            def key(ordinal: int, messages: list[tuple[str, str]] = messages) -> str:
                return call_key(
                    base_url=address,
                    model=model,
                    messages=messages,
                    parameters=parameters,
                    schema=schema,
                    ordinal=ordinal,
                )

            keys.append(key(store.repeats(key(0)) * HAND))
        return len(store.known(keys))


def model_notes(connection: Connection, prompts: Prompts) -> list[str]:
    """What a person should know of a run with this connection: prices that are not known, prompts that were edited."""
    from explorer.models.prices import price_for

    models = sorted({connection.model_for(stage) for stage in STAGES})
    unknown = [model for model in models if price_for(connection, model) is None]
    notes = [f"No price is known for the model {model!r}: its calls have no cost." for model in unknown]
    edited = [name for name in prompts.edited if name in ("map_points", "reduce")]
    if edited:
        notes.append(f"Prompts edited in this project were sent: {', '.join(edited)}.")
    return notes
