"""Ids made from content, so that the same folder always gives the same tables."""

from __future__ import annotations

import hashlib
import uuid

_NAMESPACE = uuid.UUID("5a0f6a52-3d61-5a52-9b67-0c3f5a3f7d11")


def content_uuid(kind: str, *parts: str) -> str:
    """The uuid5 of a row: its kind (entity, relationship, community …) and what identifies it."""
    return str(uuid.uuid5(_NAMESPACE, "\x1f".join((kind, *parts))))


def content_hash(text: str) -> str:
    """The SHA-512 of a text in hex (128 characters), as GraphRAG names documents, text units and reports."""
    return hashlib.sha512(text.encode("utf-8", "surrogatepass")).hexdigest()
