"""The call store: what is served, what outlives a kill and a full disk, what damage says."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from explorer.base.errors import StorageError
from explorer.base.fates import CallFate
from explorer.models.call_store import CallStore, StoredCall, call_key

ROOT = Path(__file__).resolve().parents[2]


def key(**changes: object) -> str:
    values: dict[str, object] = {
        "base_url": "http://localhost:1/v1",
        "model": "m",
        "messages": [("system", "s"), ("user", "u")],
        "parameters": {"temperature": 0, "max_tokens": 5},
        "schema": None,
        "ordinal": 0,
    }
    return call_key(**{**values, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "changes",
    [
        {"base_url": "http://localhost:2/v1"},
        {"model": "n"},
        {"messages": [("system", "s"), ("user", "v")]},
        {"messages": [("user", "u"), ("system", "s")]},
        {"parameters": {"temperature": 1, "max_tokens": 5}},
        {"schema": {"type": "object"}},
        {"ordinal": 1},
    ],
)
def test_every_part_of_a_call_makes_another_key(changes: dict[str, object]) -> None:
    assert key(**changes) != key()


def test_the_order_of_parameters_makes_no_other_key() -> None:
    assert key(parameters={"max_tokens": 5, "temperature": 0}) == key()


def test_lone_surrogates_in_a_message_have_a_key() -> None:
    assert len(key(messages=[("user", "\ud800")])) == 64


def test_the_newest_well_formed_reply_stands_and_failures_are_kept_but_not_served(tmp_path: Path) -> None:
    with CallStore(tmp_path / "calls.sqlite") as store:
        assert store.get("k") is None
        store.put(StoredCall("k", "map", "", fate=CallFate.FAILED, error="503"))
        assert store.get("k") is None
        store.put(StoredCall("k", "map", "first", model="m", prompt_tokens=3, output_tokens=2))
        store.put(StoredCall("k", "map", "second", fate=CallFate.REPAIRED))
        store.put(StoredCall("k", "map", "{", fate=CallFate.MALFORMED))
        store.put(StoredCall("k", "map", "", fate=CallFate.CANCELLED))
        served = store.get("k")
        assert served is not None and served.reply == "second"
        assert [call.fate.value for call in store.history("k")] == [
            "failed",
            "ok",
            "repaired",
            "malformed",
            "cancelled",
        ]
        assert store.known(["k", "other"]) == {"k"}


def test_what_was_put_is_there_after_opening_again(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "calls.sqlite"
    with CallStore(path) as store:
        store.put_all([StoredCall(str(n), "extract", f"reply {n}") for n in range(700)])
    with CallStore(path) as store:
        call = store.get("699")
        assert call is not None and call.reply == "reply 699"
        assert len(store.known(str(n) for n in range(1000))) == 700


def test_several_threads_write_and_read(tmp_path: Path) -> None:
    with CallStore(tmp_path / "calls.sqlite") as store:

        def work(part: int) -> None:
            for n in range(20):
                store.put(StoredCall(f"{part}-{n}", "map", f"{part}-{n}"))
                found = store.get(f"{part}-{n}")
                assert found is not None and found.reply == f"{part}-{n}"

        threads = [threading.Thread(target=work, args=(part,)) for part in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(store.known(f"{part}-{n}" for part in range(4) for n in range(20))) == 80


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is of POSIX")
def test_a_kill_loses_no_reply_that_was_put(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    program = textwrap.dedent(
        f"""
        from pathlib import Path
        from explorer.models.call_store import CallStore, StoredCall
        store = CallStore(Path({str(path)!r}))
        n = 0
        while True:
            store.put(StoredCall(str(n), "map", "reply"))
            print(n, flush=True)
            n += 1
        """
    )
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert child.stdout is not None
    said = [int(child.stdout.readline()) for _ in range(20)]
    child.send_signal(signal.SIGKILL)
    said.extend(int(line) for line in child.stdout.read().split("\n") if line.strip().isdigit())
    child.wait()
    child.stdout.close()
    with CallStore(path) as store:
        # The last line may have been cut in the pipe: every whole number that was said is there.
        assert store.known(map(str, said[:-1])) == {str(n) for n in said[:-1]}
        store.put(StoredCall("after", "map", "goes on"))


@pytest.mark.skipif(os.name == "nt", reason="limits of a process are of POSIX")
def test_a_full_disk_is_one_sentence_and_what_was_kept_stays(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    program = textwrap.dedent(
        f"""
        import resource, signal
        from pathlib import Path
        from explorer.base.errors import StorageError
        from explorer.models.call_store import CallStore, StoredCall
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        store = CallStore(Path({str(path)!r}))
        store.put(StoredCall("small", "map", "kept"))
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
        try:
            for n in range(100):
                store.put(StoredCall(str(n), "map", "x" * 20_000))
        except StorageError as error:
            print(error.sentence)
        found = store.get("small")
        assert found is not None and found.reply == "kept"
        """
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=False)
    assert run.returncode == 0, run.stderr
    (sentence,) = run.stdout.splitlines()
    assert "calls.sqlite" in sentence and "kept" in sentence
    with CallStore(path) as store:
        assert store.get("small") is not None


def test_a_damaged_file_is_left_as_it_is_and_said(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    path.write_bytes(b"no database at all, but long enough to be read as a header of one" * 40)
    before = path.read_bytes()
    with pytest.raises(StorageError, match="damaged"):
        CallStore(path)
    assert path.read_bytes() == before


def test_a_newer_file_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.commit()
    connection.close()
    with pytest.raises(StorageError, match="newer version"):
        CallStore(path)


def test_a_place_that_cannot_be_a_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StorageError, match="could not be written"):
        CallStore(tmp_path / "file" / "calls.sqlite")
