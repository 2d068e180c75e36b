"""Names of files as text that every table can hold, and the way back to the file.

A name on disk is bytes. Where they are not UTF-8, Python carries them as lone surrogates, which no table and no
JSON accepts; such bytes are written as ``\\xe9`` instead.
"""

from __future__ import annotations

import os
from pathlib import Path


def printable_name(name: str) -> str:
    """The name with each byte that is not UTF-8 written as ``\\xNN``; other names come back as they are."""
    if name.isprintable() or not any("\ud800" <= letter <= "\udfff" for letter in name):
        return name
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def find_path(folder: Path, path: str) -> Path:
    """The file that a relative path with forward slashes, as `find_files` gave it, stands for.

    The path comes from a directory listing or from a table, so it is checked: one that is absolute or climbs out of
    the folder raises ValueError. A file that is not there is not looked for further: opening it says so.
    """
    parts = path.split("/")
    if not path or path.startswith("/") or any(part in ("", ".", "..") for part in parts) or Path(path).is_absolute():
        raise ValueError(f"{path!r} is not a path inside the folder")
    here = folder
    for part in parts:
        here = here / _name_on_disk(here, part)
    return here


def _name_on_disk(folder: Path, part: str) -> str:
    if "\\x" not in part or os.path.lexists(folder / part):
        return part
    try:
        names = sorted(entry.name for entry in folder.iterdir())
    except OSError:
        return part
    return next((name for name in names if printable_name(name) == part), part)
