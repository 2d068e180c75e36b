"""Where an export goes."""

from __future__ import annotations

from pathlib import Path

from explorer.base.errors import InputError


def target_file(out: Path, name: str) -> Path:
    """The file to write: `out` itself, or `name` in it where `out` is a folder that exists."""
    out = out.expanduser()
    return out / name if out.is_dir() else out


def target_folder(out: Path) -> Path:
    """The folder to write into. Raises InputError where a file stands in its place."""
    out = out.expanduser()
    if out.exists() and not out.is_dir():
        raise InputError(f"{out} is a file, and the tables need a folder; nothing was written. Give another path.")
    return out
