"""Folders of documents for tests, and the bytes of an index."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable
from pathlib import Path

# Two circles of names that never meet, and one name that stands alone.
TEXTS = {
    "harbour/boats.md": "Anna met Bruno. Bruno paid Clara. Clara saw Anna at the quay. Anna and Dario left.",
    "harbour/crew.txt": "Dario asked Bruno and Clara. Anna wrote to Dario. Bruno helped Dario.",
    "school.txt": "Emil taught Frieda. Frieda liked Greta. Greta knew Emil. Hugo visited Emil and Greta.",
    "rows.csv": "id,text\n1,Hugo paid Frieda.\n2,\n3,Frieda thanked Hugo and Greta.\n",
    "alone.txt": "here is nobody but Ida.",
}
TIME = 1_700_000_000


def make_folder(folder: Path, texts: dict[str, str] | None = None, order: Iterable[str] | None = None) -> Path:
    """Write the texts as files, in the order given, all with one and the same time."""
    texts = TEXTS if texts is None else texts
    for name in order or texts:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(texts[name], encoding="utf-8")
        os.utime(path, (TIME, TIME))
    return folder


def table_bytes(home: Path) -> dict[str, bytes]:
    """Every file of an index that has to be the same each time, by its path in the home."""
    return {
        str(path.relative_to(home)): path.read_bytes()
        for path in sorted(home.rglob("*"))
        if path.is_file() and path.suffix in (".parquet", ".json")
    }


def names_in(home: Path) -> set[str]:
    return {str(path.relative_to(home)) for path in home.rglob("*") if path.is_file()}


def readings(home: Path) -> int:
    """How many readings a run, which may still be going on, has kept so far."""
    path = home / "calls.sqlite"
    if not path.exists():
        return 0
    try:
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=1)
    except sqlite3.Error:
        return 0
    try:
        return int(connection.execute("SELECT count(*) FROM calls").fetchone()[0])
    except sqlite3.Error:
        return 0
    finally:
        connection.close()
