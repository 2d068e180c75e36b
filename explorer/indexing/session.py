"""Who judges in a run, and what is open for it: the offline analyst, a connection's model, or one that was given."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.analysts.judgements import DescribingAnalyst, Embedder, IndexAnalyst
from explorer.base.cancel import CancelScope
from explorer.base.errors import Cancelled, ExplorerError
from explorer.base.events import EventSink, Notice
from explorer.indexing.offline import analyst_signature, offline_analyst
from explorer.indexing.options import IndexOptions
from explorer.indexing.progress import VECTORS, Progress
from explorer.indexing.summary import VectorsEnd
from explorer.models.call_store import CallStore
from explorer.models.connection import Connection

if TYPE_CHECKING:
    from explorer.indexing.model import ModelSession

_STOPPED = "Stopped while vectors were made; the index is whole, and the next run goes on with them."


@dataclass(frozen=True)
class Session:
    """`signature` is what has to be the same for the same judgements; `models` names the model of each stage;
    `max_input_tokens` is the budget of a report's context.
    """

    analyst: IndexAnalyst
    signature: tuple[str, ...]
    max_input_tokens: int
    is_model: bool = False
    models: dict[str, str] = field(default_factory=dict)
    store: CallStore | None = None
    model: ModelSession | None = None
    connection: Connection | None = None

    def has_price(self, stage: str) -> bool:
        """Whether it is known what the model of a stage charges."""
        if self.model is None or self.connection is None:
            return False
        return self.model.client.price(self.connection.model_for(stage)) is not None

    @property
    def describing(self) -> DescribingAnalyst | None:
        """The analyst, where it joins descriptions by a judgement of its own."""
        return self.analyst if self.is_model and isinstance(self.analyst, DescribingAnalyst) else None


@contextmanager
def open_session(
    home: Path,
    options: IndexOptions,
    analyst: IndexAnalyst | None,
    connection: Connection | None,
    key: str | None,
    *,
    sink: EventSink,
    scope: CancelScope,
    **caps: Any,
) -> Iterator[Session]:
    """What a run needs, closed again after it. `caps` are those of the model client.

    Raises StorageError, InputError.
    """
    if analyst is not None:
        is_model = bool(getattr(analyst, "is_model", False))
        models = {"extract": analyst.grade} if is_model else {}
        yield Session(analyst, tuple(analyst_signature(analyst)), options.max_input_tokens, is_model, models)
    elif connection is None:
        with offline_analyst(home, options) as offline:
            yield Session(offline, tuple(analyst_signature(offline)), options.max_input_tokens)
    else:
        from explorer.indexing.model import CHAT_STAGES, model_analyst, report_budget

        with model_analyst(home, options, connection, key, sink=sink, scope=scope, **caps) as model:
            yield Session(
                model.analyst,
                model.signature,
                report_budget(options, connection, sink),
                True,
                {stage: connection.model_for(stage) for stage in CHAT_STAGES},
                model.store,
                model,
                connection,
            )


def add_vectors(home: Path, session: Session, progress: Progress, scope: CancelScope, *, renew: bool) -> VectorsEnd:
    """The last stage: vectors of entities, text units and reports. What ends it, a cancel too, is in the result: the
    index stands without, and what was made until then is kept.
    """
    from explorer.indexing.vector_state import OtherVectors
    from explorer.indexing.vectors import make_vectors

    try:
        made = make_vectors(home, _embedder(session), sink=progress, scope=scope, renew=renew, locked=True)
    except Cancelled:
        return VectorsEnd(state="stopped", sentence=_STOPPED)
    except OtherVectors as question:
        return VectorsEnd(state="other_model", sentence=question.sentence)
    except ExplorerError as error:
        progress(Notice(error.sentence))
        return VectorsEnd(state="failed", sentence=error.sentence)
    progress.seconds[VECTORS] = made.seconds
    progress.rehearsed("embed", made.calls)
    return VectorsEnd(state="made", model=made.model, dimension=made.dimension, rows=made.rows, failed=made.failed)


def _embedder(session: Session) -> Embedder:
    """The connection's embedding model; the offline model where it has none or there is no connection."""
    if session.model is not None and session.connection is not None and session.connection.model_for("embed"):
        from explorer.analysts.model.embedder import ModelEmbedder

        return ModelEmbedder(session.model.client, session.model.loop, connection=session.connection)
    from explorer.analysts.offline.vectors import OfflineEmbedder

    return OfflineEmbedder()
