"""Column names as the program knows them, whatever case or blanks around them a file has."""

from __future__ import annotations

from collections.abc import Sequence

from explorer.tables.columns import GRAPHRAG_TABLES, names

# What versions before 3.0 called columns, and what else tables of any version have and this program reads.
_OLDER = frozenset((
    "raw_content", "name", "rank", "rank_explanation", "raw_community", "document_ids", "metadata", "attributes",
    "source_id", "x", "y", "n_tokens", "degree", "covariates",
))  # fmt: skip
_KNOWN = _OLDER | {column for table in (*GRAPHRAG_TABLES, "spans", "positions") for column in names(table)}


def is_known(name: str) -> bool:
    """Whether a name, whatever its case and the blanks around it, is that of a column of some table."""
    return _plain(name) in _KNOWN


def known_names(found: Sequence[str]) -> list[str]:
    """The names of a file's columns, each once, in their order.

    A name in another case, or with blanks around it, becomes the one that the program knows, unless that one is there
    itself. Of two columns of one name the first keeps it, the others are numbered.
    """
    exact = set(found)
    taken: set[str] = set()
    made = []
    for name in found:
        plain = _plain(name)
        wanted = plain if name not in _KNOWN and plain in _KNOWN and plain not in exact else name
        number = 1
        given = wanted
        while given in taken:
            given = f"{wanted}.{number}"
            number += 1
        taken.add(given)
        made.append(given)
    return made


def _plain(name: str) -> str:
    return name.strip().lower().replace(" ", "_")
