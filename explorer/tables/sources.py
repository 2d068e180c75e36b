"""The table files of a folder under whatever names a version gave them, and which of two namings stands.

Versions before 2.0 wrote `create_final_<table>`, with a table of nodes beside the entities; later ones write
`<table>`. Both may lie side by side (after a migration, or an index made anew in an old folder), as parquet or csv.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from os import SEEK_END
from pathlib import Path

from explorer.tables.columns import GRAPHRAG_TABLES
from explorer.tables.parts import part_files, strangers

LEGACY_PREFIX = "create_final_"
NODES = "nodes"  # one row an entity and level, before 2.0
_MAGIC = b"PAR1"
_LEAST = 12  # bytes of a parquet file: its mark at both ends, and the length of what describes it
_LFS = b"version https://git-lfs"


@dataclass(frozen=True)
class TableFile:
    """A table's file: `kind` is "parquet" or "csv", `legacy` says that it bears a name from before 2.0."""

    name: str
    path: Path
    kind: str
    legacy: bool
    shadowed: tuple[Path, ...] = ()  # files of the same table that do not stand


def find_tables(output: Path) -> dict[str, TableFile]:
    """The files of a folder's tables by table name (`nodes` among them); the case of file names does not matter.

    Of several files for one table the first sound one stands: today's name before the old one, parquet before csv.
    {} for no folder.
    """
    found: dict[str, list[TableFile]] = {}
    try:
        entries = sorted(output.iterdir())
    except OSError:
        return {}
    for entry in entries:
        table = _table(entry)
        if table is not None:
            found.setdefault(table.name, []).append(table)
    return {name: _standing(files) for name, files in sorted(found.items(), key=lambda item: _ORDER[item[0]])}


def file_fault(path: Path, kind: str) -> str:
    """Why a file cannot hold a table, from its first and last bytes; "" where nothing speaks against it."""
    if path.is_dir():
        return _folder_fault(path, kind)
    if not path.is_file():  # a pipe would be waited for without end
        return f"{path.name} is a link that leads nowhere" if path.is_symlink() else f"{path.name} is no plain file"
    try:
        with path.open("rb") as handle:
            head = handle.read(len(_LFS))
            size = handle.seek(0, SEEK_END)
            handle.seek(max(0, size - len(_MAGIC)))
            end = handle.read()
    except OSError as error:
        return f"{path.name} cannot be read: {error.strerror or type(error).__name__}"
    if not head:
        return f"{path.name} has 0 bytes"
    if head.startswith(_LFS):
        return f"{path.name} is a pointer of Git LFS, not the table itself: fetch it with: git lfs pull"
    if kind == "parquet" and not head.startswith(_MAGIC):
        return f"{path.name} is no parquet file"
    if kind == "parquet" and (end != _MAGIC or size < _LEAST):
        return f"{path.name} is no whole parquet file: its end is missing"
    return ""


def is_table_folder(path: Path) -> bool:
    """Whether a folder bears the name of a table's file: it is taken for the table in parts, not for an index."""
    return path.is_dir() and _table(path) is not None


def _folder_fault(path: Path, kind: str) -> str:
    """Why a folder with the name of a table cannot be its parts."""
    if kind != "parquet":
        return f"{path.name} is a folder, not a file"
    try:
        parts, others = part_files(path), strangers(path)
    except OSError as error:
        return f"{path.name} cannot be read: {error.strerror or type(error).__name__}"
    if others:
        return f"{path.name} is a folder with more than parts of a table in it: {others[0].name}"
    if not parts:
        return f"{path.name} is a folder, not a file"
    faults = (file_fault(part, kind) for part in parts)
    return next((f"{path.name} is a folder of parts, of which {fault}" for fault in faults if fault), "")


def file_mark(path: Path) -> list[object]:
    """Name, size and time of a table's file, or of each of its parts, by which it is known again. Raises OSError."""
    found: list[object] = [path.name]
    for part in part_files(path):
        status = part.stat()
        found += [status.st_size, status.st_mtime_ns]
    return found


def file_digest(path: Path) -> bytes:
    """The SHA-256 of a table's file; of a table in parts that of the digests of all. Raises OSError."""
    digests = []
    for part in part_files(path):
        with part.open("rb") as handle:
            digests.append(hashlib.file_digest(handle, "sha256").digest())
    return digests[0] if not path.is_dir() else hashlib.sha256(b"".join(digests)).digest()


_ORDER = {name: place for place, name in enumerate((*GRAPHRAG_TABLES, NODES))}


def _table(entry: Path) -> TableFile | None:
    stem, _, kind = entry.name.lower().rpartition(".")
    if kind not in ("parquet", "csv"):
        return None
    legacy = stem.startswith(LEGACY_PREFIX)
    name = stem.removeprefix(LEGACY_PREFIX)
    if name not in _ORDER or (name == NODES and not legacy):
        return None
    return TableFile(name, entry, kind, legacy)


def _standing(files: list[TableFile]) -> TableFile:
    ranked = sorted(files, key=lambda file: (bool(file_fault(file.path, file.kind)), file.legacy, file.kind == "csv"))
    first, *others = ranked
    return TableFile(first.name, first.path, first.kind, first.legacy, tuple(sorted(other.path for other in others)))
