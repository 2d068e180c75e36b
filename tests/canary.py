"""A key that is planted, and every way in which it could be found again: in files, in tables, in what was said."""

from __future__ import annotations

import base64
import json
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote, quote_plus

CANARY = "sk-canary/Zq7+Wp3=xK9vTb2LmRd8"


def spellings() -> set[bytes]:
    """The key as it is, URL-encoded, as hex and in base64 at each offset, also in the web's alphabet. Our own count:
    nothing of the program is used."""
    raw = CANARY.encode()
    found = {
        raw,
        quote(CANARY).encode(),
        quote(CANARY, safe="").encode(),
        quote_plus(CANARY).encode(),
        raw.hex().encode(),
    }
    found.add(json.dumps(CANARY).strip('"').replace("/", "\\/").encode())
    for before in ("", "x", "xy"):
        whole = base64.b64encode(before.encode() + raw + b"zzz")
        middle = whole[4:-8]  # only what neither neighbour touches
        found |= {middle, middle.replace(b"+", b"-").replace(b"/", b"_")}
    return found


def leaks_in(data: bytes) -> bool:
    return any(spelling in data for spelling in spellings())


def leaks(*folders: Path) -> list[str]:
    """Every file below the folders that holds the key in some spelling, also inside what it packs."""
    found = []
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if leaks_in(str(path).encode()):
                found.append(f"the name of {path}")
            if path.is_file() and any(leaks_in(part) for part in _contents(path)):
                found.append(str(path))
    return found


def _contents(path: Path) -> Iterator[bytes]:
    data = path.read_bytes()
    yield data
    yield data.decode("utf-16-le", "ignore").encode()
    if data.startswith(b"SQLite format 3"):
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            yield "\n".join(database.iterdump()).encode()
    elif path.suffix == ".parquet":
        import pyarrow.parquet

        yield json.dumps(pyarrow.parquet.read_table(path).to_pylist(), default=str).encode()
    elif data.startswith(b"%PDF"):
        for stream in data.split(b"stream\n")[1:]:
            try:
                yield zlib.decompressobj().decompress(stream)
            except zlib.error:
                continue
