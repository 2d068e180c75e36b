"""The texts of an index that get a vector, as GraphRAG chooses them, with the hashes that say which have changed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field

from explorer.tables.index import Index
from explorer.tables.vector_columns import ENTITIES, REPORTS, UNITS

_RECIPE = "1"  # counts up when the same text begins to be embedded in another way


@dataclass(frozen=True)
class VectorTexts:
    """`hashes` by table: (id, hash) of every text, in the order of the index's table, each id once.

    `text` is a text by its hash; `empty` counts by table those with nothing in them, which get no vector.
    """

    hashes: dict[str, list[tuple[str, str]]]
    text: dict[str, str]
    empty: dict[str, int] = field(default_factory=dict)

    @property
    def contents(self) -> dict[tuple[str, str], str]:
        """The hash of every text by (table, id)."""
        return {(table, name): digest for table, rows in self.hashes.items() for name, digest in rows}


def vector_texts(index: Index) -> VectorTexts:
    """Text units by their text, entities by title:description, reports by their full content (GraphRAG's choice)."""
    sources: dict[str, Iterable[tuple[str, str]]] = {
        UNITS: ((row.id, row.text) for row in index.text_units),
        ENTITIES: ((row.id, f"{row.title}:{row.description}") for row in index.entities),
        REPORTS: ((row.id, row.full_content) for row in index.reports),
    }
    texts = VectorTexts({}, {})
    for table, rows in sources.items():
        seen: dict[str, str] = {}
        for name, text in rows:
            if not text.strip() or text == ":":
                texts.empty[table] = texts.empty.get(table, 0) + 1
            elif name not in seen:
                digest = hashlib.sha256(f"{_RECIPE}\x1f{text}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
                seen[name] = digest
                texts.text.setdefault(digest, text)
        texts.hashes[table] = list(seen.items())
    return texts
