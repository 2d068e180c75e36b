"""The vectors of an index: what changed is embedded, the rest is kept, and all of it is written as one set.

What a batch brought is kept at once (`vectors.part.sqlite`), so that a stop or a kill loses no more than a batch.
The index may be read, and even made again, while texts are embedded: its lock is held for the writing only.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field

from explorer.analysts.judgements import Embedder
from explorer.analysts.offline.vectors import OfflineEmbedder
from explorer.base.cancel import CancelScope
from explorer.base.errors import OpenError
from explorer.base.events import EventSink, Notice, StageFinished, StageStarted, ignore
from explorer.base.locks import writer_lock
from explorer.base.tokens import count_tokens
from explorer.base.words import agree, counted
from explorer.indexing.progress import VECTORS, inside
from explorer.indexing.store import recover
from explorer.indexing.summary import StageCalls
from explorer.indexing.vector_journal import VectorJournal
from explorer.indexing.vector_state import OtherVectors, VectorState, state_of
from explorer.indexing.vector_texts import VectorTexts, vector_texts
from explorer.tables.index import Index, open_index
from explorer.tables.locate import OUTPUT_NAME
from explorer.tables.vectors import import_lancedb, no_lancedb, open_vectors
from explorer.tables.vectors_file import VectorsInfo
from explorer.tables.write_vectors import read_contents, write_vectors

if TYPE_CHECKING:
    import numpy as np

_LOCK = "vectors.lock"
_CALL_TEXTS, _CALL_TOKENS = 16, 8191  # GraphRAG's batch_size and batch_max_tokens, for calls that are only counted


class VectorSummary(BaseModel):
    """What a run over the vectors ended with; numbers by table, `seconds` of the stage.

    `embedded` texts went to the model, `kept` rows had their vector already; `failed` texts have none and are tried
    again by the next run. `calls` are those made (stage "embed"), or of the offline model those a service would take.
    """

    model: str
    connection: str
    dimension: int | None = None
    rows: dict[str, int] = Field(default_factory=dict)
    empty: dict[str, int] = Field(default_factory=dict)
    failed: dict[str, int] = Field(default_factory=dict)
    reason: str = ""
    embedded: int = 0
    kept: int = 0
    calls: StageCalls = Field(default_factory=StageCalls)
    remark: str = ""
    seconds: float = 0.0


def needs_vectors(home: Path, embedder: Embedder) -> VectorState:
    """Whether the index in `home` (or that any path means, see `open_index`) needs vectors of this embedder.

    Raises OpenError where there is no index.
    """
    index = open_index(home)
    return state_of(index, vector_texts(index), embedder.model, embedder.dimension)


def make_vectors(
    home: Path,
    embedder: Embedder,
    *,
    sink: EventSink = ignore,
    scope: CancelScope | None = None,
    renew: bool = False,
    locked: bool = False,
) -> VectorSummary:
    """Bring the vectors of an index up to date; where they are, nothing is done.

    Parameters
    ----------
    home: the home of an index, or any path that means one; vectors of a foreign index go to the user's data.
    embedder: who makes them.
    renew: make all of them again where those that are there are another model's.
    locked: the caller holds the index's lock already.

    Raises OtherVectors, a question, where vectors of another model or length are there and `renew` was not given;
    Cancelled (what is done is kept, the next run goes on), OpenError, BusyError, StorageError, and what the embedder
    raises (NoOfflineModel, ModelStop).
    """
    started = time.perf_counter()
    scope = scope or CancelScope()
    scope.checkpoint()
    if (sentence := no_lancedb()) != "":
        raise OpenError(sentence)  # before anything is embedded
    index = open_index(home)
    with writer_lock(index.home, _LOCK):
        run = _Run(index, embedder, sink, scope, renew)
        summary = run.go(home, locked)
    seconds = time.perf_counter() - started
    counts = {"embedded": summary.embedded, "kept": summary.kept, "failed": sum(summary.failed.values())}
    sink(StageFinished(VECTORS, seconds, {**counts, "empty": sum(summary.empty.values())}))
    return summary.model_copy(update={"seconds": round(seconds, 3)})


class _Run:
    """One run over the vectors of one index."""

    def __init__(self, index: Index, embedder: Embedder, sink: EventSink, scope: CancelScope, renew: bool) -> None:
        self.index = index
        self.home = index.home
        self.embedder = embedder
        self.sink = sink
        self.scope = scope
        self.renew = renew
        self.before = embedder.spent
        self.failed: dict[str, str] = {}  # hash → why
        self.embedded: list[str] = []

    def go(self, path: Path, locked: bool) -> VectorSummary:
        texts = vector_texts(self.index)
        state = state_of(self.index, texts, self.embedder.model, self.embedder.dimension)
        if state.state == "other_model" and not self.renew:
            raise OtherVectors(state, self.embedder.model, self.embedder.dimension)
        if state.state == "current":
            self.sink(StageStarted(VECTORS, 0))
            return self._summary(texts, state.dimension, set(texts.text))
        self.state = state
        with VectorJournal(self.home, self.embedder.model) as journal:
            kept = self._kept(texts) if state.state == "stale" else {}
            while True:
                try:
                    self._embed(journal, texts, kept)
                except OtherVectors:
                    if not self.renew:
                        raise
                    # The model changed the length under its name: all of them anew, as was asked, and once.
                    journal.clear()
                    kept, self.renew = {}, False
                    continue
                import_lancedb()  # two seconds, for which nobody else shall wait
                with nullcontext() if locked else writer_lock(self.home):
                    if not locked and not self.index.foreign:
                        recover(self.home)
                    self.index = open_index(path)
                    texts = vector_texts(self.index)
                    known = journal.hashes() | kept.keys() | self.failed.keys()
                    if known.issuperset(texts.text):  # else the index was made again meanwhile: go on with what is new
                        return self._write(journal, texts, kept)

    def _kept(self, texts: VectorTexts) -> dict[str, np.ndarray[Any, Any]]:
        """Vectors of the tables whose texts are still wanted, by hash."""
        import numpy as np

        there = read_contents(self.home)
        vectors = open_vectors(self.home / OUTPUT_NAME)
        found: dict[str, np.ndarray[Any, Any]] = {}
        for name, table in vectors.tables.items() if vectors is not None else ():
            wanted = {key[1]: digest for key, digest in there.items() if key[0] == name and digest in texts.text}
            for row, vector in table.read(wanted).items():
                found[wanted[row]] = np.asarray(vector, dtype=np.float32)
        return found

    def _embed(self, journal: VectorJournal, texts: VectorTexts, kept: Mapping[str, np.ndarray[Any, Any]]) -> None:
        dimension = self.state.dimension if kept else None
        if dimension is not None and journal.dimension not in (None, dimension):
            journal.clear()
        done = journal.hashes()
        todo = [name for name in texts.text if name not in kept and name not in done and name not in self.failed]
        self.sink(StageStarted(VECTORS, len(todo)))
        for start in range(0, len(todo), self.embedder.batch):
            self.scope.checkpoint()
            names = todo[start : start + self.embedder.batch]
            vectors = self.embedder.embed(
                [texts.text[name] for name in names],
                sink=inside(self.sink, VECTORS, start, len(todo)),
                scope=self.scope,
            )
            made = {name: vector for name, vector in zip(names, vectors, strict=True) if vector is not None}
            dimension = self._same_length(made, dimension or journal.dimension)
            journal.add(made)
            self.embedded += made
            self.failed.update((name, self.embedder.error) for name in names if name not in made)

    def _same_length(self, made: Mapping[str, Any], dimension: int | None) -> int | None:
        """The one length of all vectors. A model that changes it under its name is asked about like another model."""
        for vector in made.values():
            if dimension is not None and len(vector) != dimension:
                there = self.state.model_copy(update={"dimension": dimension, "model": self.embedder.model})
                raise OtherVectors(there, self.embedder.model, len(vector))
            dimension = len(vector)
        return dimension

    def _write(
        self, journal: VectorJournal, texts: VectorTexts, kept: Mapping[str, np.ndarray[Any, Any]]
    ) -> VectorSummary:
        known = journal.hashes() | kept.keys()
        dimension = journal.dimension or (self.state.dimension if kept else self.embedder.dimension)
        summary = self._summary(texts, dimension, known)
        if summary.remark:
            self.sink(Notice(summary.remark))
        if sum(summary.failed.values()):
            self.sink(Notice(_failures(summary)))
        if dimension is None or not known:
            return summary  # every call failed: what was there still is
        rows = {
            table: _rows(journal, kept, [(name, digest) for name, digest in entries if digest in known])
            for table, entries in texts.hashes.items()
        }
        info = VectorsInfo(
            connection=self.embedder.name,
            model=self.embedder.model,
            dimension=dimension,
            created=self.index.info.created if self.index.info else time.strftime("%Y-%m-%d", time.gmtime()),
            rows=summary.rows,
            empty=summary.empty,
            failed=summary.failed,
            reason=summary.reason,
        )
        contents = [(table, name, digest) for (table, name), digest in texts.contents.items() if digest in known]
        output = self.home / OUTPUT_NAME
        if self.index.foreign:
            output.mkdir(parents=True, exist_ok=True)
        write_vectors(self.home, output, rows, contents, info, checkpoint=self.scope.checkpoint)
        journal.discard()
        return summary

    def _summary(self, texts: VectorTexts, dimension: int | None, known: set[str]) -> VectorSummary:
        rows = {table: sum(digest in known for _, digest in entries) for table, entries in texts.hashes.items()}
        failed = {table: len(entries) - rows[table] for table, entries in texts.hashes.items()}
        failed = {table: count for table, count in failed.items() if count}
        new = set(self.embedded)
        fresh = sum(digest in new for entries in texts.hashes.values() for _, digest in entries)
        return VectorSummary(
            model=self.embedder.model,
            connection=self.embedder.name,
            dimension=dimension,
            rows=rows,
            empty=texts.empty,
            failed=failed,
            reason=next(iter(self.failed.values()), ""),
            embedded=len(new),
            kept=sum(rows.values()) - fresh,
            calls=self._calls(texts),
            remark=self.embedder.remark() if new else "",
        )

    def _calls(self, texts: VectorTexts) -> StageCalls:
        spent = self.embedder.spent
        if not spent.count and isinstance(self.embedder, OfflineEmbedder):
            return _rehearsed([texts.text[name] for name in self.embedded if name in texts.text])
        return StageCalls(
            count=spent.count - self.before.count,
            cached=spent.cached - self.before.cached,
            failed=spent.failed - self.before.failed,
            prompt_tokens=spent.prompt_tokens - self.before.prompt_tokens,
            cost=None if spent.cost is None else spent.cost - (self.before.cost or 0.0),
        )


def _rows(
    journal: VectorJournal, kept: Mapping[str, np.ndarray[Any, Any]], entries: Iterable[tuple[str, str]]
) -> Iterator[tuple[str, Any]]:
    for name, digest in entries:
        vector = kept.get(digest)
        yield name, journal.read([digest])[digest] if vector is None else vector


def _rehearsed(texts: Iterable[str]) -> StageCalls:
    """The calls that a service would take for these texts, in GraphRAG's batches."""
    calls, tokens, inside_texts, inside_tokens = 0, 0, 0, 0
    for text in texts:
        count = count_tokens(text)
        if not calls or inside_texts == _CALL_TEXTS or inside_tokens + count > _CALL_TOKENS:
            calls, inside_texts, inside_tokens = calls + 1, 0, 0
        inside_texts, inside_tokens, tokens = inside_texts + 1, inside_tokens + count, tokens + count
    return StageCalls(count=calls, prompt_tokens=tokens)


def _failures(summary: VectorSummary) -> str:
    count = sum(summary.failed.values())
    reason = f" ({summary.reason})" if summary.reason else ""
    return (
        f"{counted(count, 'text has', 'texts have')} no vector{reason}; the others have theirs, and the next run tries "
        f"{agree(count, 'it', 'these')} again."
    )
