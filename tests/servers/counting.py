"""Token counts of the scripted server, and the requests and tokens of the last minute."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from functools import lru_cache

from explorer.base.tokens import encoding


@lru_cache(maxsize=5_000)
def tokens(text: str, how: str) -> int:
    """Tokens of a text under an encoding, or characters / 4 for "approximate"."""
    if how == "approximate":
        return -(-len(text) // 4)
    return len(encoding(how).encode_ordinary(text))  # type: ignore[arg-type]


def last_tokens(text: str, count: int, how: str) -> str:
    """The end of a text, cut at `count` tokens."""
    if how == "approximate":
        return text[-4 * count :]
    coding = encoding(how)  # type: ignore[arg-type]
    return coding.decode(coding.encode_ordinary(text)[-count:]) if count > 0 else ""


def first_tokens(text: str, count: int, how: str) -> str:
    if how == "approximate":
        return text[: 4 * count]
    coding = encoding(how)  # type: ignore[arg-type]
    return coding.decode(coding.encode_ordinary(text)[:count])


@dataclass
class Quota:
    """Requests and tokens that were let in during the last `window` seconds; a request that is refused counts not."""

    window: float = 60.0
    held: deque[tuple[float, int]] = field(default_factory=deque)
    sum: int = 0

    def wait(self, now: float, size: int, requests: int | None, most_tokens: int | None) -> float | None:
        """Let a request of `size` tokens in and give None, or say in how many seconds there may be room."""
        while self.held and self.held[0][0] <= now - self.window:
            self.sum -= self.held.popleft()[1]
        if requests is not None and len(self.held) >= requests:
            return self.held[0][0] + self.window - now
        if most_tokens is not None and self.sum + size > most_tokens and self.held:
            return self.held[0][0] + self.window - now
        self.held.append((now, size))
        self.sum += size
        return None
