"""What the window's job of vectors calls, on a worker thread and in its process. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from explorer.base.cancel import CancelScope
from explorer.base.errors import InputError
from explorer.base.events import EventSink
from explorer.models.connection import OFFLINE, Connection


@dataclass(frozen=True)
class VectorPlan:
    """What an index's vectors need. `connection` would make them, None is the offline model; `sentence` says why
    nothing can be made ("" where it can).
    """

    state: Any = None  # VectorState
    connection: Connection | None = None
    model: str = ""
    sentence: str = ""


def plan_vectors(index: Any) -> VectorPlan:
    """Whether an index of ours needs vectors, and who would make them: the connection that made the index where it has
    an embedding model, else the offline model.
    """
    from explorer.analysts.offline.vectors import OfflineEmbedder, why_not
    from explorer.indexing.vector_state import state_of
    from explorer.indexing.vector_texts import vector_texts
    from explorer.tables.vectors import no_lancedb

    connection = _connection_of(index)
    sentence = no_lancedb() or (why_not() if connection is None else "")
    if sentence:
        return VectorPlan(sentence=sentence)
    embedder = OfflineEmbedder() if connection is None else None
    model = embedder.model if embedder is not None else connection.model_for("embed") if connection is not None else ""
    state = state_of(index, vector_texts(index), model, embedder.dimension if embedder is not None else None)
    return VectorPlan(state, connection, model)


def vectors_in_child(
    home: Path, connection: Connection | None, key: str | None, renew: bool, *, sink: EventSink, scope: CancelScope
) -> Any:
    """Make the vectors of the index in `home`; see explorer.indexing.vectors.make_vectors.

    A question about another model's vectors is the result, not an error: the window asks it in its own way.
    """
    from explorer.indexing.vector_state import OtherVectors
    from explorer.indexing.vectors import make_vectors

    try:
        if connection is None:
            from explorer.analysts.offline.vectors import OfflineEmbedder

            return make_vectors(home, OfflineEmbedder(), sink=sink, scope=scope, renew=renew)
        from explorer.analysts.model.embedder import ModelEmbedder
        from explorer.indexing.model import model_analyst
        from explorer.indexing.options import IndexOptions

        with model_analyst(home, IndexOptions(), connection, key, sink=sink, scope=scope) as model:
            embedder = ModelEmbedder(model.client, model.loop, connection=connection)
            return make_vectors(home, embedder, sink=sink, scope=scope, renew=renew)
    except OtherVectors as question:
        return question


def _connection_of(index: Any) -> Connection | None:
    from explorer.models.connections import find_connection

    name = index.info.connection
    if name == OFFLINE:
        return None
    try:
        connection = find_connection(name)
    except InputError:
        return None
    return connection if connection.model_for("embed") else None
