"""The calls of an index as its call store has them, in the form in which those of a run are shown. No Qt.

All figures are taken in one pass over the store; of the calls themselves only a page at a time is held. A call has one
row, that of its newest record; what its earlier records were charged is in the sums.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.base.cancel import CancelScope
from explorer.base.events import CallSettled, Event
from explorer.base.fates import LOST_CALLS
from explorer.gui.calls_log import PART_OF, CallsLog, Spent

if TYPE_CHECKING:
    from explorer.models.kept_calls import KeptCall

PAGE = 400  # calls read at a time
REPLACED = "replaced"  # the fate of a failed call whose loss a later call has made good


@dataclass
class KeptLog(CallsLog):
    """`rows` are the calls read so far, of `total.calls`; `sentence` says why there is none. `again` sums records
    that a later one under the same key has taken the place of: they are in `total` too."""

    index: Any = None
    sentence: str = ""
    again: Spent = field(default_factory=Spent)
    rows: list[CallSettled] = field(default_factory=list)
    kept: Any = None  # KeptList

    def shown(self) -> list[CallSettled]:
        return self.rows

    def lost_keys(self, path: str | None = None) -> frozenset[str]:
        lost = self.kept.lost if self.kept is not None else {}
        return frozenset(key for key, (_id, files) in lost.items() if path is None or path in files)

    @property
    def more(self) -> bool:
        """Whether calls stand in the store that were not read yet."""
        return self.kept is not None and len(self.rows) < len(self.kept.order)

    def take(self, events: Iterable[Event]) -> bool:
        """Nothing: a store is read, not listened to."""
        return False

    def count(self, call: KeptCall, newest: bool, files: tuple[str, ...]) -> None:
        """Take one record of the store."""
        sums = [
            self.total,
            self.stages.setdefault(PART_OF.get(call.stage, call.stage), Spent()),
            self.kinds.setdefault(call.stage, Spent()),
        ]
        for spent in sums:
            spent.calls += newest
            spent.charge(call)
        for path in files:
            spent = self.files.setdefault(path, Spent())
            spent.calls += newest
            spent.charge(call, 1 / len(files))
        self.retries += call.retries
        if newest:
            self.fates[call.fate] += 1
        else:
            self.again.calls += 1
            self.again.charge(call)

    def settle(self, kept: Any, lost: Iterable[KeptCall]) -> None:
        """Take what the pass over the store ended with; `lost` are the calls that gave nothing."""
        self.kept, self.sentence = kept, kept.sentence
        for fate in LOST_CALLS:
            self.fates[fate] = 0
        for call in lost:
            self.fates[call.fate] += 1
            self.reasons[call.error or call.note or call.fate] += 1
            for spent in (self.total, self.stages[PART_OF.get(call.stage, call.stage)], self.kinds[call.stage]):
                spent.lost += 1
            for path in kept.lost[call.key][1]:
                self.files[path].lost += 1
        if kept.replaced:
            self.fates[REPLACED] = len(kept.replaced)


def read_log(index: Any, scope: CancelScope) -> KeptLog:
    """The figures of the calls of an index and their first page. Raises StorageError, Cancelled."""
    from explorer.indexing.kept_calls import list_calls
    from explorer.models.call_store import CALLS_NAME
    from explorer.models.kept_calls import KeptCalls

    log = KeptLog(index=index)
    kept = list_calls(index, log.count, scope)
    if kept.lost:
        with KeptCalls(index.home / CALLS_NAME) as store:
            log.settle(kept, store.rows(sorted(id for id, _files in kept.lost.values())))
    else:
        log.settle(kept, ())
    add_page(log, read_page(log))
    return log


def read_page(log: KeptLog) -> list[CallSettled]:
    """The calls that come after those which were read. Raises StorageError."""
    from explorer.models.call_store import CALLS_NAME
    from explorer.models.kept_calls import KeptCalls

    if not log.more:
        return []
    files = log.kept.files
    with KeptCalls(log.index.home / CALLS_NAME) as store:
        calls = store.rows(log.kept.order[len(log.rows) : len(log.rows) + PAGE].tolist())
    return [_event(call, files.of(call), call.id in log.kept.replaced) for call in calls]


def add_page(log: KeptLog, page: list[CallSettled]) -> None:
    """Put a page that was read behind the rows."""
    log.rows.extend(page)
    log.version += 1


def open_kept(home: Path, key: str) -> Any:
    """A call of the store in `home` with everything, None where it has none. Raises StorageError."""
    from explorer.models.call_store import CALLS_NAME
    from explorer.models.kept_calls import KeptCalls

    path = home / CALLS_NAME
    if not path.is_file():
        return None
    with KeptCalls(path) as store:
        return store.open_call(key)


def _event(call: KeptCall, files: tuple[str, ...], replaced: bool) -> CallSettled:
    return CallSettled(
        call.stage, REPLACED if replaced else call.fate, call.prompt_tokens, call.output_tokens, call.seconds, call.key,
        call.subject, call.model, call.cost, call.retries, call.error or "", call.note, files,
    )  # fmt: skip
