"""The layout of an index on disk: positions.parquet (entities) and discs.json (communities) in its home."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from explorer.base.cancel import CancelScope
from explorer.base.errors import StorageError
from explorer.base.events import EventSink, Notice, ignore
from explorer.base.files import write_text_atomic
from explorer.base.pieces import sorted_in_pieces
from explorer.graph.layout_process import layout_in_process
from explorer.graph.positions import Disc, Layout, layout_input
from explorer.tables.rows import CommunityRow, EntityRow, RelationshipRow

POSITIONS_FILE = "positions.parquet"
DISCS_FILE = "discs.json"
SCHEMA_VERSION = 1


class LaidOut(Protocol):
    """What a layout needs of an index: its rows and the folder that may be written to."""

    @property
    def home(self) -> Path: ...
    @property
    def entities(self) -> Sequence[EntityRow]: ...
    @property
    def relationships(self) -> Sequence[RelationshipRow]: ...
    @property
    def communities(self) -> Sequence[CommunityRow]: ...


def ensure_layout(index: LaidOut, scope: CancelScope | None = None, sink: EventSink = ignore) -> Layout:
    """The stored layout where it is that of these tables, otherwise a new one, which is then stored.

    Takes a moment for the hash of the tables and seconds where it must be computed: call it from a worker thread. A
    disk that cannot be written to is a Notice, the layout is returned all the same. Raises Cancelled.
    """
    given = layout_input(index.entities, index.relationships, index.communities)
    stored = load_layout(index.home)
    if stored is not None and stored.fingerprint == given.fingerprint:
        return stored
    layout = layout_in_process(given, scope)
    try:
        save_layout(index.home, layout)
    except StorageError as error:
        sink(Notice(f"The picture of the graph is not kept and will be computed again next time: {error.sentence}"))
    return layout


def save_layout(home: Path, layout: Layout) -> None:
    """Write both files, each whole or not at all; the same layout gives the same bytes. Raises StorageError.

    discs.json comes last and holds the hash of the points beside it: a stop between the two leaves a pair that does
    not match, and the layout is made again.
    """
    from explorer.tables.write import write_table

    rows = [{"entity_id": entity, "x": x, "y": y} for entity, (x, y) in sorted(layout.points.items())]
    write_table(home, "positions", rows)
    stored = {
        "schema_version": SCHEMA_VERSION,
        "fingerprint": layout.fingerprint,
        "unplaced": layout.unplaced,
        "points": _hash_of(layout.points),
        "counts": layout.counts,
        "discs": {str(number): [disc.x, disc.y, disc.r] for number, disc in sorted(layout.discs.items())},
    }
    write_text_atomic(home / DISCS_FILE, json.dumps(stored, indent=1) + "\n")


def load_layout(home: Path) -> Layout | None:
    """The stored layout, or None where there is none that can be used (absent, damaged, of another version).

    A layout is computed from the tables and lost without harm, so damage is no error: it is made again.
    """
    from pyarrow.lib import ArrowException

    from explorer.tables.write import read_rows

    try:
        stored = json.loads((home / DISCS_FILE).read_text(encoding="utf-8"))
        if stored["schema_version"] != SCHEMA_VERSION:
            return None
        discs = {int(number): Disc(*map(_number, circle)) for number, circle in stored["discs"].items()}
        points = {
            str(row["entity_id"]): (_number(row["x"]), _number(row["y"])) for row in read_rows(home / POSITIONS_FILE)
        }
        if _hash_of(points) != stored["points"]:
            return None
        counts = {str(name): int(count) for name, count in stored["counts"].items()}
        return Layout(discs, points, int(stored["unplaced"]), counts, str(stored["fingerprint"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ArrowException):
        return None


def _hash_of(points: Mapping[str, tuple[float, float]]) -> str:
    digest = hashlib.sha256()
    for entity, (x, y) in sorted_in_pieces(points.items()):
        digest.update(f"{entity}\x1f{x!r}\x1f{y!r}\n".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _number(value: object) -> float:
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r} is no coordinate")
    return float(value)
