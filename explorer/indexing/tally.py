"""The calls of a run counted by stage, from the events that tell of them."""

from __future__ import annotations

from explorer.base.events import CallSettled
from explorer.base.fates import CallFate
from explorer.indexing.summary import FailedCall, StageCalls

CALL_STAGES = ("extract", "glean", "claims", "describe", "reports", "embed")


class CallTally:
    """Calls by stage, with what the run was charged, and those that gave nothing.

    The cost of a stage is None as soon as one of its calls has no known price: an unknown price is never 0.
    """

    def __init__(self) -> None:
        self.stages: dict[str, StageCalls] = {}
        self.failures: list[FailedCall] = []
        self.models: dict[str, str] = {}
        self._unpriced: set[str] = set()

    def add(self, event: CallSettled) -> None:
        """Count one call that ended."""
        calls = self.stages.setdefault(event.stage, StageCalls())
        calls.count += 1
        calls.cached += event.fate == CallFate.CACHED
        calls.failed += event.fate == CallFate.FAILED
        calls.malformed += event.fate == CallFate.MALFORMED
        calls.repaired += event.fate == CallFate.REPAIRED
        calls.prompt_tokens += event.prompt_tokens
        calls.output_tokens += event.output_tokens
        calls.retries += event.retries
        if event.cost is None:
            self._unpriced.add(event.stage)
        elif event.stage not in self._unpriced:
            calls.cost = round((calls.cost or 0.0) + event.cost, 12)  # sums of floats end in noise
        if event.stage in self._unpriced:
            calls.cost = None
        if event.model:
            self.models.setdefault(event.stage, event.model)
        if event.fate in (CallFate.FAILED, CallFate.MALFORMED):
            self.failures.append(
                FailedCall(
                    stage=event.stage,
                    key=event.key,
                    subject=event.subject,
                    fate=event.fate,
                    error=event.error or event.note,
                    files=list(event.files),
                )
            )

    def failed_calls(self) -> dict[str, int]:
        """Calls that gave nothing, by stage."""
        return {stage: n for stage, calls in sorted(self.stages.items()) if (n := calls.failed + calls.malformed)}
