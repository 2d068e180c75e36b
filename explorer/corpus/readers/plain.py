"""Plain text."""

from __future__ import annotations

from explorer.corpus.decode import decode
from explorer.corpus.readers.parts import Parts, whole


def read(data: bytes) -> Parts:
    """The text as it stands."""
    decoded = decode(data)
    return whole(decoded.text, decoded.notes)
