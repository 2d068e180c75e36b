"""Which files a call read from, by what the call was about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from explorer.analysts.judgements import Extraction
from explorer.analysts.model.analyst import thing_title
from explorer.base.events import CallSettled
from explorer.corpus.material import TextUnit
from explorer.tables.rows import CommunityRow


class CallFiles:
    """The paths behind the subjects of calls: text units, titles, communities. Filled as the run goes on."""

    def __init__(self) -> None:
        self._path_of: dict[str, str] = {}
        self._units_of: dict[str, tuple[str, ...]] = {}

    def add_units(self, units: Iterable[TextUnit]) -> None:
        self._path_of.update((unit.id, unit.path) for unit in units)

    def add_titles(self, extraction: Extraction) -> None:
        """Entities by their title, relationships by both ends."""
        self._units_of.update((item.title, item.text_unit_ids) for item in extraction.entities)
        self._units_of.update((thing_title(item), item.text_unit_ids) for item in extraction.relationships)

    def add_communities(self, communities: Sequence[CommunityRow]) -> None:
        """Communities by the subject of their report's call."""
        self._units_of.update((f"community {row.community}", row.text_unit_ids) for row in communities)

    def tell(self, event: CallSettled) -> CallSettled:
        """The event with the paths of the files that its call read from, sorted; as it is where none is known."""
        if event.files or not event.subject:
            return event
        units = self._units_of.get(event.subject, (event.subject,))
        paths = sorted({self._path_of[unit] for unit in units if unit in self._path_of})
        return replace(event, files=tuple(paths)) if paths else event
