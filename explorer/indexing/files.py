"""The files of a folder as indexing sees them: their hashes, and what became of each."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from explorer.base.cancel import CancelScope
from explorer.base.events import FileSettled
from explorer.base.fates import FileFate
from explorer.corpus.folder import FoundFile
from explorer.corpus.names import find_path
from explorer.indexing.summary import FileReason, FileSummary
from explorer.tables.index_file import InputInfo

_BLOCK = 1 << 20


@dataclass(frozen=True)
class SourceFile:
    """A file before it is read. `sha256` is "" for a file that is skipped by its name or cannot be opened."""

    path: str
    size: int
    sha256: str
    reason: str = ""  # why it is skipped


@dataclass(frozen=True)
class SettledFile:
    """A file with its fate; the numbers are what it gave to the index."""

    path: str
    size: int
    sha256: str
    fate: FileFate
    reason: str = ""
    documents: int = 0
    text_units: int = 0
    tokens: int = 0
    failed_units: int = 0  # text units that were not read

    def event(self) -> FileSettled:
        return FileSettled(
            self.path, str(self.fate), self.reason, self.size, self.documents, self.text_units, self.tokens
        )


def hash_files(folder: Path, found: Iterable[FoundFile], scope: CancelScope) -> list[SourceFile]:
    """The SHA-256 of each file that will be read, in the order given. Raises Cancelled."""
    files = []
    for file in found:
        scope.checkpoint()
        files.append(SourceFile(file.path, file.size, "" if file.reason else _hash(folder, file.path), file.reason))
    return files


def unchanged(files: Iterable[SourceFile], previous: Mapping[str, InputInfo]) -> bool:
    """Whether these are exactly the files that the last complete index was made from."""
    now = {file.path: (file.sha256, file.size if file.sha256 else 0, file.reason) for file in files}
    before = {
        path: (info.sha256, info.size if info.sha256 else 0, "" if info.sha256 else _name_reason(info))
        for path, info in previous.items()
    }
    return now == before


def settle_unchanged(files: Iterable[SourceFile], previous: Mapping[str, InputInfo]) -> list[SettledFile]:
    """The fates of files that are all as they were: what was indexed is unchanged, the others are what they were."""
    settled = []
    for file in files:
        info = previous[file.path]
        fate = FileFate.UNCHANGED if info.fate == FileFate.INDEXED else FileFate(info.fate)
        settled.append(
            SettledFile(
                file.path, file.size, file.sha256, fate, info.reason, info.documents, info.text_units, info.tokens
            )
        )
    return settled


def file_inputs(settled: Iterable[SettledFile]) -> dict[str, InputInfo]:
    """What index.json keeps of each file. An unchanged file stands there as indexed: that is what the index holds."""
    return {
        file.path: InputInfo(
            sha256=file.sha256,
            size=file.size,
            fate=str(FileFate.INDEXED if file.fate is FileFate.UNCHANGED else file.fate),
            reason=file.reason,
            documents=file.documents,
            text_units=file.text_units,
            tokens=file.tokens,
            failed_units=file.failed_units,
        )
        for file in settled
    }


def summarize_files(settled: Iterable[SettledFile]) -> FileSummary:
    """The fates of all files as the summary shows them, by path."""
    summary = FileSummary()
    for file in sorted(settled, key=lambda item: item.path):
        if file.fate is FileFate.INDEXED:
            summary.indexed += 1
        elif file.fate is FileFate.UNCHANGED:
            summary.unchanged += 1
        elif file.fate is FileFate.SKIPPED:
            summary.skipped.append(FileReason(path=file.path, reason=file.reason))
        else:
            summary.failed.append(FileReason(path=file.path, reason=file.reason))
    return summary


def _name_reason(info: InputInfo) -> str:
    return info.reason if info.fate == FileFate.SKIPPED else ""


def _hash(folder: Path, path: str) -> str:
    digest = hashlib.sha256()
    try:
        with find_path(folder, path).open("rb") as handle:
            while block := handle.read(_BLOCK):
                digest.update(block)
    except (OSError, ValueError):
        return ""  # reading it will fail in the same way and say why
    return digest.hexdigest()
