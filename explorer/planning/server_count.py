"""How a server counts a prompt beside how it is counted here: it adds a frame, or has another tokenizer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from explorer.planning.stand_in import Rehearsed

_DOUBT = 0.01  # of a share: the calls that were seen need not hold the least and the most of all


@dataclass(frozen=True)
class ServerCount:
    """`share` of the tokens counted here, from `least` to `most`, and `frame` more for each call."""

    least: float = 1.0
    share: float = 1.0
    most: float = 1.0
    frame: int = 0

    def ours(self, tokens: int) -> float:
        """What is counted here of a prompt that the server counted."""
        return max(0.0, (tokens - self.frame) / self.share)


def learn_count(calls: Sequence[Rehearsed], stage: str) -> ServerCount | None:
    """What the known calls of a stage tell; None where there are none.

    A difference that is always the same is the frame of a call, and the count stays exact; else a share is taken.
    """
    pairs = [
        (call.prompt_tokens, call.known.prompt_tokens)
        for call in calls
        if call.stage == stage and call.known is not None and call.prompt_tokens and call.known.prompt_tokens
    ]
    if not pairs:
        return None
    frames = {theirs - ours for ours, theirs in pairs}
    if len(frames) == 1:
        return ServerCount(frame=frames.pop())
    shares = [theirs / ours for ours, theirs in pairs]
    share = sum(theirs for _, theirs in pairs) / sum(ours for ours, _ in pairs)
    return ServerCount(min(shares) * (1 - _DOUBT), share, max(shares) * (1 + _DOUBT))
