"""What ends a run before its last call: a connection that is of no use any more, or a cap."""

from __future__ import annotations

from explorer.base.cancel import CancelScope
from explorer.base.events import CallSettled, CapReached, Event, EventSink, ignore
from explorer.base.fates import CallFate


class RunWatch:
    """Stands between a run and its listener, and remembers why no further call is to be made.

    `sink` passes every event on. `stop` is the sentence of what ended the run (a wrong key, no such model, a server
    that is gone), "" while nothing has.
    """

    def __init__(self, sink: EventSink = ignore) -> None:
        self.stop = ""
        self._sink = sink
        self._cap: CapReached | None = None
        self._failed: dict[tuple[str, str], CallSettled] = {}

    def sink(self, event: Event, /) -> None:
        if isinstance(event, CapReached):
            self._cap = event
        elif isinstance(event, CallSettled) and event.fate == CallFate.FAILED.value:
            self._failed[event.stage, event.subject] = event
        self._sink(event)

    def failed(self, stage: str, subject: str) -> CallSettled | None:
        """What the client told of a call that failed in this run: it had gone out. None where it told nothing."""
        return self._failed.get((stage, subject))

    def cap_sentence(self, scope: CancelScope | None) -> str:
        """The sentence of the cap at which the run was stopped; "" where there was none, or it was raised since."""
        if self._cap is None or scope is None:
            return ""
        value = scope.caps.get(self._cap.name, self._cap.cap)
        return self._cap.sentence if value is not None and value <= self._cap.cap else ""
