"""Seconds a stage, peak memory of all processes together and counts, of indexing some folders from nothing.

    python tests/benchmarks/indexing.py FOLDER [FOLDER …] [--grade patterns|spacy|auto] [--again] [--vectors]

The index is made in a temporary directory by the command that a user runs; memory is the proportional set size (PSS)
summed over the command and all its child processes, five times a second. `--again` shows a second run as well, in
which nothing has changed; `--vectors` goes on to the vectors, which the window makes behind the index that is open.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parents[2]
EVERY = 0.2  # seconds between two looks at the memory
STAGES = ("read", "chunk", "extract", "graph", "communities", "reports", "finish", "positions", "vectors")


@dataclass
class Measured:
    """One run: what it printed, its wall and processor seconds, its peak memory in bytes."""

    summary: dict[str, Any]
    seconds: float
    cpu: float
    peak: int


def measure(folder: Path, home: Path, grade: str, vectors: bool) -> Measured:
    """Index a folder with the command and watch it. Raises RuntimeError with its message where it fails."""
    command = [sys.executable, "-m", "explorer", "index", str(folder), "--index", str(home), "--grade", grade, "--json"]
    command += [] if vectors else ["--no-vectors"]
    started = time.perf_counter()
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=errors)
        root = psutil.Process(process.pid)
        peak = 0
        cpu: dict[int, float] = {}
        while process.poll() is None:
            peak = max(peak, look(root, cpu))
            time.sleep(EVERY)
        seconds = time.perf_counter() - started
        errors.seek(0)
        if process.returncode:
            raise RuntimeError(errors.read())
        out.seek(0)
        return Measured(json.load(out), seconds, sum(cpu.values()), peak)


def look(root: psutil.Process, cpu: dict[int, float]) -> int:
    """The PSS of a process and all below it in bytes; their processor seconds so far go into `cpu` by pid."""
    total = 0
    try:
        family = [root, *root.children(recursive=True)]
    except psutil.Error:
        return 0
    for process in family:
        try:
            with process.oneshot():
                memory = process.memory_full_info()
                times = process.cpu_times()
        except psutil.Error:
            continue
        total += getattr(memory, "pss", memory.rss)
        cpu[process.pid] = times.user + times.system
    return total


def show(name: str, measured: Measured) -> list[str]:
    summary = measured.summary
    communities = "/".join(str(number) for number in summary["communities"].values())
    return [
        name,
        *(f"{summary['seconds'].get(stage, 0.0):.1f}" for stage in STAGES),
        f"{measured.seconds:.1f}",
        f"{measured.cpu:.1f}",
        f"{measured.peak / 2**20:.0f}",
        f"{summary['documents']:,}",
        f"{summary['text_units']:,}",
        f"{summary['entities']:,}",
        f"{summary['relationships']:,}",
        communities,
        f"{summary['reports']:,}",
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--grade", default="auto")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--vectors", action="store_true")
    arguments = parser.parse_args()
    header = ["folder", *(f"{stage} s" for stage in STAGES), "all s", "cpu s", "peak MiB", "documents", "units"]
    header += ["entities", "relationships", "communities", "reports"]
    print("| " + " | ".join(header) + " |")
    print("|" + " --- |" * len(header))
    for folder in arguments.folders:
        with tempfile.TemporaryDirectory() as home:
            for again in (False, True) if arguments.again else (False,):
                measured = measure(folder, Path(home) / "index", arguments.grade, arguments.vectors)
                print("| " + " | ".join(show(folder.name + (" (again)" if again else ""), measured)) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
