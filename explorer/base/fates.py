"""The closed lists of fates: what can become of a report, a batch, a point, a call, a context row and a file.

Every item that enters a run leaves it under exactly one of these names; the ledger counts them.
"""

from __future__ import annotations

from enum import StrEnum


class ReportFate(StrEnum):
    READ = "read"
    BATCH_LOST = "batch_lost"
    NOT_AT_LEVEL = "not_at_level"
    BELOW_THRESHOLD = "below_threshold"
    NOT_VISITED = "not_visited"
    SUPERSEDED_BY_CHILD = "superseded_by_child"
    NO_REPORT = "no_report"
    DUPLICATE = "duplicate"
    BELOW_MIN_RANK = "below_min_rank"


class BatchFate(StrEnum):
    RELEVANT = "relevant"
    NOTHING_RELEVANT = "nothing_relevant"
    MALFORMED = "malformed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class PointFate(StrEnum):
    KEPT = "kept"
    ZERO_SCORE = "zero_score"
    CUT_BY_BUDGET = "cut_by_budget"
    WOULD_HAVE_FITTED = "would_have_fitted"
    MALFORMED = "malformed"


class CallFate(StrEnum):
    OK = "ok"
    CACHED = "cached"
    REPAIRED = "repaired"
    MALFORMED = "malformed"
    FAILED = "failed"
    CANCELLED = "cancelled"


SERVED_CALLS = (CallFate.OK.value, CallFate.REPAIRED.value)
"""Fates of calls whose reply is kept and served again."""

LOST_CALLS = (CallFate.FAILED.value, CallFate.MALFORMED.value)
"""Fates of calls that were made and gave nothing."""


class RowFate(StrEnum):
    IN_CONTEXT = "in_context"
    CUT_BY_BUDGET = "cut_by_budget"
    NOT_A_CANDIDATE = "not_a_candidate"


class FileFate(StrEnum):
    INDEXED = "indexed"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"
    FAILED = "failed"
