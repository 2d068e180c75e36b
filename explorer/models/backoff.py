"""How long to wait before a call is made again: as the server asks, else longer each time, with some chance."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

FIRST = 0.5  # seconds
LONGEST = 30.0


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """The seconds that a server asks to wait (retry-after-ms, or Retry-After in seconds or as a date), or None."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        text = headers.get(name)
        if text is None:
            continue
        try:
            seconds = float(text) * unit
        except ValueError:
            seconds = _until(text, now or datetime.now(UTC))
        if 0 <= seconds < float("inf"):
            return seconds
    return None


def backoff(attempt: int, seed: str) -> float:
    """Seconds before the attempt after `attempt` failed ones (1 for the first retry).

    It doubles from half a second to 30 seconds; of that between a half and the whole, by the hash of `seed` and the
    attempt: calls that failed together do not come back together, and a test sees the same each time.
    """
    whole = min(LONGEST, FIRST * 2.0 ** min(max(0, attempt - 1), 30))
    share = int.from_bytes(hashlib.sha256(f"{seed}/{attempt}".encode()).digest()[:4], "big") / 2**32
    return whole * (0.5 + share / 2)


def _until(text: str, now: datetime) -> float:
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return -1.0
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - now).total_seconds())
