"""Ids of documents and text units that are the hash of their text, and still each once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from explorer.base.ids import content_hash
from explorer.corpus.material import FileReading, TextUnit


def distinct_ids(items: Iterable[tuple[str, str]]) -> list[str]:
    """An id for each (text, place), in order: the SHA-512 of the text, as GraphRAG has it.

    Two equal texts would share an id, and a table row would stand for both. So the first keeps the plain hash and
    each later one gets the hash of text, unit separator and place; a place that repeats is numbered. The result
    depends on the order of the items: give them sorted by path, row and position.
    """
    taken: set[str] = set()
    ids = []
    for text, place in items:
        chosen = content_hash(text)
        repeat = 1
        while chosen in taken:
            chosen = content_hash(f"{text}\x1f{place}" if repeat == 1 else f"{text}\x1f{place}\x1f{repeat}")
            repeat += 1
        taken.add(chosen)
        ids.append(chosen)
    return ids


def distinct_documents(readings: Sequence[FileReading]) -> list[FileReading]:
    """The readings of a folder, sorted by path, in which each document has an id of its own."""
    ordered = sorted(readings, key=lambda reading: reading.path)
    ids = iter(
        distinct_ids(
            (document.text, f"{document.path}\x1f{document.row or 0}")
            for reading in ordered
            for document in reading.documents
        )
    )
    return [
        replace(reading, documents=tuple(replace(document, id=next(ids)) for document in reading.documents))
        for reading in ordered
    ]


def distinct_units(units: Sequence[TextUnit]) -> list[TextUnit]:
    """The text units of a folder, in the order given, in which each has an id of its own."""
    ids = distinct_ids((unit.text, f"{unit.document_id}\x1f{unit.start}") for unit in units)
    return [replace(unit, id=chosen) for unit, chosen in zip(units, ids, strict=True)]
