"""1,000 extraction calls at 32 a time on a server that takes 200 ms for each: the time, against the ideal.

    python -m tests.benchmarks.model_speed [--latency 0.2] [--concurrency 32] [--documents 1000]

The same with an open window, whose ticks are measured meanwhile: pytest -s tests/gui/test_model_ticks.py
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.thousand import make_documents
from tests.indexing.killing import Program
from tests.servers.running import running_server
from tests.servers.witness import Entry


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--documents", type=int, default=1000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary, running_server(latency=arguments.latency) as server:
        place = Path(temporary)
        options = ("--max-gleanings", "0", "--no-vectors")
        program = Program(make_documents(place / "documents", arguments.documents), place / "user", options)
        program.connect(server, concurrency=arguments.concurrency)
        began = time.time()
        code, summary, said = program.run(place / "home")
        if code:
            raise SystemExit(f"exit code {code}: {said}")
        print(f"stages: {summary['seconds']}")
        print(report(server.log("chat"), began, time.time() - began, arguments.concurrency, arguments.latency))


def report(entries: Sequence[Entry], began: float, whole: float, concurrency: int, latency: float) -> str:
    """The figures in words, from the server's log: from the first call's arrival to the last reply's last byte."""
    extraction = [entry for entry in entries if entry.task == "entity_extraction" and entry.answered]
    first = min(entry.arrived for entry in extraction)
    last = max(entry.answered or 0.0 for entry in extraction)
    ideal = len(extraction) / concurrency * latency
    bound = 1.1 * ideal + 2.0
    most = max(entry.in_flight for entry in extraction)
    return (
        f"{len(extraction)} extraction calls in {last - first:.2f} s (ideal {ideal:.2f} s, bound {bound:.2f} s: "
        f"{'kept' if last - first <= bound else 'NOT kept'}; most at one time {most}); the first "
        f"{first - began:.2f} s after the start; the whole run {whole:.2f} s, {len(entries)} calls"
    )


if __name__ == "__main__":
    main()
