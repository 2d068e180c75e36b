"""A run of indexing in one line, and what there is to do about calls that gave nothing."""

from __future__ import annotations

from typing import Any

from explorer.gui.calls_log import CallsLog
from explorer.gui.indexing import STOPPING, IndexingRun
from explorer.gui.words import count, money, money_range

STATES = {
    "idle": ("ring", "muted", ""),
    "running": ("dot", "accent", "Indexing."),
    "paused": ("pause", "warn", "Paused: nothing new is begun. Everything done is kept."),
    "stopping": ("pause", "warn", STOPPING),
    "done": ("check", "good", "Indexed."),
    "stopped": ("pause", "warn", ""),
    "failed": ("cross", "failed", ""),
}


def run_words(run: IndexingRun, index: Any) -> tuple[str, str, str]:
    """(shape, colour, words) of how a run and the open index stand."""
    shape, colour, words = STATES[run.state]
    if not run.running and index is not None and run.state in ("idle", "done"):
        return "check", "good", f"{index.name} is open."
    if run.state == "idle":
        return shape, colour, "Nothing is open yet."
    if run.state == "stopping":
        return shape, colour, run.stopping_words
    if run.sentence:
        return shape, colour, " ".join(part for part in (run.sentence, spent_words(run)) if part)
    if run.folder is not None:
        doing = words if not run.piloting or run.state != "running" else "Pilot."
        if run.calls.cap is not None and run.state == "running":
            shape, colour, doing = "pause", "warn", "Paused at a cap."
        words = " ".join(part for part in (f"{run.folder}: {doing}", spent_words(run)) if part)
    return shape, colour, words


def spent_words(run: IndexingRun) -> str:
    """Calls, tokens and money so far, beside what was estimated; "" where no call was made."""
    total, calls = run.calls.total, run.calls
    if not total.calls:
        return ""
    said = run.order.said if run.order is not None else None
    estimate = f" (estimate {money_range(said.cost)})" if said is not None and said.cost is not None else ""
    parts = [count(total.calls, "call")]
    if total.cached:
        parts.append(f"{total.cached:,} from the store")
    if total.calls > total.cached:
        parts += [f"{total.tokens:,} tokens", f"{money(total.cost)}{estimate}"]
    if total.lost:
        parts.append(f"{total.lost:,} gave nothing")
    if calls.out and run.running:
        parts.append(f"{calls.out} in flight")
    if calls.waiting and run.state == "running":
        parts.append(calls.waiting)
    return " · ".join(parts)


def loss_words(run: IndexingRun, calls: CallsLog) -> str:
    """What calls that gave nothing mean and what to do; "" where there are none. `calls` are those that are shown."""
    lost = calls.total.lost
    if run.running or (run.piloting and calls is run.calls) or not lost:
        return ""
    reason, number = max(calls.reasons.items(), key=lambda item: (item[1], item[0]))
    why = f"{number:,} × {' '.join(reason.split())}" if len(calls.reasons) > 1 else " ".join(reason.split())
    if 2 * calls.fates["malformed"] > calls.total.calls:
        do = (
            "The model does not follow the form that it is asked for: test the connection, choose a larger model or "
            "another way to ask for JSON, then make them again."
        )
    elif 2 * lost > calls.total.calls:
        do = "Test the connection before you make them again."
    else:
        do = "What they would have found is missing from the index until they are made again."
    return f"{lost:,} of {count(calls.total.calls, 'call')} gave nothing ({why.rstrip('.')}). {do}"
