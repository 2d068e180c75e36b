"""Whether tables can be read to their end, columns included that nobody asks for: damage is said of a whole table.

Looking takes a tenth of a second for a large index, so that what was found sound is noted in the index's home.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.base.errors import StorageError
from explorer.base.files import write_text_atomic
from explorer.tables.read_columns import can_be_read
from explorer.tables.sources import file_mark

if TYPE_CHECKING:
    from explorer.tables.index import Index

NOTE = "whole.json"  # table → name, size and time of the file that was read to its end


def damaged_tables(index: Index, read: Mapping[str, Collection[str]]) -> list[str]:
    """Those of some tables whose bodies are damaged in other columns than those that are `read` of them.

    Reads no column of a file that was found sound before and is of the same size and time.
    """
    known = _note(index)
    files = {name: path for name in read if (path := index.plain_file(name)) is not None}
    now = {name: _mark(path) for name, path in files.items()}
    damaged = [name for name in files if known.get(name) != now[name] and not can_be_read(files[name], read[name])]
    sound = {name: mark for name, mark in now.items() if name not in damaged}
    if any(known.get(name) != mark for name, mark in sound.items()):
        with contextlib.suppress(OSError, StorageError):  # a home that cannot be written costs the look alone
            write_text_atomic(index.home / NOTE, json.dumps({**known, **sound}, indent=1) + "\n")
    return damaged


def _mark(path: Path) -> object:
    try:
        return file_mark(path)
    except OSError:
        return []


def _note(index: Index) -> dict[str, object]:
    try:
        found = json.loads((index.home / NOTE).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
