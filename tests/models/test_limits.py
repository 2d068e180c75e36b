"""Limits per minute: no 60 seconds hold more, whenever between sending and reply a request arrives at the server."""

from __future__ import annotations

import asyncio
import heapq
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.models import limits
from explorer.models.calls import CallResult
from explorer.models.client import ModelClient
from explorer.models.limits import RateLimits, Slot
from tests.models.calling import chat_all, connection, rating, run, until
from tests.servers.running import RunningServer

ROOT = Path(__file__).resolve().parents[2]


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


request = st.tuples(
    st.integers(1, 400),  # tokens reserved
    st.floats(0.0, 1.0),  # of them really used
    st.floats(0.0, 30.0),  # seconds until the reply
    st.floats(0.0, 1.0),  # where between sending and reply it arrives at the server
)


@settings(max_examples=60, deadline=None)
@given(
    per_minute=st.one_of(st.none(), st.integers(1, 8)),
    tokens=st.one_of(st.none(), st.integers(400, 1000)),
    requests=st.lists(request, min_size=1, max_size=30),
    at_once=st.integers(1, 6),
)
def test_no_minute_at_the_server_holds_more(
    per_minute: int | None, tokens: int | None, requests: list[tuple[int, float, float, float]], at_once: int
) -> None:
    clock = Clock()
    ours = RateLimits(per_minute, tokens, longest=60.0, clock=clock)
    out: list[tuple[float, int, Slot, int]] = []
    arrived: list[tuple[float, int]] = []
    for number, (reserved, share, seconds, place) in enumerate(requests):
        used = round(reserved * share)
        while True:
            while out and (out[0][0] <= clock.now or len(out) >= at_once):
                ended, _, slot, really = heapq.heappop(out)
                clock.now = max(clock.now, ended)
                ours.settle(slot, really)
            taken = ours.take(reserved)
            if isinstance(taken, Slot):
                break
            assert taken > 0
            clock.now += taken if not out else max(0.0, min(taken, out[0][0] - clock.now))
        arrived.append((clock.now + seconds * place, used))
        heapq.heappush(out, (clock.now + seconds, number, taken, used))
    ours.close()
    for start, _ in arrived:
        minute = [used for at, used in arrived if start <= at <= start + 60.0]
        assert per_minute is None or len(minute) <= per_minute
        assert tokens is None or sum(minute) <= tokens


def test_what_was_reserved_too_much_is_given_back() -> None:
    clock = Clock()
    ours = RateLimits(None, 1000, clock=clock)
    slot = ours.take(900)
    assert isinstance(slot, Slot) and not isinstance(ours.take(200), Slot)
    ours.settle(slot, 300)
    assert isinstance(ours.take(700), Slot)
    ours.close()


def test_a_request_beyond_the_limit_goes_alone() -> None:
    clock = Clock()
    ours = RateLimits(None, 1000, clock=clock)
    slot = ours.take(5000)
    assert isinstance(slot, Slot) and slot.tokens == 1000
    assert not isinstance(ours.take(1), Slot)
    ours.close()


def test_another_run_of_the_same_account_counts_and_of_another_does_not(tmp_path: Path) -> None:
    path = tmp_path / "limits.sqlite"
    clock = Clock()
    first = RateLimits(2, None, account="a", path=path, clock=clock)
    assert isinstance(first.take(1), Slot)
    second = RateLimits(2, None, account="a", path=path, clock=clock)
    assert isinstance(second.take(1), Slot)
    assert not isinstance(second.take(1), Slot) and not isinstance(first.take(1), Slot)
    third = RateLimits(2, None, account="b", path=path, clock=clock)
    assert isinstance(third.take(1), Slot)
    for each in (first, second, third):
        each.close()


def test_slots_of_a_machine_that_started_anew_are_let_go_after_a_minute(tmp_path: Path) -> None:
    clock = Clock()
    clock.now = 500_000.0
    before = RateLimits(1, None, path=tmp_path / "limits.sqlite", clock=clock)
    before.take(1)
    before.close()
    clock.now = 10.0
    after = RateLimits(1, None, path=tmp_path / "limits.sqlite", clock=clock)
    assert not isinstance(after.take(1), Slot)
    clock.now = 71.0
    assert isinstance(after.take(1), Slot)
    after.close()


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is of POSIX")
def test_a_killed_run_counts_for_a_minute_and_no_longer(tmp_path: Path) -> None:
    path = tmp_path / "limits.sqlite"
    program = f"""
        import time
        from pathlib import Path
        from explorer.models.limits import RateLimits
        limits = RateLimits(3, None, path=Path({str(path)!r}))
        for _ in range(3):
            limits.take(1)
        print("taken", flush=True)
        time.sleep(60)
    """
    begun = time.monotonic()
    child = subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, cwd=ROOT)
    assert child.stdout is not None and child.stdout.readline()
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    clock = Clock()
    clock.now = now = time.monotonic()
    after = RateLimits(3, None, path=path, clock=clock)
    assert not isinstance(after.take(1), Slot)
    clock.now = max(now, begun + 59.0)  # they were taken between the two
    assert not isinstance(after.take(1), Slot)
    clock.now = now + 61.0
    assert isinstance(after.take(1), Slot)
    after.close()


def most_in(entries: list[tuple[float, int]], span: float) -> tuple[int, int]:
    """The most requests and tokens in any span of seconds."""
    windows = [[tokens for at, tokens in entries if start <= at <= start + span] for start, _ in entries]
    return max(map(len, windows)), max(map(sum, windows))


def test_the_server_sees_no_span_with_more_requests(
    model_server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SPAN", 1.5)
    model_server.set(latency=(0.01, 0.2), faults=[{"fault": "503", "probability": 0.2}])
    ours = connection(model_server.url, requests_per_minute=10)
    run(ours, chat_all([rating(n) for n in range(12)]))
    run(ours, chat_all([rating(n) for n in range(100, 110)]))  # another run, at once
    requests, _ = most_in([(entry.arrived, 0) for entry in model_server.log()], 1.5)
    assert requests <= 10


def test_the_server_sees_no_span_with_more_tokens(model_server: RunningServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SPAN", 1.0)
    model_server.set(latency=(0.01, 0.1))

    async def work(client: ModelClient) -> list[CallResult]:
        first = await client.chat(rating(0))
        model_server.set(hold=0)
        tasks = [asyncio.ensure_future(client.chat(rating(n))) for n in range(1, 60)]
        await until(lambda: model_server.state()["out"] > 4)
        model_server.set(hold=None)
        return [first, *await asyncio.gather(*tasks)]

    results = run(connection(model_server.url, tokens_per_minute=900, concurrency=32), work)
    assert len(results) == 60 and all(result.usable for result in results)
    log = model_server.log()
    _, tokens = most_in([(entry.arrived, entry.prompt_tokens + entry.output_tokens) for entry in log], 1.0)
    assert tokens <= 900
    assert max(entry.in_flight for entry in log) > 4, "the limit leaves room for more than one at a time"


def test_waiting_for_a_limit_is_asleep(model_server: RunningServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SPAN", 2.0)
    run(connection(model_server.url), chat_all([rating(99)]))  # what is loaded late is loaded
    ours = connection(model_server.url, requests_per_minute=1, name="slow")
    began = time.process_time()
    run(ours, chat_all([rating(0), rating(1)]))
    assert time.process_time() - began < 1.0


def test_a_prompt_beyond_the_tokens_of_a_minute_says_so(model_server: RunningServer) -> None:
    ours = connection(model_server.url, tokens_per_minute=10)
    (result,) = run(ours, chat_all([rating(messages=(("user", "ships " * 50),))]))
    assert not result.usable and "10" in result.error and not model_server.log()
