"""One file → its documents, or the reason why there are none."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from explorer.base.ids import content_hash
from explorer.corpus.decode import NotText
from explorer.corpus.material import Document, FileReading, Skipped
from explorer.corpus.names import find_path
from explorer.corpus.readers import SUFFIXES, reader
from explorer.corpus.readers.parts import Parts


def read_file(folder: Path, path: str) -> FileReading:
    """Read one file of a folder; `path` is relative to it, as `find_files` gives it.

    Never raises for what the file holds: one that cannot be read comes back with `failed`, one without text with
    `skip_reason`, each a short reason. Ids are those of the text alone; equal texts of a folder are told apart by
    `distinct_documents`.
    """
    try:
        target = find_path(folder, path)
        status = target.stat()
        size = status.st_size
    except (OSError, ValueError) as error:
        return FileReading(path, 0, failed=f"it cannot be opened ({_why(error)})")
    suffix = PurePosixPath(path).suffix.lower()
    if suffix not in SUFFIXES:
        return FileReading(
            path,
            size,
            skip_reason=f"the format {suffix} is not read" if suffix else "a file without an extension is not read",
        )
    if not size:
        return FileReading(path, size, skip_reason="the file is empty")
    try:
        parts = reader(suffix)(target.read_bytes())
    except NotText as error:
        return FileReading(path, size, failed=str(error))
    except OSError as error:
        return FileReading(path, size, failed=f"it cannot be read ({_why(error)})")
    except Exception as error:  # noqa: BLE001  a library may raise anything on a damaged file; the run goes on with the others
        return FileReading(path, size, failed=f"it is damaged or not what its extension says ({_why(error)})")
    return _reading(path, size, _utc(status.st_mtime), parts)


def _reading(path: str, size: int, created: str, parts: Parts) -> FileReading:
    documents = tuple(
        Document(
            id=content_hash(part.text),
            title=path if part.row is None else f"{path} ({part.row})",
            text=part.text,
            path=path,
            creation_date=created,
            row=part.row,
            raw_data=part.raw_data,
            pages=part.pages,
        )
        for part in parts.parts
        if part.text.strip()
    )
    skipped = tuple(Skipped(path, reason, row) for row, reason in parts.skipped)
    reason = ""
    if not documents:
        reason = (
            ("its only row holds no text" if len(skipped) == 1 else f"none of its {len(skipped):,} rows holds text")
            if skipped
            else "it holds no text"
        )
        if path.lower().endswith(".pdf"):
            reason = "it holds no text: its pages are pictures, or empty"
    return FileReading(path, size, documents, skipped, skip_reason=reason, notes=parts.notes)


def _utc(seconds: float) -> str:
    """The file's time as GraphRAG writes it, "YYYY-MM-DD HH:MM:SS +0000"."""
    try:
        return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%d %H:%M:%S %z")
    except (OverflowError, ValueError, OSError):  # a clock that was wrong when the file was made
        return ""


def _why(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    words = " ".join(str(error).split())
    return f"{type(error).__name__}: {words[:160]}" if words else type(error).__name__
