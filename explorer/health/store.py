"""Whether the call store of an index can be read, found out without opening it: opening may write beside it."""

from __future__ import annotations

from pathlib import Path

_MAGIC = b"SQLite format 3\0"  # https://www.sqlite.org/fileformat.html, "Magic Header String"


def sound_database(path: Path) -> bool:
    """Whether a file begins as an SQLite file does. A missing or an empty file is sound: it is made when it is used."""
    try:
        with path.open("rb") as handle:
            head = handle.read(len(_MAGIC))
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return head in (b"", _MAGIC)
