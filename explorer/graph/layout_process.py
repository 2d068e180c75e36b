"""The layout computed in another process, sent there and back in pieces.

To pickle a hundred thousand links is one call that holds the interpreter, and with it the window, for a quarter of a
second; a piece takes some milliseconds.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from explorer.base.cancel import CancelScope
from explorer.base.pieces import pieces
from explorer.base.processes import run_in_process
from explorer.graph.positions import Layout, LayoutInput, find_layout


def layout_in_process(given: LayoutInput, scope: CancelScope | None = None) -> Layout:
    """What `find_layout` returns, from a spawned process of low priority. Raises Cancelled, WorkerError."""
    parts = (_packed(given.entities), _packed(given.links), _packed(given.communities))
    layout, discs, points = run_in_process(_find, *parts, scope=scope)
    return replace(layout, discs=dict(_unpacked(discs)), points=dict(_unpacked(points)))


def _find(
    entities: list[bytes], links: list[bytes], communities: list[bytes]
) -> tuple[Layout, list[bytes], list[bytes]]:
    given = LayoutInput(*(tuple(_unpacked(part)) for part in (entities, links, communities)))
    found = find_layout(given)
    return replace(found, discs={}, points={}), _packed(found.discs.items()), _packed(found.points.items())


def _packed(items: Iterable[Any]) -> list[bytes]:
    return [pickle.dumps(piece) for piece in pieces(items)]


def _unpacked(parts: list[bytes]) -> Iterable[Any]:
    for part in parts:
        yield from pickle.loads(part)  # bytes of our own process
