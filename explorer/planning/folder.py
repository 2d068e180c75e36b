"""What a folder holds, read and cut exactly as indexing does it, with nothing written."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from explorer.base.cancel import CancelScope
from explorer.base.errors import InputError
from explorer.base.events import EventSink, StageFinished, StageStarted
from explorer.corpus.chunk import check_chunking
from explorer.corpus.folder import find_files
from explorer.corpus.material import TextUnit
from explorer.indexing.chunk import chunk_documents
from explorer.indexing.files import hash_files, summarize_files
from explorer.indexing.options import IndexOptions
from explorer.indexing.read import read_files
from explorer.indexing.state import nothing_readable
from explorer.tables.index_file import DamagedIndexFile, load_info


@dataclass(frozen=True)
class FolderContents:
    """`units` in the order in which indexing reads them; `files` counts files by fate; `lost` are (path, reason) of
    those that give nothing."""

    documents: int
    units: tuple[TextUnit, ...]
    files: dict[str, int]
    lost: tuple[tuple[str, str], ...]


def read_folder(
    folder: Path, home: Path | None, options: IndexOptions, *, sink: EventSink, scope: CancelScope
) -> FolderContents:
    """Read and cut the documents of a folder.

    `home` is where its index is or will be: files that are in it unchanged are counted as such. Raises InputError for
    a folder without anything readable or a bad option, Cancelled.
    """
    check_chunking(options.chunk_size, options.chunk_overlap)
    found = find_files(folder, without=() if home is None else (home,))
    try:
        before = load_info(home) if home is not None else None
    except DamagedIndexFile:
        before = None
    previous = before.inputs if before is not None and before.complete else {}
    sink(StageStarted("read", len(found)))
    sources = hash_files(folder, found, scope)
    readings = read_files(folder, sources, sink, scope)
    sink(StageFinished("read", 0.0))
    sink(StageStarted("chunk", len(readings)))
    chunked = chunk_documents(
        readings,
        {source.path: source for source in sources},
        previous,
        size=options.chunk_size,
        overlap=options.chunk_overlap,
        sink=sink,
        scope=scope,
    )
    sink(StageFinished("chunk", 0.0))
    if not chunked.units:
        raise InputError(nothing_readable(folder, [(file.path, file.reason) for file in chunked.files]))
    files = Counter(str(file.fate) for file in chunked.files)
    summary = summarize_files(chunked.files)
    return FolderContents(
        documents=len(chunked.documents),
        units=chunked.units,
        files={fate: files[fate] for fate in ("indexed", "unchanged", "skipped", "failed") if files[fate]},
        lost=tuple((item.path, item.reason) for item in (*summary.skipped, *summary.failed)),
    )
