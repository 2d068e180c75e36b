"""How long the calls of a stage take: in turns of as many as may be out, and no faster than the limits let them go."""

from __future__ import annotations

from math import ceil

from explorer.models.connection import Connection

# Seconds before the first token and tokens a second of servers that were never measured here: from a fast one on a
# quick network to a small machine's own.
_FAST = (0.2, 200.0)
_SLOW = (3.0, 15.0)


def call_seconds(output_tokens: float) -> tuple[float, float]:
    """Low and high of one call with so many output tokens, where no call was measured."""
    return _FAST[0] + output_tokens / _FAST[1], _SLOW[0] + output_tokens / _SLOW[1]


def stage_seconds(calls: float, tokens: float, each: float, connection: Connection, rounds: int = 1) -> float:
    """Seconds of a stage.

    Parameters
    ----------
    calls, tokens: of the whole stage, prompts and output together.
    each: seconds of one call.
    rounds: how often the stage waits for all its calls before it goes on (reports: the levels).

    A limit of R a minute lets the first R go at once: what is left over waits its share of a minute.
    """
    if calls <= 0:
        return 0.0
    turns = max(ceil(calls / connection.concurrency), rounds)
    waits = [turns * each]
    for limit, amount in ((connection.requests_per_minute, calls), (connection.tokens_per_minute, tokens)):
        if limit is not None:
            waits.append(max(0.0, amount / limit - 1) * 60 + each)
    return max(waits)
