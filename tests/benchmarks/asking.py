"""Print how long questions to an index take, each in a process of its own, as a person at a terminal waits for them.

    python tests/benchmarks/asking.py INDEX [QUESTION …]

The first row starts with nothing kept (a user data directory of its own; for an index of one's own its words and
token counts are those on disk). Then come the plan, cold and with its counts kept, in one process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

QUESTIONS = ["Which organisations work together?", "Who governs, and how is the government chosen?", "What is grown?"]


def main(index: str, questions: list[str]) -> int:
    with tempfile.TemporaryDirectory() as data:
        os.environ["XDG_DATA_HOME"] = data
        print(f"{'':6} {'wall s':>7} {'reports':>8} {'batches':>8} {'prompt tokens':>14} {'points':>7}  status")
        for number, question in enumerate(questions or QUESTIONS, 1):
            seconds, trace = _ask(index, question)
            tokens = trace["totals"]["map"]["prompt_tokens"]
            print(
                f"ask {number:2} {seconds:7.2f} {trace['ledger']['reports']['fates'].get('read', 0):8,} "
                f"{len(trace['batches']):8,} {tokens:14,} {len(trace['points']):7,}  {trace['answer']['status']}"
            )
        _plans(Path(index))
    return 0


def _ask(index: str, question: str) -> tuple[float, dict]:
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        started = time.perf_counter()
        command = [sys.executable, "-m", "explorer", "ask", index, question, "--trace", file.name]
        subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
        seconds = time.perf_counter() - started
        return seconds, json.loads(Path(file.name).read_text("utf-8"))


def _plans(path: Path) -> None:
    from explorer.planning.plan import plan
    from explorer.search.options import GlobalOptions
    from explorer.tables.index import open_index

    index = open_index(path)
    for number, question in enumerate(("a", "a q", "a qu"), 1):
        started = time.perf_counter()
        made = plan(index, GlobalOptions(), question)
        print(f"plan {number} {time.perf_counter() - started:7.2f} {made.reports:8,} {len(made.batches):8,} "
              f"{made.prompt_tokens:14,}")  # fmt: skip


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
