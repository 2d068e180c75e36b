"""What a run leaves behind in words and numbers: index.json, and the summary that is shown and printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from explorer.base.fates import FileFate
from explorer.graph.leiden import Hierarchy
from explorer.indexing.files import SettledFile, file_inputs, summarize_files
from explorer.indexing.finish import FinishedTables
from explorer.indexing.options import IndexOptions
from explorer.indexing.progress import Progress
from explorer.indexing.session import Session
from explorer.indexing.summary import FileReason, IndexSummary, StageCalls
from explorer.indexing.tally import CALL_STAGES
from explorer.tables.index_file import IndexInfo, LeidenInfo


def index_info(
    created: str,
    signature: str,
    session: Session,
    options: IndexOptions,
    hierarchy: Hierarchy,
    finished: FinishedTables,
    files: Sequence[SettledFile],
    progress: Progress,
) -> IndexInfo:
    """The index.json of a finished run; what only the run knows (grade, losses, folder, estimate) is still to come."""
    levels = Counter(row["level"] for row in finished.tables["communities"])
    return IndexInfo(
        created=created,
        connection=session.analyst.name,
        seed=options.seed,
        chunk_size=options.chunk_size,
        chunk_overlap=options.chunk_overlap,
        max_input_tokens=session.max_input_tokens,
        leiden=LeidenInfo(
            algorithm=hierarchy.algorithm,
            runs=hierarchy.runs,
            modularity=hierarchy.modularity,
            max_cluster_size=options.max_cluster_size,
            use_lcc=options.use_lcc,
            dropped=hierarchy.dropped,
            start=hierarchy.start,
            joined=hierarchy.joined,
            alone=hierarchy.alone,
        ),
        inputs=file_inputs(files),
        counts={name: len(rows) for name, rows in finished.tables.items()},
        levels=dict(sorted(levels.items())),
        fingerprint=signature,
        models=session.models,
        failed_calls=progress.tally.failed_calls(),
        bill=dict(progress.tally.stages) if session.is_model else {},
        complete=True,
    )


def index_summary(
    home: Path, info: IndexInfo, files: Sequence[SettledFile], session: Session, progress: Progress
) -> IndexSummary:
    """The summary of a run over an index that is whole, whether the run made it or found it so."""
    return IndexSummary(
        index=str(home),
        files=summarize_files(files),
        documents=info.counts.get("documents", 0),
        text_units=info.counts.get("text_units", 0),
        entities=info.counts.get("entities", 0),
        relationships=info.counts.get("relationships", 0),
        claims=info.counts.get("covariates", 0),
        communities=info.levels,
        reports=info.counts.get("community_reports", 0),
        calls=stage_calls(session, progress),
        seconds=progress.seconds,
        partly=[
            FileReason(path=file.path, reason=file.reason)
            for file in sorted(files, key=lambda item: item.path)
            if file.failed_units and file.fate is FileFate.INDEXED
        ],
        failures=list(progress.tally.failures),
        estimate=info.estimate,
    )


def stage_calls(session: Session, progress: Progress) -> dict[str, StageCalls]:
    """The calls of every stage that makes any, whether it made one in this run or not."""
    made = progress.calls
    if not session.is_model:
        return {stage: made.get(stage, StageCalls()) for stage in dict.fromkeys(("extract", "reports", *made))}
    found = {stage: made.get(stage, StageCalls()) for stage in dict.fromkeys((*CALL_STAGES, *made))}
    for stage, calls in found.items():
        if not calls.count and session.has_price(stage):
            calls.cost = 0.0
    return found
