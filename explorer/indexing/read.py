"""Stage read: files → documents, each file with what it gave or why it gave nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from explorer.base.cancel import CancelScope
from explorer.base.events import EventSink, StageProgress
from explorer.corpus.identity import distinct_documents
from explorer.corpus.material import FileReading
from explorer.corpus.read import read_file
from explorer.indexing.files import SourceFile

STAGE = "read"
_HALF_PAIR = re.compile("[\ud800-\udfff]")


def read_files(folder: Path, files: Sequence[SourceFile], sink: EventSink, scope: CancelScope) -> list[FileReading]:
    """Read the files, sorted by path; each document of the result has an id of its own. Raises Cancelled."""
    readings = []
    for done, file in enumerate(sorted(files, key=lambda item: item.path), start=1):
        scope.checkpoint()
        if file.reason:
            readings.append(FileReading(file.path, file.size, skip_reason=file.reason))
        else:
            readings.append(_storable(read_file(folder, file.path)))
        sink(StageProgress(STAGE, done, len(files)))
    return distinct_documents(readings)


def _storable(reading: FileReading) -> FileReading:
    """Half a surrogate pair cannot be stored as UTF-8: it becomes U+FFFD, one for one, so that places hold."""
    if not any(_HALF_PAIR.search(document.text) for document in reading.documents):
        return reading
    documents = tuple(replace(document, text=_HALF_PAIR.sub("\ufffd", document.text)) for document in reading.documents)
    return replace(reading, documents=documents)
