"""Print how long many calls to a model take: a server of its own process with a fixed latency, a store on disk.

    python tests/benchmarks/model_calls.py [--calls 1000] [--concurrency 32] [--latency 0.2] [--words 900] [--runs 1]

The ideal is calls / concurrency × latency; the aim is at most 1.10 × that plus 2 s, with the start of the client
(libraries, vocabulary, the first call alone) in it. A second run of the same calls then shows what the store serves.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from explorer.base.fates import CallFate  # noqa: E402
from explorer.models.call_store import CallStore  # noqa: E402
from explorer.models.calls import CallResult, ChatRequest, Reading, ReplySchema  # noqa: E402
from explorer.models.client import ModelClient  # noqa: E402
from explorer.models.connection import Connection  # noqa: E402
from explorer.models.loop import ModelLoop  # noqa: E402
from tests.servers.running import running_server  # noqa: E402

SCHEMA = ReplySchema("entity_extraction", {"type": "object", "properties": {}, "additionalProperties": True})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--words", type=int, default=900)
    parser.add_argument("--runs", type=int, default=1)
    given = parser.parse_args()
    ideal = given.calls / given.concurrency * given.latency
    print(f"{given.calls:,} calls, {given.concurrency} at one time, {given.latency:g} s each; ideal {ideal:.2f} s, "
          f"aim {1.1 * ideal + 2:.2f} s; load {os.getloadavg()[0]:.1f}")  # fmt: skip
    for number in range(given.runs):
        with tempfile.TemporaryDirectory() as home, running_server(latency=given.latency) as server:
            os.environ["XDG_DATA_HOME"] = home
            ours = Connection(
                name="b", base_url=server.url, chat_model="gpt-4.1-mini", key="none", concurrency=given.concurrency
            )
            with CallStore(Path(home) / "calls.sqlite") as store:
                for name in (f"run {number + 1}", "again"):
                    began, used = time.perf_counter(), time.process_time()
                    results = _run(ours, store, _requests(given.calls, given.words))
                    seconds, cpu = time.perf_counter() - began, time.process_time() - used
                    log = server.log()
                    print(
                        f"  {name:7} {seconds:6.2f} s  client CPU {cpu:5.2f} s  requests at the server {len(log):,}  "
                        f"most at one time {max(entry.in_flight for entry in log)}  "
                        f"usable {sum(result.usable for result in results):,}"
                    )
    return 0


def _run(ours: Connection, store: CallStore, requests: list[ChatRequest]) -> list[CallResult]:
    async def work() -> list[CallResult]:
        async with ModelClient(ours, None, store) as client:
            return list(await asyncio.gather(*(client.chat(request) for request in requests)))

    with ModelLoop() as loop:
        return loop.run(work())


def _requests(calls: int, words: int) -> list[ChatRequest]:
    text = " ".join(path.read_text("utf-8") for path in sorted((ROOT / "resources" / "sample").rglob("*.txt")))
    all_words = (text or "The Ship sailed to the Harbour of Boston with Captain Smith. " * 200).split()
    found = []
    for number in range(calls):
        start = number * 37 % max(1, len(all_words) - words)
        unit = " ".join(all_words[start : start + words])
        messages = (("system", "Extract entities and relationships."), ("user", f"Text:\n{number} {unit}"))
        found.append(ChatRequest("extract", messages, SCHEMA, f"unit {number}", _read))
    return found


def _read(text: str) -> Reading:
    return Reading(CallFate.OK, json.loads(text))


if __name__ == "__main__":
    raise SystemExit(main())
