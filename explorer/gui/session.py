"""The one shared state of the window: the open index and what is chosen in it.

Views read the attributes and listen to the signals; they never talk to each other. Choosing what is chosen already
emits nothing, so two views that follow each other cannot start a loop.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from explorer.base.cancel import CancelScope
from explorer.base.events import EventSink
from explorer.gui.engine import Engine
from explorer.gui.job import Job
from explorer.gui.loading import NoIndexYet, Opened, Target, open_or_find_documents, read_rows
from explorer.gui.outlined import Outlined, outline_of, read_whole

if TYPE_CHECKING:  # both bring libraries that the first picture of the window need not wait for
    from explorer.models.connection import Connection
    from explorer.models.keys import Keys

OFFLINE = "offline"
CITATION_KINDS = ("Entities", "Relationships", "Sources", "Reports", "Claims")


@dataclass(frozen=True)
class Citation:
    """One number of a `[Data: Kind (number, …)]`: `number` is the human-readable id (of Reports: the community)."""

    kind: str
    number: int


def _layout(index: Any, sink: EventSink, scope: CancelScope) -> Any:
    from explorer.graph.layout_store import ensure_layout

    return ensure_layout(index, scope, sink)


class Session(QObject):
    """See the module. `opener(path)` and `layouter(index, sink, scope)` are the engine's own; tests give others."""

    index_opening = Signal(str)
    outline_opened = Signal(object)  # Outline of a large index: its communities; index_opened follows once it is read
    index_opened = Signal(object)  # Index
    index_closed = Signal()
    layout_ready = Signal(object)  # Layout
    level_changed = Signal(int)
    community_chosen = Signal(object)  # community number or None
    entity_chosen = Signal(object)  # entity id or None
    citation_chosen = Signal(object)  # Citation
    trace_changed = Signal(object)  # Trace or None
    connection_changed = Signal(str)  # name of the connection in use: another one, or this one was edited
    connections_changed = Signal()  # one was added, edited, renamed or removed
    place_wanted = Signal(str)  # start | documents | communities | ask | fan-out | health | connections
    folder_wanted = Signal(object)  # Path of a folder of documents that has no index yet
    notice = Signal(str)  # a plain sentence
    failed = Signal(str)  # what happened, what was kept, what to do

    def __init__(
        self,
        engine: Engine,
        *,
        opener: Callable[[Path], Any] = open_or_find_documents,
        layouter: Callable[[Any, EventSink, CancelScope], Any] = _layout,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.engine = engine
        self._opener, self._layouter = opener, layouter
        self._opened = Opened(None)
        self._opening: Job | None = None
        self._laying: Job | None = None
        self._reading: Job | None = None  # reads the rest of the large index whose outline is shown
        self.outline: Any = None  # of a large index, while it is open
        self.layout: Any = None
        self.level = 0
        self.community: int | None = None
        self.entity: str | None = None
        self.trace: Any = None
        self._keys: Keys | None = None
        self._connection_name = OFFLINE

    @property
    def connection_name(self) -> str:
        """The connection in use: "offline", or the name of one that the user set up."""
        return self._connection_name

    @property
    def keys(self) -> Keys:
        """The keys of this running program. Ask them on a worker thread: a keyring may take seconds to answer."""
        if self._keys is None:
            from explorer.models.keys import Keys

            self._keys = Keys()
        return self._keys

    def connection(self) -> Connection | None:
        """The connection in use, None for the offline analyst. Raises InputError where it is gone or damaged."""
        if self._connection_name == OFFLINE:
            return None
        from explorer.models.connections import find_connection

        return find_connection(self._connection_name)

    def use_connection(self, name: str) -> None:
        """Let indexing and asking from now on use this connection ("offline", or a name). Emits always: one that is
        in use already may have been edited."""
        self._connection_name = name
        self.connection_changed.emit(name)

    @property
    def index(self) -> Any:
        """The open Index, every table of it in memory, or None."""
        return self._opened.index

    def root_rank(self, community: int) -> int:
        """The rank by size of a community's level-0 ancestor, for Theme.community_colour; -1 for an unknown one."""
        return self._opened.root_rank.get(community, -1)

    def entity_rank(self, entity_id: str) -> int:
        """The same for an entity, through its communities; -1 for one that is in no community."""
        return self._opened.entity_rank.get(entity_id, -1)

    def deepest_community(self, entity_id: str) -> int | None:
        """The deepest community that an entity is in, or None."""
        return self._opened.deepest.get(entity_id)

    @property
    def targets(self) -> tuple[Target, ...]:
        """What can be gone to by name: reports, communities without one, entities."""
        return self._opened.targets

    @property
    def opening(self) -> bool:
        """Whether an index is being opened now."""
        return self._opening is not None

    @property
    def reading(self) -> Job | None:
        """The job that reads a large index of which only the outline is known, or None."""
        return self._reading

    @property
    def laying(self) -> bool:
        """Whether the positions of the open index are being computed now."""
        return self._laying is not None

    def open_path(self, path: Path) -> None:
        """Open an index, or a folder that has one; returns at once, the signals tell the rest.

        A folder of documents without an index gives `folder_wanted`; what cannot be opened gives `failed`, and the
        index that is open stays open.
        """
        path = Path(path).expanduser().absolute()
        if self._opening is not None:
            self._opening.cancel()
        self.index_opening.emit(str(path))
        job = self.engine.run(
            lambda sink, scope: self._load(path, sink, scope),
            name=f"Opening {path.name}",
            quiet=True,
            on_done=lambda opened: self._take(job, path, opened),
            on_error=lambda sentence: self._refuse(job, sentence),
        )
        self._opening = job

    def close_index(self) -> None:
        """Let go of the index and everything that was chosen in it."""
        for job in (self._laying, self._reading):
            if job is not None:
                job.cancel()
        self._laying = self._reading = None
        if self.index is None and self.outline is None:
            return
        self._opened = Opened(None)
        self.layout = self.trace = self.outline = None
        self.level, self.community, self.entity = 0, None, None
        self.index_closed.emit()

    def set_level(self, level: int) -> None:
        """Show the communities of another level; clamped to the levels of the index."""
        shown = self.index if self.index is not None else self.outline
        levels = list(shown.levels) if shown is not None else []
        if levels:
            level = max(min(levels), min(level, max(levels)))
        if level != self.level:
            self.level = level
            self.level_changed.emit(level)

    def choose_community(self, community: int | None) -> None:
        """Choose a community by its number everywhere; None chooses nothing."""
        if community != self.community:
            self.community = community
            self.community_chosen.emit(community)

    def choose_entity(self, entity_id: str | None) -> None:
        """Choose an entity by its id everywhere; None chooses nothing."""
        if entity_id != self.entity:
            self.entity = entity_id
            self.entity_chosen.emit(entity_id)

    def open_citation(self, citation: Citation) -> None:
        """Open what a citation names: an entity or a report is chosen; every view may answer `citation_chosen`.

        Opening the same citation twice is meant (the text it opened may have been left), so this always emits.
        """
        if self.index is not None and citation.kind == "Entities":
            row = self.index.entity_by_number.get(citation.number)
            if row is not None:
                self.choose_entity(row.id)
        elif (
            self.index is not None and citation.kind == "Reports" and citation.number in self.index.community_by_number
        ):
            self.choose_community(citation.number)
        self.citation_chosen.emit(citation)

    def set_trace(self, trace: Any) -> None:
        """Make a trace the one that is looked at; None for none."""
        if trace is not self.trace:
            self.trace = trace
            self.trace_changed.emit(trace)

    def show_place(self, name: str) -> None:
        """Ask the window to show a place."""
        self.place_wanted.emit(name)

    def _load(self, path: Path, sink: EventSink, scope: CancelScope) -> Opened | Outlined | None:
        try:
            index = self._opener(path)
        except NoIndexYet:
            return None
        return outline_of(index) or read_rows(index, sink, scope)

    def _take(self, job: Job, path: Path, opened: Opened | Outlined | None) -> None:
        if job is not self._opening:
            return  # another path was opened since
        self._opening = None
        if opened is None:
            self.folder_wanted.emit(path)
            return
        if isinstance(opened, Outlined):
            self._take_outline(opened)
            return
        self.close_index()
        self._opened = opened
        index = opened.index
        self.level = min(index.levels) if index.levels else 0
        self.index_opened.emit(index)
        self._laying = self.engine.run(
            lambda sink, scope: self._layouter(index, sink, scope),
            name="Placing the communities",
            turn=1,
            on_done=lambda layout: self._take_layout(index, layout),
            on_error=self._no_layout,
        )

    def _take_outline(self, outlined: Outlined) -> None:
        """Show the communities of a large index, then read it."""
        self.close_index()
        self._opened, self.outline, self.layout = outlined.opened.without_index(), outlined.outline, outlined.layout
        self.level = min(self.outline.levels)
        self.outline_opened.emit(self.outline)
        index = outlined.index
        job = self.engine.run(
            lambda sink, scope: read_whole(index, sink, scope),
            name=f"Reading {index.name}",
            turn=1,
            on_done=lambda read: self._take_rest(job, *read),
            on_error=lambda sentence: self._no_rest(job, sentence),
        )
        self._reading = job

    def _take_rest(self, job: Job, opened: Opened, layout: Any) -> None:
        if job is self._reading:
            self._reading, self._opened, self.layout = None, opened, layout
            self.index_opened.emit(opened.index)
            self.layout_ready.emit(self.layout)

    def _no_rest(self, job: Job, sentence: str) -> None:
        if job is self._reading:
            self._reading = None
            self.failed.emit(sentence)

    def _take_layout(self, index: Any, layout: Any) -> None:
        self._laying = None
        if index is self.index:
            self.layout = layout
            self.layout_ready.emit(layout)

    def _no_layout(self, sentence: str) -> None:
        self._laying = None
        self.failed.emit(sentence)

    def _refuse(self, job: Job, sentence: str) -> None:
        if job is self._opening:
            self._opening = None
            self.failed.emit(sentence)
