"""Runs of the program in processes of their own that are killed, and what the server's log says about them.

The log is the witness: it knows when a request came and when the last byte of its reply went out, whatever became of
the process that asked.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.servers.running import RunningServer
from tests.servers.witness import Entry

ROOT = Path(__file__).resolve().parents[2]
SETTLED = 1.0  # seconds after the last byte in which a reply must be on disk


@dataclass(frozen=True)
class Program:
    """`graphrag-explorer index` on a folder, with user folders of its own; `connection` is what is saved there."""

    folder: Path
    user: Path
    arguments: tuple[str, ...] = ()

    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "XDG_DATA_HOME": str(self.user / "data"),
            "XDG_CONFIG_HOME": str(self.user / "config"),
            "PYTHONPATH": str(ROOT),
            "NO_PROXY": "127.0.0.1",
        }

    def connect(self, server: RunningServer, name: str = "scripted", **settings: Any) -> None:
        """Save a connection to the server; needs no key."""
        values = {
            "name": name,
            "base_url": server.url,
            "chat_model": "scripted-chat",
            "key": "none",
            "concurrency": 8,
            "timeout": 30.0,
            **settings,
        }
        code = (
            "import json, sys\n"
            "from explorer.models.connection import Connection\n"
            "from explorer.models.connections import save_connection\n"
            "save_connection(Connection(**json.load(sys.stdin)))\n"
        )
        subprocess.run(
            [sys.executable, "-c", code], input=json.dumps(values), text=True, check=True, env=self.environment()
        )

    def start(self, home: Path, output: Any = subprocess.DEVNULL) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "explorer", "index", str(self.folder), "--index", str(home)]
        command += ["--connection", "scripted", "--json", *self.arguments]
        return subprocess.Popen(
            command, cwd=ROOT, env=self.environment(), stdout=output, stderr=output, text=True, start_new_session=True
        )

    def run(self, home: Path, timeout: float = 600.0) -> tuple[int, dict[str, Any], str]:
        """Run to the end: exit code, the object printed, and what was said on stderr."""
        process = self.start(home, subprocess.PIPE)
        try:
            out, said = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            _end(process)
            raise
        return process.returncode, json.loads(out) if out.strip() else {}, said


@dataclass(frozen=True)
class Kill:
    """A run that was killed at `at` (seconds since the epoch). `orphans` are processes it left behind."""

    began: float
    at: float
    finished: bool = False  # the run ended by itself before
    orphans: int = 0


def run_and_kill(program: Program, home: Path, server: RunningServer, after: int, pause: float) -> Kill:
    """Start a run, kill -9 it `pause` seconds after `after` more requests have come to the server."""
    before = server.state()["arrived"]
    began = time.time()
    process = program.start(home)
    try:
        while process.poll() is None and server.state()["arrived"] < before + after:
            time.sleep(0.005)
        deadline = time.monotonic() + pause
        while process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
        if process.poll() is not None:
            return Kill(began, time.time(), finished=True)
        at = time.time()
        process.send_signal(signal.SIGKILL)
        process.wait()
        for _ in range(2):  # what was on its way has arrived when the server answers these: not in the next run
            server.state()
        return Kill(began, at, orphans=_orphans(process.pid))
    finally:
        _end(process)


def _orphans(group: int) -> int:
    """Processes of a group that go on without its first one; they may need a while to notice."""
    deadline = time.monotonic() + 30
    while (left := _living(group)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return left


def _living(group: int) -> int:
    import psutil

    count = 0
    for process in psutil.process_iter(["pid", "status"]):
        try:
            same = os.getpgid(process.info["pid"]) == group
        except (ProcessLookupError, PermissionError):
            continue
        count += same and process.info["status"] != psutil.STATUS_ZOMBIE
    return count


def _end(process: subprocess.Popen[str]) -> None:
    """Whatever is left of a run that this test started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    process.wait()


@dataclass
class Verdict:
    """What the witness says of the chat calls, or of the texts of embedding calls: both are called pieces here."""

    pieces: int = 0  # distinct ones
    asked: int = 0  # all of them
    in_flight: list[int] = field(default_factory=list)  # at each kill: pieces without a whole reply
    repeated: list[int] = field(default_factory=list)  # after each kill: pieces asked for again
    lost_replies: list[float] = field(default_factory=list)  # seconds between a whole reply and the kill that lost it
    unexplained: list[str] = field(default_factory=list)  # asked again although nothing was killed in between

    @property
    def too_late(self) -> list[float]:
        """Those that had been there for more than a second."""
        return [seconds for seconds in self.lost_replies if seconds > SETTLED]

    @property
    def sound(self) -> bool:
        """Nothing was asked again but what was out at a kill, or had come in within the last second before it."""
        return (
            not self.too_late
            and not self.unexplained
            and sum(self.repeated) <= sum(self.in_flight) + len(self.lost_replies)
        )

    def __str__(self) -> str:
        latest = max(self.lost_replies, default=0.0)
        return (
            f"{self.pieces} different ones, {self.asked} asked; in flight at the kills: {sum(self.in_flight)} (most "
            f"{max(self.in_flight, default=0)}), asked again: {sum(self.repeated)} (most "
            f"{max(self.repeated, default=0)}); whole replies lost: {len(self.lost_replies)}, the oldest "
            f"{latest * 1000:.0f} ms before its kill; asked again without a reason: {len(self.unexplained)}"
        )


def judge(entries: Sequence[Entry], kills: Sequence[Kill], last: float, path: str = "chat") -> Verdict:
    """Compare the requests of several runs with the moments at which they were killed. `last` is when the run began
    that was let finish, `path` is chat or embeddings.

    A request belongs to the run that had begun last when it arrived: one that was on its way at the kill arrives after.
    """
    verdict = Verdict()
    ordered = sorted((entry for entry in entries if path in entry.path), key=lambda entry: entry.arrived)
    out = [0] * len(kills)
    again = [0] * len(kills)
    latest: dict[str, tuple[Entry, int]] = {}
    for entry in ordered:
        run = max((number for number, kill in enumerate(kills) if kill.began <= entry.arrived), default=-1)
        if entry.arrived >= last:
            run = len(kills)
        killed = run < len(kills) and not kills[run].finished
        if killed and (entry.answered is None or entry.answered > kills[run].at):
            out[run] += len(_pieces(entry))
        for piece in _pieces(entry):
            verdict.asked += 1
            earlier, before = latest.get(piece, (None, run))
            latest[piece] = entry, run
            if earlier is None:
                continue
            if before == run or kills[before].finished:
                verdict.unexplained.append(f"{entry.task} {entry.messages}: {earlier.outcome}")
                continue
            again[before] += 1
            if earlier.answered is not None and earlier.answered < kills[before].at:
                verdict.lost_replies.append(kills[before].at - earlier.answered)
    verdict.in_flight, verdict.repeated = out, again
    verdict.pieces = len(latest)
    return verdict


def _pieces(entry: Entry) -> list[str]:
    return [f"{entry.model}/{text}" for text in entry.texts] if entry.texts else [entry.messages]


def table_sums(home: Path) -> dict[str, str]:
    """SHA-256 of every table of an index, by its path."""
    return {
        str(path.relative_to(home)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(home.rglob("*.parquet"))
        if "lancedb" not in path.parts
    }
