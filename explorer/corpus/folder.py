"""Which files a folder holds, and which of them will be read."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from explorer.base.errors import InputError
from explorer.base.paths import HOME_NAME
from explorer.corpus.names import printable_name
from explorer.corpus.project_folders import project_parts
from explorer.corpus.readers import SUFFIXES


@dataclass(frozen=True)
class FoundFile:
    """A file of the folder: its path relative to it (forward slashes), its bytes, and why it is skipped or ""."""

    path: str
    size: int
    reason: str = ""


def find_files(folder: Path, *, without: Collection[Path] = ()) -> list[FoundFile]:
    """Every file below `folder`, sorted by path; what will not be read carries its reason.

    Hidden folders, those of a GraphRAG project that hold no documents (where `folder` is one), links and special files
    are listed with a reason and never entered or opened; the program's own
    `.graphrag-explorer` and the folders in `without` (an index that lies elsewhere in the folder) are not listed.
    Raises InputError where the folder does not exist, is no folder, cannot be read or holds no file.
    """
    try:
        is_folder = stat.S_ISDIR(Path(folder).stat().st_mode)
    except (FileNotFoundError, ValueError) as error:
        raise InputError(f"There is no folder {folder}; check the path and start again.") from error
    except OSError as error:
        raise InputError(f"The folder {folder} cannot be read ({_why(error)}); nothing was changed.") from error
    if not is_folder:
        raise InputError(f"{folder} is not a folder; give the folder that the documents are in.")
    root = Path(os.path.realpath(folder))
    found: list[FoundFile] = []
    try:
        entries = _entries(root)
    except OSError as error:
        raise InputError(
            f"The folder {folder} cannot be read ({_why(error)}); ask for the right to read it, or choose another."
        ) from error
    excluded = {os.path.realpath(path) for path in without}
    _walk(root, "", entries, excluded, found)
    if not found:
        raise InputError(f"The folder {folder} is empty; put documents into it or choose another.")
    return sorted(found, key=lambda file: file.path)


def _walk(root: Path, above: str, names: list[str], excluded: set[str], found: list[FoundFile]) -> None:
    """Go through the tree without recursion: a folder can be nested deeper than Python's stack."""
    waiting = [(root, above, names)]
    of_project = project_parts(root, names)
    while waiting:
        here, prefix, entries = waiting.pop()
        for name in entries:
            target = here / name
            path = prefix + printable_name(name)
            if name == HOME_NAME or os.path.realpath(target) in excluded:
                continue
            try:
                status = os.lstat(target)
            except OSError as error:
                found.append(FoundFile(path, 0, f"it cannot be looked at ({_why(error)})"))
                continue
            if here == root and name in of_project:
                folder = stat.S_ISDIR(status.st_mode)
                found.append(FoundFile(path + "/" * folder, _size(status), of_project[name]))
                continue
            if stat.S_ISDIR(status.st_mode) and not _leads_elsewhere(target, root):
                if name.startswith("."):
                    found.append(FoundFile(path + "/", 0, "a hidden folder is not entered"))
                    continue
                try:
                    waiting.append((target, path + "/", _entries(target)))
                except OSError as error:
                    found.append(FoundFile(path + "/", 0, f"the folder cannot be read ({_why(error)})"))
                continue
            found.append(FoundFile(path, _size(status), _reason(target, name, status, root)))


def _leads_elsewhere(target: Path, root: Path) -> bool:
    """Whether a folder is only a door (a junction or a mount loop): its real place is not where it stands."""
    return os.path.realpath(target) != str(Path(os.path.realpath(target.parent), target.name))


def _reason(target: Path, name: str, status: os.stat_result, root: Path) -> str:
    if stat.S_ISLNK(status.st_mode) or stat.S_ISDIR(status.st_mode):
        real = Path(os.path.realpath(target))
        if not real.exists():
            return "a link that leads nowhere"
        if not real.is_relative_to(root):
            return "a link that leads out of the folder is not followed"
        return "a link to what is read at its own place"
    if not stat.S_ISREG(status.st_mode):
        return "not a regular file"
    if name.startswith("."):
        return "a hidden file"
    if name.startswith("~$"):
        return "a lock file that an office program left"
    suffix = PurePosixPath(name).suffix.lower()
    if suffix not in SUFFIXES:
        named = f"the format {printable_name(suffix)}" if suffix else "a file without an extension"
        return f"{named} is not read"
    return "" if status.st_size else "the file is empty"


def _entries(folder: Path) -> list[str]:
    return [entry.name for entry in folder.iterdir()]


def _size(status: os.stat_result) -> int:
    return status.st_size if stat.S_ISREG(status.st_mode) else 0


def _why(error: OSError) -> str:
    return error.strerror or type(error).__name__
