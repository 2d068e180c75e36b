"""How long a large index takes to open in the window, and how much memory.

    python -m tests.benchmarks.big_open INDEX [--starts 3] [--home FOLDER]

On a screen of its own (Xvfb). Prints for each start the seconds from the command to the first painted page of
communities and to the whole index, the processor seconds of both, the longest ticks of the window between them, and
the peak of the proportional memory of all processes. INDEX is one of tests/benchmarks/big_index.py.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parents[2]
_PATIENCE = 240.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", type=Path)
    parser.add_argument("--starts", type=int, default=3)
    parser.add_argument("--home", type=Path, help="keeps the user's folders between calls of this script")
    parser.add_argument("--rest", type=float, default=3.0, help="seconds that the window stays open once all is read")
    arguments = parser.parse_args()
    from tests.gui.screens import on_screen, virtual_screen

    with tempfile.TemporaryDirectory() as temporary, virtual_screen() as display:
        home = arguments.home or Path(temporary)
        for number in range(1, arguments.starts + 1):
            seen = home / "seen.json"
            home.mkdir(parents=True, exist_ok=True)
            seen.unlink(missing_ok=True)
            environment = {**on_screen(display, str(home)), "XDG_CACHE_HOME": str(home / "cache")}
            began = time.time()
            command = [sys.executable, __file__, "--child", str(arguments.index.absolute()), str(seen)]
            process = subprocess.Popen([*command, str(arguments.rest)], env=environment, cwd=ROOT)
            peak = _watch(process)
            found: dict[str, Any] = json.loads(seen.read_text("utf-8"))
            print(
                f"start {number}: communities painted after {found['painted'] - began:.2f} s "
                f"({found['painted_cpu']:.2f} s of processor), all read after {found['whole'] - began:.2f} s "
                f"({found['whole_cpu']:.2f} s); longest tick {found['longest']:.0f} ms, {found['over']} of "
                f"{found['ticks']:,} over 50 ms; peak {peak / 2**20:,.0f} MB"
            )


def _watch(process: subprocess.Popen[bytes]) -> int:
    """The peak of the proportional memory of a process and its children, until it ends."""
    peak, end = 0, time.monotonic() + _PATIENCE
    tree = psutil.Process(process.pid)
    while process.poll() is None:
        if time.monotonic() > end:
            process.kill()
            raise SystemExit("the window did not come to rest")
        total = 0
        try:
            for each in (tree, *tree.children(recursive=True)):
                try:
                    total += each.memory_full_info().pss
                except psutil.Error:
                    continue
        except psutil.Error:
            break
        peak = max(peak, total)
        time.sleep(0.1)
    process.wait(20)
    return peak


def child(index: str, seen: Path, rest: float) -> None:
    """The program itself, with an eye on the page of communities."""
    import explorer.cli
    import explorer.gui.app as app

    found: dict[str, Any] = {}
    make = app.make_window

    def watched(*given: Any, **named: Any) -> Any:
        from PySide6.QtCore import QTimer

        from explorer.gui.ticks import TickRecorder

        window = make(*given, **named)
        recorder = TickRecorder(window)
        timer = QTimer(window)

        def look() -> None:
            place = window._places.get("communities")
            page = getattr(place, "page", None)
            if page is None:
                return
            view = place.graph_pane.view
            if "painted" not in found:
                if view.isVisible() and view._ground._picture is not None:
                    found.update(painted=time.time(), painted_cpu=time.process_time())
                    recorder.start()
            elif "whole" not in found and len(page.scene.ids) and not window.engine.jobs:
                found.update(whole=time.time(), whole_cpu=time.process_time())
                QTimer.singleShot(round(rest * 1000), window, done)

        def done() -> None:
            stalls = recorder.stop()
            found.update(longest=stalls.longest, over=stalls.over_50, ticks=stalls.ticks)
            seen.write_text(json.dumps(found), "utf-8")
            timer.stop()
            window.close()

        timer.timeout.connect(look)
        timer.start(20)
        return window

    app.make_window = watched
    sys.exit(explorer.cli.main([index]))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        sys.path.insert(0, str(Path.cwd()))
        child(sys.argv[2], Path(sys.argv[3]), float(sys.argv[4]))
    else:
        main()
