"""Stage chunk: documents → text units, and with them the fate of every file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from explorer.base.cancel import CancelScope
from explorer.base.events import EventSink, StageProgress
from explorer.base.fates import FileFate
from explorer.corpus.chunk import chunk
from explorer.corpus.identity import distinct_units
from explorer.corpus.material import Document, FileReading, TextUnit
from explorer.indexing.files import SettledFile, SourceFile
from explorer.tables.index_file import InputInfo

STAGE = "chunk"


@dataclass(frozen=True)
class Chunked:
    """Documents by path and row, their text units in the same order, and the files with their fates by path."""

    documents: tuple[Document, ...]
    units: tuple[TextUnit, ...]
    files: tuple[SettledFile, ...]


def chunk_documents(
    readings: Sequence[FileReading],
    sources: Mapping[str, SourceFile],
    previous: Mapping[str, InputInfo],
    *,
    size: int,
    overlap: int,
    sink: EventSink,
    scope: CancelScope,
) -> Chunked:
    """Cut the documents of all files into text units and settle each file.

    `sources` are the files as they were hashed, `previous` the inputs of the last complete index: a file that was
    indexed there with the same hash is `unchanged`. Raises Cancelled.
    """
    documents: list[Document] = []
    units: list[TextUnit] = []
    files: list[SettledFile] = []
    for done, reading in enumerate(readings, start=1):
        scope.checkpoint()
        own = [unit for document in reading.documents for unit in chunk(document, size=size, overlap=overlap)]
        documents.extend(reading.documents)
        units.extend(own)
        settled = _settle(reading, own, sources[reading.path], previous.get(reading.path))
        files.append(settled)
        sink(settled.event())
        sink(StageProgress(STAGE, done, len(readings)))
    return Chunked(tuple(documents), tuple(distinct_units(units)), tuple(files))


def _settle(
    reading: FileReading, units: Sequence[TextUnit], source: SourceFile, before: InputInfo | None
) -> SettledFile:
    if reading.failed:
        fate, reason = FileFate.FAILED, reading.failed
    elif not reading.documents:
        fate, reason = FileFate.SKIPPED, reading.skip_reason or "it holds no text"
    else:
        same = (
            before is not None
            and before.fate == FileFate.INDEXED
            and not before.failed_units
            and source.sha256 != ""
            and before.sha256 == source.sha256
        )
        fate = FileFate.UNCHANGED if same else FileFate.INDEXED
        reason = _remarks(reading)
    return SettledFile(
        path=reading.path,
        size=reading.size,
        sha256=source.sha256,
        fate=fate,
        reason=reason,
        documents=len(reading.documents),
        text_units=len(units),
        tokens=sum(unit.n_tokens for unit in units),
    )


def _remarks(reading: FileReading) -> str:
    """What an indexed file still lost: rows that were skipped, by reason, and the reader's notes."""
    counts: dict[str, int] = {}
    for part in reading.skipped:
        counts[part.reason] = counts.get(part.reason, 0) + 1
    skipped = [f"{number} skipped: {reason}" for reason, number in sorted(counts.items())]
    return "; ".join([*skipped, *reading.notes])
