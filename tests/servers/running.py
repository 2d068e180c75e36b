"""A model server in a process of its own, held by a test or a benchmark."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.servers.witness import Entry, read_log

ROOT = Path(__file__).resolve().parents[2]
_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # whatever proxy the environment names


@dataclass
class RunningServer:
    """`url` is the base URL of a connection. Whatever `set` is given counts at once, for requests that arrive later."""

    port: int
    log_file: Path | None = None

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.root}/v1"

    @property
    def azure_url(self) -> str:
        """The endpoint of an Azure connection."""
        return self.root

    def set(self, **settings: Any) -> None:
        """Change settings (see ServerSettings)."""
        self._post("settings", settings)

    def reset(self, **settings: Any) -> None:
        """Begin anew: no entries, no counts, the default settings but for these."""
        self._post("reset", settings)

    def log(self, path: str = "") -> list[Entry]:
        """The entries since the last reset, in the order in which requests ended; those of chat or embeddings alone
        where `path` says so."""
        entries = [Entry(**item) for item in json.loads(self._get("log"))]
        return [entry for entry in entries if path in entry.path]

    def whole_log(self) -> list[Entry]:
        """The entries of the log file."""
        assert self.log_file is not None, "this server keeps no log file"
        return read_log(self.log_file)

    def state(self) -> dict[str, int]:
        """Requests out now (`out`), most at one time (`most_out`), all (`arrived`)."""
        return json.loads(self._get("state"))

    def wait_for(self, name: str, least: int) -> None:
        """Wait until a figure of `state` is as high. With `hold` set before it, what is out stays out."""
        end = time.monotonic() + 120
        while self.state()[name] < least:
            assert time.monotonic() < end, f"{name} is {self.state()[name]} after two minutes, not {least}"
            time.sleep(0.02)

    def _get(self, name: str) -> bytes:
        with _DIRECT.open(f"{self.root}/control/{name}", timeout=120) as reply:
            return reply.read()

    def _post(self, name: str, value: Any) -> None:
        data = json.dumps(value, default=vars).encode()
        request = urllib.request.Request(f"{self.root}/control/{name}", data=data, method="POST")
        with _DIRECT.open(request, timeout=120) as reply:
            reply.read()


@contextmanager
def running_server(log: Path | None = None, **settings: Any) -> Iterator[RunningServer]:
    """Start a server, and end it with the block. It ends by itself where the process that holds it is killed."""
    command = [sys.executable, "-m", "tests.servers.model_server", "--held", "--settings", json.dumps(settings)]
    if log is not None:
        command += ["--log", str(log)]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None and process.stdout is not None
    try:
        line = process.stdout.readline()
        assert line.startswith("listening on "), f"the model server did not start: {line!r}"
        yield RunningServer(int(line.split()[-1]), log)
    finally:
        process.stdin.close()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
