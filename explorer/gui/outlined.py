"""What a large index shows before it is read: its communities as discs of their sizes. Made on a worker thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from explorer.base.cancel import CancelScope
from explorer.base.events import EventSink
from explorer.gui.loading import Opened, rank_communities, read_rows


@dataclass(frozen=True)
class Outlined:
    """`index` is open but not read; `outline` answers where views ask for communities; `layout` its roots;
    `opened` ranks the communities for their colours."""

    index: Any
    outline: Any
    opened: Opened
    layout: Any


def outline_of(index: Any) -> Outlined | None:
    """The outline of an index that takes long to read; None for one that does not, or whose tables do not have it."""
    from explorer.tables.index import Index
    from explorer.tables.outline import is_large, read_outline

    if not isinstance(index, Index) or not is_large(index):
        return None
    outline = read_outline(index)
    if outline is None or not outline.communities:
        return None
    from explorer.graph.ring_layout import discs_by_size

    return Outlined(index, outline, rank_communities(outline), discs_by_size(outline.communities, 1))


def read_whole(index: Any, sink: EventSink, scope: CancelScope) -> tuple[Opened, Any]:
    """All of a large index, and the layout with the discs of all its levels."""
    opened = read_rows(index, sink, scope)
    from explorer.graph.ring_layout import discs_by_size
    from explorer.tables.slices import give_back

    give_back()

    return opened, discs_by_size(index.communities)


def is_large_at(path: Any) -> bool:
    """Whether an index that takes long to read is at a path; False for everything else."""
    from explorer.base.errors import ExplorerError
    from explorer.tables.index import open_index
    from explorer.tables.outline import is_large

    try:
        return is_large(open_index(path))
    except ExplorerError:
        return False  # opening it says why
