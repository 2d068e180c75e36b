"""While the window paints or answers, threads that compute wait for it instead of taking every other millisecond."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

_HELD = 0.05  # seconds that a thread waits before it asks the window's thread for the interpreter


@contextmanager
def window_first() -> Iterator[None]:
    """Around a step of the GUI thread that takes some ten milliseconds; also as a decorator. May be nested.

    The interval is how long a waiting thread lets another one run: with a short one, which lets the window get its
    turn soon, it would lose half of every step to a thread that computes.
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(max(before, _HELD))
    try:
        yield
    finally:
        sys.setswitchinterval(before)
