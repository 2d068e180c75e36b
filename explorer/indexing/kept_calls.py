"""The calls that made an index, from its call store: which of them still lack a reply, and what files they read.

A call that failed under another model, prompt or text is no loss once a later call about the same thing came well, or
once its text is in the index no more: no run would make it again.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from explorer.base.cancel import CancelScope
from explorer.base.fates import LOST_CALLS, SERVED_CALLS
from explorer.indexing.tally import CALL_STAGES
from explorer.models.call_store import CALLS_NAME
from explorer.models.connection import OFFLINE
from explorer.models.kept_calls import KeptCall, KeptCalls

_UNIT_STAGES = ("extract", "glean", "claims")
_LOOK = 512  # records between two looks at the scope

Take = Callable[[KeptCall, bool, tuple[str, ...]], None]
"""(record, whether it is the newest under its key, paths of the files it read from)."""


@dataclass(frozen=True)
class KeptList:
    """What stands in a store. `order` are the ids of the newest record of each call: those that gave nothing first,
    then the others, the newest of each first. `lost` are the keys of those that gave nothing, with the ids of their
    records and their files; `replaced` are ids of failed calls whose loss has been made good. `files` knows those of
    every call. `sentence` says why there are no calls, "" where there are some.
    """

    order: array[int] = field(default_factory=lambda: array("q"))
    lost: dict[str, tuple[int, tuple[str, ...]]] = field(default_factory=dict)
    replaced: frozenset[int] = frozenset()
    files: SubjectFiles | None = None
    sentence: str = ""


def list_calls(index: Any, take: Take, scope: CancelScope) -> KeptList:
    """Go once through the store of an index of ours; `take` hears of every record, oldest first.

    Raises StorageError for a store that is damaged, newer, or cannot be read; Cancelled.
    """
    sentence = why_none(index)
    path = index.home / CALLS_NAME
    if index.foreign or not path.is_file():
        return KeptList(sentence=sentence)
    files = SubjectFiles(index)
    newest = array("q")
    lost: dict[tuple[str, str], dict[int, str]] = {}  # by what the call was about
    with KeptCalls(path) as store:
        failed: set[int] = set()
        for number, (call, is_newest) in enumerate(store.records(CALL_STAGES)):
            if number % _LOOK == 0:
                scope.checkpoint()
            take(call, is_newest, files.of(call))
            if call.fate in SERVED_CALLS and call.stage != "embed" and lost:
                lost.pop((call.stage, call.subject), None)
            if not is_newest:
                continue
            newest.append(call.id)
            if call.fate in LOST_CALLS:
                failed.add(call.id)
                about = call.subject if call.stage != "embed" else call.key
                if call.stage not in _UNIT_STAGES or call.subject in index.unit_by_id:
                    lost.setdefault((call.stage, about), {})[call.id] = call.key
        vectors = [id for (stage, _), calls in lost.items() if stage == "embed" for id in calls]
        still = store.without_vectors(vectors) if vectors else set()
        kept = {
            id: key
            for (stage, _), calls in lost.items()
            for id, key in calls.items()
            if stage != "embed" or id in still
        }
        rows = {row.id: row for row in store.rows(sorted(kept))}
    ordered = array("q", sorted(kept, reverse=True))
    ordered.extend(id for id in reversed(newest) if id not in kept)
    return KeptList(
        ordered,
        {kept[id]: (id, files.of(row)) for id, row in rows.items()},
        frozenset(failed - kept.keys()),
        files,
        "" if ordered else sentence,
    )


def why_none(index: Any) -> str:
    """Why no call of an index can be listed."""
    info, path = index.info, index.home / CALLS_NAME
    if index.foreign:
        return (
            "This index was made elsewhere: the calls that made it are not kept with it, so that none can be listed, "
            "opened or made again here."
        )
    if info is not None and info.connection == OFFLINE:
        return "The offline analyst made this index on this machine: it makes no calls to a language model."
    if not path.is_file():
        return (
            f"The call store of this index is not there ({path}): which calls made it is not known. The index itself "
            "is whole; a run would make all of its calls again."
        )
    return f"No call to a language model stands in the call store of this index ({path})."


class SubjectFiles:
    """The paths of the files behind the calls of an index, by what each call was about."""

    def __init__(self, index: Any) -> None:
        self._index = index
        self._path_of = {span.text_unit_id: span.path for span in index.spans}

    def of(self, call: KeptCall) -> tuple[str, ...]:
        """Sorted; () where no file is known."""
        if call.stage in _UNIT_STAGES:
            path = self._path_of.get(call.subject)
            return () if path is None else (path,)
        if call.stage == "describe":
            row = self._index.entity_by_title.get(call.subject)
            units = row.text_unit_ids if row is not None else self._pairs.get(call.subject, ())
        elif call.stage == "reports":
            units = self._of_community(call.subject)
        else:
            return ()
        return tuple(sorted({self._path_of[unit] for unit in units if unit in self._path_of}))

    @cached_property
    def _pairs(self) -> dict[str, tuple[str, ...]]:
        """Text units of relationships by the subject of the call that joined their descriptions."""
        return {f"{row.source} — {row.target}": row.text_unit_ids for row in self._index.relationships}

    def _of_community(self, subject: str) -> tuple[str, ...]:
        number = subject.removeprefix("community ")
        row = self._index.community_by_number.get(int(number)) if number.isdecimal() else None
        return () if row is None else tuple(row.text_unit_ids)
