"""The run that turns a folder into an index: stage after stage, each a function of what came before.

Starting again, going on after a stop and updating after a change are one and the same: run it. What an analyst has
read before costs nothing (the call store keeps it), and a folder in which nothing changed ends at once.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from explorer.analysts.judgements import Extraction, IndexAnalyst, PreparedAnalyst, UnitText
from explorer.base.cancel import CancelScope
from explorer.base.errors import InputError
from explorer.base.events import EventSink, Notice, ignore
from explorer.base.locks import writer_lock
from explorer.base.paths import HOME_NAME
from explorer.corpus.chunk import check_chunking
from explorer.corpus.folder import FoundFile, find_files
from explorer.corpus.material import FileReading, TextUnit
from explorer.graph.layout_store import save_layout
from explorer.graph.leiden import cluster
from explorer.graph.network import build_network
from explorer.graph.positions import compute_layout
from explorer.indexing.chunk import Chunked, chunk_documents
from explorer.indexing.claims import ClaimRows, claim_rows
from explorer.indexing.communities import build_communities
from explorer.indexing.failures import settle_failures
from explorer.indexing.files import (
    SettledFile,
    SourceFile,
    hash_files,
    settle_unchanged,
)
from explorer.indexing.finish import finish_tables
from explorer.indexing.home import choose_home
from explorer.indexing.offline import grade_that_ran
from explorer.indexing.options import IndexOptions
from explorer.indexing.pilot import Recorder, apart_descriptions, run_pilot
from explorer.indexing.progress import DESCRIBE, Progress, inside
from explorer.indexing.read import read_files
from explorer.indexing.record import index_info, index_summary, stage_calls
from explorer.indexing.reports import Reports, write_reports
from explorer.indexing.rows import GraphRows, graph_rows
from explorer.indexing.session import Session, add_vectors, open_session
from explorer.indexing.state import (
    fingerprint,
    is_current,
    merge_counts,
    nothing_found,
    nothing_readable,
    old_communities,
)
from explorer.indexing.store import discard_part, exchange, recover, write_part
from explorer.indexing.summary import IndexSummary
from explorer.models.connection import Connection
from explorer.tables.index_file import DamagedIndexFile, IndexInfo, InputInfo, load_info, save_info
from explorer.tables.locate import OUTPUT_NAME
from explorer.tables.rows import CommunityRow


def index_folder(
    folder: Path,
    *,
    home: Path | None = None,
    analyst: IndexAnalyst | None = None,
    options: IndexOptions | None = None,
    sink: EventSink = ignore,
    scope: CancelScope | None = None,
    connection: Connection | None = None,
    key: str | None = None,
    max_cost: float | None = None,
    max_calls: int | None = None,
    pilot: int | None = None,
    retry: frozenset[str] | None = None,
    vectors: bool = False,
    renew_vectors: bool = False,
    estimate: dict[str, object] | None = None,
) -> IndexSummary:
    """Index a folder of documents, or bring its index up to date.

    Parameters
    ----------
    folder: the documents; nothing in it is changed but its `.graphrag-explorer`.
    home: where the index is kept; by default in the folder, or with the user where the folder is read-only.
    analyst: who reads and writes; where none is given it is the model of `connection`, and without a connection the
        offline analyst. Calls and readings are kept in `home/calls.sqlite`.
    sink, scope: events of the run; pause and cancel hold at the next checkpoint.
    key: the connection's secret; it is kept nowhere.
    max_cost, max_calls: caps of this run (US dollars, calls), at which it pauses until `scope` raises or cancels.
    pilot: try this many text units, write no index, and say in the summary what was seen.
    retry: which of the calls that failed before are made again, by their keys; None: all of them.
    vectors: end with the vectors of entities, text units and reports; where they fail or are stopped the index still
        stands, and the summary says why.
    renew_vectors: make them all again where those that are there are another model's.
    estimate: what was said before the run that it would cost; kept in index.json.

    Raises InputError for a folder without anything readable or a bad option, OpenError for an index of a newer
    program, BusyError where another run writes, StorageError where the disk is full or refuses, ModelStop where no
    call can succeed, Cancelled. After any of them the index that was there still is, and what was read is kept.
    """
    options = options or IndexOptions()
    scope = scope or CancelScope()
    check_chunking(options.chunk_size, options.chunk_overlap)
    folder = Path(folder).expanduser().absolute()
    note = ""
    found = find_files(folder, without=() if home is None else (home,))
    if not any(file.reason == "" for file in found):
        raise InputError(nothing_readable(folder, [(file.path, file.reason) for file in found]))
    if home is None:
        home, note = choose_home(folder)
    home = home.expanduser().absolute()
    progress = Progress(sink, scope)
    if note:
        sink(Notice(note))
    is_new = not home.exists()
    caps = {"max_cost": max_cost, "max_calls": max_calls, "retry": retry}
    try:
        with (
            writer_lock(home),
            open_session(home, options, analyst, connection, key, sink=progress, scope=scope, **caps) as session,
        ):
            run = _Run(folder, home, session, options, progress, scope, estimate)
            if pilot is not None:
                return run.try_out(found, pilot)
            summary = run.go(found)
            if vectors:
                summary.vectors = add_vectors(home, session, progress, scope, renew=renew_vectors)
                summary.calls, summary.seconds = stage_calls(session, progress), progress.seconds
                summary.failures = list(progress.tally.failures)
            return summary
    except InputError:
        if is_new:
            shutil.rmtree(home, ignore_errors=True)
        raise


class _Run:
    """One run over one folder while the lock is held."""

    def __init__(
        self,
        folder: Path,
        home: Path,
        session: Session,
        options: IndexOptions,
        progress: Progress,
        scope: CancelScope,
        estimate: dict[str, object] | None,
    ) -> None:
        self.folder = folder
        self.home = home
        self.session = session
        self.analyst = session.analyst
        self.options = options
        self.progress = progress
        self.scope = scope
        self.estimate = estimate

    def go(self, found: Sequence[FoundFile]) -> IndexSummary:
        recover(self.home)
        before = self._load()
        signature = fingerprint(self.options, self.session.signature, is_model=self.session.is_model)
        previous = before.inputs if before is not None and before.complete else {}
        with self.progress.stage("read", len(found)) as counts:
            sources = hash_files(self.folder, found, self.scope)
            current = is_current(self.home, before, signature, sources, previous)
            if not current:
                created = before.created if before is not None else datetime.now(UTC).strftime("%Y-%m-%d")
                if before is None:
                    save_info(self.home, IndexInfo(created=created, folder=self._elsewhere()))
                readings = read_files(self.folder, sources, self.progress, self.scope)
                counts["documents"] = sum(len(reading.documents) for reading in readings)
        if before is not None and current:
            return self._as_it_was(before, settle_unchanged(sources, previous))
        chunked = self._chunk(readings, sources, previous)
        texts = [UnitText(unit.id, unit.text, unit.document_id) for unit in chunked.units]
        extraction = self._extract(texts)
        files, changed = settle_failures(chunked.files, chunked.units, extraction.failed_units)
        for file in changed:
            self.progress(file.event())
        extraction = self._describe(extraction)
        with self.progress.stage("graph") as counts:
            graph = graph_rows(extraction)
            ends = [(item.source, item.target, item.weight) for item in graph.relationships]
            network = build_network(ends, [entity.title for entity in graph.entities])
            hierarchy = cluster(
                network,
                seed=self.options.seed,
                max_cluster_size=self.options.max_cluster_size,
                use_lcc=self.options.use_lcc,
                start=old_communities(self.home, before) if self.session.is_model else None,
                scope=self.scope,
            )
            counts.update(entities=len(graph.entities), relationships=len(graph.relationships))
        claims = claim_rows(extraction.claims, chunked.units) if self._claims else None
        with self.progress.stage("communities") as counts:
            communities = build_communities(hierarchy, graph, created)
            counts["communities"] = len(communities.rows)
        reports = self._report(communities.rows, graph, chunked.units, claims)
        with self.progress.stage("finish") as counts:
            finished = finish_tables(chunked.documents, chunked.units, graph, communities.rows, reports.rows, claims)
            part = write_part(self.home, finished.tables, finished.spans, self.scope)
            counts.update({name: len(rows) for name, rows in finished.tables.items()})
        try:
            with self.progress.stage("positions") as counts:
                layout = compute_layout(graph.entities, graph.relationships, communities.rows, scope=self.scope)
                save_layout(part, layout)
                counts.update(placed=len(layout.points), unplaced=layout.unplaced)
            self.scope.checkpoint()
            info = index_info(
                created, signature, self.session, self.options, hierarchy, finished, files, self.progress
            ).model_copy(
                update={
                    "folder": self._elsewhere(),
                    "estimate": self.estimate,
                    "grade": grade_that_ran(self.analyst, texts),
                    "dropped": merge_counts(extraction.dropped, graph.dropped, communities.dropped, reports.dropped),
                }
            )
            save_info(part, info)
            exchange(self.home)
        except BaseException:
            discard_part(self.home)
            raise
        if isinstance(self.analyst, PreparedAnalyst):
            self.analyst.prepare(self.home / OUTPUT_NAME, self.home, scope=self.scope)
        return index_summary(self.home, info, files, self.session, self.progress)

    def try_out(self, found: Sequence[FoundFile], n: int) -> IndexSummary:
        """A pilot of `n` text units: no index is made or changed."""
        recover(self.home)
        with self.progress.stage("read", len(found)) as counts:
            sources = hash_files(self.folder, found, self.scope)
            readings = read_files(self.folder, sources, self.progress, self.scope)
            counts["documents"] = sum(len(reading.documents) for reading in readings)
        chunked = self._chunk(readings, sources, {})
        recorder = Recorder(self.session.store)
        self.progress.listen(recorder)
        result = run_pilot(
            n,
            chunked.units,
            self.analyst,
            self.options,
            describing=self.session.describing,
            max_input_tokens=self.session.max_input_tokens,
            recorder=recorder,
            progress=self.progress,
            scope=self.scope,
        )
        nothing = IndexInfo(created="")
        summary = index_summary(self.home, nothing, chunked.files, self.session, self.progress)
        return summary.model_copy(
            update={"documents": len(chunked.documents), "text_units": len(chunked.units), "pilot": result}
        )

    @property
    def _claims(self) -> bool:
        return self.options.claims and self.session.is_model

    def _load(self) -> IndexInfo | None:
        try:
            return load_info(self.home)
        except DamagedIndexFile as error:
            self.progress(Notice(error.sentence))
            return None

    def _elsewhere(self) -> str | None:
        return None if self.home == self.folder / HOME_NAME else str(self.folder)

    def _chunk(
        self, readings: Sequence[FileReading], sources: Sequence[SourceFile], previous: Mapping[str, InputInfo]
    ) -> Chunked:
        with self.progress.stage("chunk", len(readings)) as counts:
            chunked = chunk_documents(
                readings,
                {source.path: source for source in sources},
                previous,
                size=self.options.chunk_size,
                overlap=self.options.chunk_overlap,
                sink=self.progress,
                scope=self.scope,
            )
            counts["text_units"] = len(chunked.units)
        self.progress.files.add_units(chunked.units)
        if not chunked.units:
            reasons = [(file.path, file.reason) for file in chunked.files]
            raise InputError(nothing_readable(self.folder, reasons))
        return chunked

    def _extract(self, texts: Sequence[UnitText]) -> Extraction:
        with self.progress.stage("extract", len(texts)) as counts:
            extraction = self.analyst.extract(texts, sink=inside(self.progress, "extract"), scope=self.scope)
            self.progress.rehearsed("extract", extraction.calls)
            counts.update(extraction.dropped)
        self.progress.files.add_titles(extraction)
        if not extraction.relationships:
            self.progress(Notice(nothing_found(self.folder, len(texts), extraction, is_model=self.session.is_model)))
        return extraction

    def _describe(self, extraction: Extraction) -> Extraction:
        """Descriptions joined by an analyst that has a judgement for it; others bring them joined."""
        describing = self.session.describing
        if describing is None:
            return extraction
        with self.progress.stage(DESCRIBE, apart_descriptions(extraction)) as counts:
            described = describing.describe(extraction, sink=inside(self.progress, DESCRIBE), scope=self.scope)
            counts["described"] = apart_descriptions(extraction)
        return described

    def _report(
        self,
        communities: Sequence[CommunityRow],
        graph: GraphRows,
        units: Sequence[TextUnit],
        claims: ClaimRows | None,
    ) -> Reports:
        self.progress.files.add_communities(communities)
        with self.progress.stage("reports", len(communities)) as counts:
            reports = write_reports(
                self.analyst,
                communities,
                graph,
                units,
                max_input_tokens=self.session.max_input_tokens,
                claims=claims.rows if claims is not None else (),
                sink=self.progress,
                scope=self.scope,
            )
            self.progress.rehearsed("reports", reports.calls)
            counts.update(reports=len(reports.rows), from_children=reports.from_children, **reports.dropped)
        return reports

    def _as_it_was(self, info: IndexInfo, files: Sequence[SettledFile]) -> IndexSummary:
        for file in files:
            self.progress(file.event())
        return index_summary(self.home, info, files, self.session, self.progress)
