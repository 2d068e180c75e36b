"""The run that turns a folder into an index: stage after stage, each a function of what came before.

Starting again, going on after a stop and updating after a change are one and the same: run it. What an analyst has
read before costs nothing (the call store keeps it), and a folder in which nothing changed ends at once.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
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
from explorer.graph.leiden import Hierarchy, cluster
from explorer.graph.network import build_network
from explorer.graph.positions import compute_layout
from explorer.indexing.chunk import Chunked, chunk_documents
from explorer.indexing.communities import build_communities
from explorer.indexing.files import (
    SettledFile,
    SourceFile,
    file_inputs,
    hash_files,
    settle_unchanged,
    summarize_files,
    unchanged,
)
from explorer.indexing.finish import FinishedTables, finish_tables
from explorer.indexing.home import choose_home
from explorer.indexing.offline import grade_that_ran, offline_analyst
from explorer.indexing.options import IndexOptions
from explorer.indexing.progress import Progress, inside
from explorer.indexing.read import read_files
from explorer.indexing.reports import Reports, write_reports
from explorer.indexing.rows import GraphRows, graph_rows
from explorer.indexing.state import fingerprint, is_whole, merge_counts, nothing_readable
from explorer.indexing.store import discard_part, exchange, recover, write_part
from explorer.indexing.summary import IndexSummary, StageCalls
from explorer.tables.index_file import DamagedIndexFile, IndexInfo, InputInfo, LeidenInfo, load_info, save_info
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
) -> IndexSummary:
    """Index a folder of documents, or bring its index up to date.

    Parameters
    ----------
    folder: the documents; nothing in it is changed but its `.graphrag-explorer`.
    home: where the index is kept; by default in the folder, or with the user where the folder is read-only.
    analyst: who reads and writes; the offline analyst by default, its readings kept in `home/calls.sqlite`.
    sink, scope: events of the run; pause and cancel hold at the next checkpoint.

    Raises InputError for a folder without anything readable or a bad option, OpenError for an index of a newer
    program, BusyError where another run writes, StorageError where the disk is full or refuses, Cancelled. After any
    of them the index that was there still is, and what was read is kept.
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
    try:
        with (
            writer_lock(home),
            nullcontext(analyst) if analyst is not None else offline_analyst(home, options) as chosen,
        ):
            return _Run(folder, home, chosen, options, progress, scope).go(found)
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
        analyst: IndexAnalyst,
        options: IndexOptions,
        progress: Progress,
        scope: CancelScope,
    ) -> None:
        self.folder = folder
        self.home = home
        self.analyst = analyst
        self.options = options
        self.progress = progress
        self.scope = scope

    def go(self, found: Sequence[FoundFile]) -> IndexSummary:
        recover(self.home)
        before = self._load()
        signature = fingerprint(self.options, self.analyst)
        previous = before.inputs if before is not None and before.complete else {}
        with self.progress.stage("read", len(found)) as counts:
            sources = hash_files(self.folder, found, self.scope)
            current = (
                before is not None
                and before.fingerprint == signature
                and is_whole(self.home, before)
                and unchanged(sources, previous)
            )
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
        with self.progress.stage("graph") as counts:
            graph = graph_rows(extraction)
            ends = [(item.source, item.target, item.weight) for item in graph.relationships]
            network = build_network(ends, [entity.title for entity in graph.entities])
            hierarchy = cluster(
                network,
                seed=self.options.seed,
                max_cluster_size=self.options.max_cluster_size,
                use_lcc=self.options.use_lcc,
                scope=self.scope,
            )
            counts.update(entities=len(graph.entities), relationships=len(graph.relationships))
        with self.progress.stage("communities") as counts:
            communities = build_communities(hierarchy, graph, created)
            counts["communities"] = len(communities.rows)
        reports = self._report(communities.rows, graph, chunked.units)
        with self.progress.stage("finish") as counts:
            finished = finish_tables(chunked.documents, chunked.units, graph, communities.rows, reports.rows)
            part = write_part(self.home, finished.tables, finished.spans, self.scope)
            counts.update({name: len(rows) for name, rows in finished.tables.items()})
        try:
            with self.progress.stage("positions") as counts:
                layout = compute_layout(graph.entities, graph.relationships, communities.rows, scope=self.scope)
                save_layout(part, layout)
                counts.update(placed=len(layout.points), unplaced=layout.unplaced)
            self.scope.checkpoint()
            info = self._info(created, signature, hierarchy, finished, chunked.files).model_copy(
                update={
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
        return self._summary(info, chunked.files)

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
        if not chunked.units:
            reasons = [(file.path, file.reason) for file in chunked.files]
            raise InputError(nothing_readable(self.folder, reasons))
        return chunked

    def _extract(self, texts: Sequence[UnitText]) -> Extraction:
        with self.progress.stage("extract", len(texts)) as counts:
            extraction = self.analyst.extract(texts, sink=inside(self.progress, "extract"), scope=self.scope)
            self.progress.rehearsed("extract", extraction.calls)
            counts.update(extraction.dropped)
        if not extraction.relationships:
            self.progress(
                Notice(
                    f"Nothing in {self.folder} is named together often enough to be connected: "
                    "the index has documents and text units, but no communities."
                )
            )
        return extraction

    def _report(self, communities: Sequence[CommunityRow], graph: GraphRows, units: Sequence[TextUnit]) -> Reports:
        with self.progress.stage("reports", len(communities)) as counts:
            reports = write_reports(
                self.analyst,
                communities,
                graph,
                units,
                max_input_tokens=self.options.max_input_tokens,
                sink=self.progress,
                scope=self.scope,
            )
            self.progress.rehearsed("reports", reports.calls)
            counts.update(reports=len(reports.rows), from_children=reports.from_children, **reports.dropped)
        return reports

    def _info(
        self,
        created: str,
        signature: str,
        hierarchy: Hierarchy,
        finished: FinishedTables,
        files: Sequence[SettledFile],
    ) -> IndexInfo:
        levels = Counter(row["level"] for row in finished.tables["communities"])
        return IndexInfo(
            created=created,
            connection=self.analyst.name,
            seed=self.options.seed,
            chunk_size=self.options.chunk_size,
            chunk_overlap=self.options.chunk_overlap,
            max_input_tokens=self.options.max_input_tokens,
            leiden=LeidenInfo(
                algorithm=hierarchy.algorithm,
                runs=hierarchy.runs,
                modularity=hierarchy.modularity,
                max_cluster_size=self.options.max_cluster_size,
                use_lcc=self.options.use_lcc,
                dropped=hierarchy.dropped,
            ),
            inputs=file_inputs(files),
            counts={name: len(rows) for name, rows in finished.tables.items()},
            levels=dict(sorted(levels.items())),
            fingerprint=signature,
            folder=self._elsewhere(),
            complete=True,
        )

    def _as_it_was(self, info: IndexInfo, files: Sequence[SettledFile]) -> IndexSummary:
        for file in files:
            self.progress(file.event())
        return self._summary(info, files)

    def _summary(self, info: IndexInfo, files: Sequence[SettledFile]) -> IndexSummary:
        return IndexSummary(
            index=str(self.home),
            files=summarize_files(files),
            documents=info.counts.get("documents", 0),
            text_units=info.counts.get("text_units", 0),
            entities=info.counts.get("entities", 0),
            relationships=info.counts.get("relationships", 0),
            claims=info.counts.get("covariates", 0),
            communities=info.levels,
            reports=info.counts.get("community_reports", 0),
            calls={stage: self.progress.calls.get(stage, StageCalls()) for stage in ("extract", "reports")},
            seconds=self.progress.seconds,
        )
