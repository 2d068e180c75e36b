"""What ends a run before its last call: a connection that is of no use any more, or a cap."""

from __future__ import annotations

from explorer.base.cancel import CancelScope
from explorer.base.events import CapReached, Event, EventSink, ignore


class RunWatch:
    """Stands between a run and its listener, and remembers why no further call is to be made.

    `sink` passes every event on. `stop` is the sentence of what ended the run (a wrong key, no such model, a server
    that is gone), "" while nothing has.
    """

    def __init__(self, sink: EventSink = ignore) -> None:
        self.stop = ""
        self._sink = sink
        self._cap: CapReached | None = None

    def sink(self, event: Event, /) -> None:
        if isinstance(event, CapReached):
            self._cap = event
        self._sink(event)

    def cap_sentence(self, scope: CancelScope | None) -> str:
        """The sentence of the cap at which the run was stopped; "" where there was none, or it was raised since."""
        if self._cap is None or scope is None:
            return ""
        value = scope.caps.get(self._cap.name, self._cap.cap)
        return self._cap.sentence if value is not None and value <= self._cap.cap else ""
