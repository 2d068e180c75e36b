"""The call store with calls of models: older files, failures, repeats by hand, vectors, kills during a run."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from explorer.base.errors import StorageError
from explorer.base.fates import CallFate
from explorer.models.call_store import CallStore
from explorer.models.call_writer import CallWriter
from explorer.models.calls import Attempt
from explorer.models.stored_call import StoredCall
from tests.models.calling import chat_all, connection, rating, run
from tests.servers.running import running_server

ROOT = Path(__file__).resolve().parents[2]
FIRST_VERSION = """
CREATE TABLE calls (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL, stage TEXT NOT NULL, fate TEXT NOT NULL, reply TEXT NOT NULL,
    model TEXT NOT NULL, prompt_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, seconds REAL NOT NULL,
    retries INTEGER NOT NULL, error TEXT, made REAL NOT NULL
);
CREATE INDEX calls_by_key ON calls (key, id);
INSERT INTO calls VALUES (1, 'k', 'extract', 'ok', 'reply', 'grade', 3, 2, 0.5, 1, NULL, 1700000000.0);
INSERT INTO calls VALUES (2, 'f', 'extract', 'failed', '', 'grade', 3, 0, 0.5, 1, 'why', 1700000001.0);
PRAGMA user_version = 1;
"""


def test_a_file_of_the_first_version_is_read_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    old = sqlite3.connect(path)
    old.executescript(FIRST_VERSION)
    old.close()
    with CallStore(path) as store:
        call = store.get("k")
        assert call is not None and (call.reply, call.prompt_tokens, call.made) == ("reply", 3, 1700000000.0)
        assert call.messages == () and call.attempts == () and call.cost is None
        assert [failed.error for failed in store.failures()] == ["why"]
        store.put(StoredCall("f", "extract", "now", subject="unit", messages=(("user", "text"),)))
        assert store.failures() == []
    with CallStore(path) as store:
        assert store.open_call("f").messages == (("user", "text"),)  # type: ignore[union-attr]


def test_two_programs_may_bring_an_older_file_up_at_one_time(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    old = sqlite3.connect(path)
    old.executescript(FIRST_VERSION)
    old.close()
    program = "import sys; from pathlib import Path; from explorer.models.call_store import CallStore;" + (
        f"CallStore(Path({str(path)!r})).close()"
    )
    children = [subprocess.Popen([sys.executable, "-c", program], cwd=ROOT) for _ in range(4)]
    assert [child.wait(240) for child in children] == [0] * 4


def test_everything_of_a_call_comes_back(tmp_path: Path) -> None:
    attempts = (
        Attempt("http_503", 0.1, waited=0.5, error="busy"),
        Attempt("malformed", 1.0, 10, 5, text="{", error="cut"),
        Attempt("ok", 1.5, 10, 7, text="reply"),
    )
    call = StoredCall(
        "k", "reports", "reply", "m", CallFate.REPAIRED, 10, 7, 3.1, 2, None, "community 4",
        (("system", "s\ud800"), ("user", "text"), ("assistant", "text")), attempts, "a bracket was added", 0.25, 20, 12,
    )  # fmt: skip
    with CallStore(tmp_path / "calls.sqlite") as store:
        store.put(call)
        found = store.open_call("k")
        assert found is not None and found.attempts == attempts
        assert found.messages == (("system", "s\ufffd"), ("user", "text"), ("assistant", "text"))
        for name in ("stage", "reply", "note", "cost", "billed_prompt_tokens", "billed_output_tokens", "subject"):
            assert getattr(found, name) == getattr(call, name)
        assert store.open_call("none") is None


def test_a_prompt_that_many_calls_share_is_kept_once(tmp_path: Path) -> None:
    system = "You read texts. " * 2000
    with CallStore(tmp_path / "calls.sqlite") as store:
        store.put_all([StoredCall(str(n), "extract", "r", messages=(("system", system),)) for n in range(200)])
    assert (tmp_path / "calls.sqlite").stat().st_size < 10 * len(system)


def test_failures_are_those_whose_newest_record_brought_nothing(tmp_path: Path) -> None:
    with CallStore(tmp_path / "calls.sqlite") as store:
        store.put_all(
            [
                StoredCall("a", "map", "", fate=CallFate.FAILED, error="first"),
                StoredCall("a", "map", "{", fate=CallFate.MALFORMED, error="second"),
                StoredCall("b", "map", "", fate=CallFate.FAILED),
                StoredCall("b", "map", "reply"),
                StoredCall("c", "reduce", "", fate=CallFate.CANCELLED),
                StoredCall("d", "map", "reply"),
                StoredCall("d", "map", "", fate=CallFate.FAILED),
            ]
        )
        assert [(call.key, call.error) for call in store.failures(["map"])] == [("a", "second")]
        assert [call.key for call in store.failures()] == ["a", "c"]
        assert store.failures(since=time.time() + 1) == []


def test_a_repeat_by_hand_outlives_the_program(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    with CallStore(path) as store:
        store.put(StoredCall("k", "map", "reply"))
        assert store.repeat("k") == 1
        store.put(StoredCall("k1", "map", "", fate=CallFate.FAILED, base="k"))
        assert store.repeat("k1") == 2
        assert [call.key for call in store.failures()] == ["k1"]
        store.put(StoredCall("k2", "map", "reply", base="k"))
        assert store.failures() == []
    with CallStore(path) as store:
        assert store.repeats("k") == 2 and store.repeats("other") == 0


def test_vectors_and_their_call_come_together(tmp_path: Path) -> None:
    one, two = "01" * 32, "02" * 32
    with CallStore(tmp_path / "calls.sqlite") as store:
        store.put_all([StoredCall("b", "embed", "", parts=(one, two))], {one: b"\0\0\x80?", two: b"\0\0\0@"})
        assert store.vectors([one, two, "03" * 32]) == {one: b"\0\0\x80?", two: b"\0\0\0@"}
        assert store.known_vectors([two, "03" * 32]) == {two}


def test_who_asks_is_not_held_by_a_commit(tmp_path: Path) -> None:
    with CallStore(tmp_path / "calls.sqlite") as store:
        store.put(StoredCall("k", "map", "reply"))
        other = sqlite3.connect(tmp_path / "calls.sqlite", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        assert store.get("k") is not None  # the other lets go only after this
        other.execute("ROLLBACK")
        other.close()


def test_replies_that_come_together_share_commits_and_a_failure_reaches_who_waits(tmp_path: Path) -> None:
    class Counting(CallStore):
        commits = 0
        others_came = threading.Event()
        broken = False

        def put_all(self, calls, vectors=None):  # type: ignore[no-untyped-def]
            if self.broken:
                raise StorageError("The disk is full.")
            self.commits += 1
            assert self.others_came.wait(120)  # as long as a commit may take
            super().put_all(calls, vectors)

    async def work(store: Counting) -> None:
        writer = CallWriter(store)
        kept = [writer.hand_over(StoredCall(str(n), "map", "r")) for n in range(32)]
        store.others_came.set()
        await asyncio.gather(*kept)
        assert store.commits <= 2 and len(store.known(map(str, range(32)))) == 32
        store.broken = True
        with pytest.raises(StorageError, match="full"):
            await writer.keep(StoredCall("x", "map", "r"))
        store.broken = False
        left = writer.hand_over(StoredCall("y", "map", "r"))
        writer.close()
        assert store.known(["y"]) == {"y"}
        await left

    with Counting(tmp_path / "calls.sqlite") as store:
        asyncio.run(work(store))


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is of POSIX")
def test_a_run_that_is_killed_pays_nothing_twice_but_what_was_in_flight(tmp_path: Path) -> None:
    path, chance = tmp_path / "calls.sqlite", random.Random(5)
    with running_server(latency=(0.02, 0.15)) as server:
        program = f"""
            from pathlib import Path
            from explorer.models.call_store import CallStore
            from tests.models.calling import chat_all, connection, rating, run
            with CallStore(Path({str(path)!r})) as store:
                run(connection({server.url!r}, concurrency=16), chat_all([rating(n) for n in range(300)]), store)
        """
        killed = []
        for _ in range(4):
            before = server.state()["arrived"]
            child = subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], cwd=ROOT)
            while server.state()["arrived"] == before and child.poll() is None:
                time.sleep(0.02)
            time.sleep(chance.uniform(0.1, 0.5))
            child.send_signal(signal.SIGKILL)
            child.wait()
            killed.append((time.time(), server.state()["arrived"]))
        time.sleep(0.3)  # what was in flight at the last kill ends
        with CallStore(path) as store:
            results = run(connection(server.url, concurrency=16), chat_all([rating(n) for n in range(300)]), store)
            assert all(result.usable for result in results)
        log = sorted(server.log(), key=lambda entry: entry.arrived)
        assert len(log) <= 300 + 16 * len(killed)
        asked: dict[str, float] = {}
        for entry in log:
            if entry.messages in asked:  # made again: then its first reply was not yet a second old at a kill
                assert any(entry.arrived > at and asked[entry.messages] > at - 1.0 for at, _ in killed)
            asked[entry.messages] = entry.answered or entry.arrived
