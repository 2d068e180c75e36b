"""A process that only sleeps 10 ms at a time: how late it wakes is the machine's doing, not the window's.

Started by the tests of the ticks as a script; ends when its input is closed and prints its delays in ms as JSON.
"""

from __future__ import annotations

import json
import sys
import threading
import time


def main() -> None:
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    print("ready", flush=True)
    delays = []
    last = time.perf_counter()
    while not ended.is_set():
        time.sleep(0.01)
        now = time.perf_counter()
        delays.append(max(0.0, (now - last) * 1000 - 10))
        last = now
    print(json.dumps(delays))


if __name__ == "__main__":
    main()
