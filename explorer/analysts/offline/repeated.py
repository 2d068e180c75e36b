"""Lines that many documents share (headings of a form, licences, page furniture): they name nothing of one document."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from explorer.analysts.judgements import UnitText
from explorer.analysts.offline.readings import Reading

FEWEST_DOCUMENTS = 5
SHARE = 0.2


def repeated_sentences(units: Sequence[UnitText], readings: Sequence[Reading]) -> list[frozenset[int]]:
    """For each unit the numbers of its sentences that at least a fifth of the documents, and five, share."""
    copies = _documents(units)
    seen: dict[bytes, set[bytes]] = {}
    for unit, reading in zip(units, readings, strict=True):
        document = copies[unit.document_id or unit.id]
        for span in reading.sentences:
            seen.setdefault(_line(unit.text, span), set()).add(document)
    enough = max(FEWEST_DOCUMENTS, SHARE * len(set(copies.values())))
    shared = {line for line, numbers in seen.items() if len(numbers) >= enough}
    return [
        frozenset(n for n, span in enumerate(reading.sentences) if _line(unit.text, span) in shared)
        for unit, reading in zip(units, readings, strict=True)
    ]


def _documents(units: Sequence[UnitText]) -> dict[str, bytes]:
    """A digest of what each document says: copies of one document are one, and share nothing with each other."""
    digests: dict[str, Any] = {}
    for unit in units:
        digest = digests.setdefault(unit.document_id or unit.id, hashlib.blake2b(digest_size=16))
        digest.update(unit.text.encode("utf-8", "surrogatepass"))
    return {document: digest.digest() for document, digest in digests.items()}


def _line(text: str, span: tuple[int, int]) -> bytes:
    return hashlib.blake2b(text[span[0] : span[1]].encode("utf-8", "surrogatepass"), digest_size=8).digest()
