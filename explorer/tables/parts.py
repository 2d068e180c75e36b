"""A table that lies as a folder of parts, as parallel writers leave it: `entities.parquet/part-0.parquet`.

Parts are read in the order of their names, numbers in them by value; what begins with "." or "_" is no part.
"""

from __future__ import annotations

import re
from pathlib import Path

_DIGITS = re.compile(r"(\d+)")


def part_files(path: Path) -> list[Path]:
    """The files of a parquet table: its parts where it is a folder, else the file itself. Raises OSError."""
    if not path.is_dir():
        return [path]
    found = [entry for entry in path.iterdir() if _is_part(entry) and entry.suffix.lower() == ".parquet"]
    return sorted(found, key=_order)


def strangers(path: Path) -> list[Path]:
    """What lies in a folder of parts and is neither a part nor hidden: folders of a partition, other files."""
    others = (entry for entry in path.iterdir() if _is_part(entry))
    return sorted(entry for entry in others if entry.is_dir() or entry.suffix.lower() != ".parquet")


def _is_part(entry: Path) -> bool:
    return not entry.name.startswith((".", "_"))


def _order(path: Path) -> tuple[list[tuple[int, str]], str]:
    words = _DIGITS.split(path.name)
    return [(int(word), "") if word.isdigit() and word.isascii() else (-1, word) for word in words], path.name
