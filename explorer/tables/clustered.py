"""Communities that this program found in an index without a table of them, kept in the user data directory.

They stand for the missing table as long as the entities and relationships are those that they were found in.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.tables.sources import TableFile, file_digest

if TYPE_CHECKING:
    from explorer.tables.index import Index

FOLDER = "clustered"
BASIS = "basis.json"
BASIS_TABLES = ("entities", "relationships")
REMARK = "found by this program in the relationships and kept with its own data: the index has no such table"


def can_be_clustered(index: Index) -> bool:
    """Whether an index made elsewhere has relationships and no communities, without reading a table."""
    links = index.state("relationships")
    return index.foreign and index.state("communities").state != "read" and links.state == "read" and links.rows > 0


def clustered_file(home: Path, files: Mapping[str, TableFile]) -> TableFile | None:
    """The table of communities found for these files; None where there is none, or where they changed since."""
    table = home / FOLDER / "communities.parquet"
    if not table.is_file():
        return None
    try:
        known = json.loads((home / FOLDER / BASIS).read_text("utf-8"))
        return TableFile("communities", table, "parquet", False) if known == basis(files) else None
    except (OSError, ValueError):
        return None


def basis(files: Mapping[str, TableFile]) -> dict[str, str]:
    """The SHA-256 of the tables that communities are found in, by name. Raises OSError."""
    found = {}
    for name in BASIS_TABLES:
        if name in files:
            found[name] = file_digest(files[name].path).hex()
    return found
