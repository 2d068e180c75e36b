"""A call store read without changing it: newest records, all figures, and files of other versions."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from explorer.base.errors import StorageError
from explorer.base.fates import CallFate
from explorer.models.call_schema import _STEPS
from explorer.models.call_store import CallStore, StoredCall
from explorer.models.calls import Attempt
from explorer.models.kept_calls import KeptCalls

STAGES = ("extract", "embed")


def call(key: str, fate: CallFate = CallFate.OK, **more: object) -> StoredCall:
    values: dict[str, object] = {
        "stage": "extract", "reply": f"reply of {key}", "model": "m", "subject": f"unit {key}",
        "messages": (("system", "Read."), ("user", key)), "attempts": (Attempt("ok", text=f"reply of {key}"),),
        "billed_prompt_tokens": 10, "billed_output_tokens": 5, "cost": 0.5,
    }  # fmt: skip
    return StoredCall(key=key, fate=fate, **{**values, **more})  # type: ignore[arg-type]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "calls.sqlite"
    with CallStore(path) as store:
        store.put(call("a", CallFate.FAILED, error="It failed."))
        store.put(call("b", CallFate.REPAIRED, note="A comma was missing."))
        store.put(call("a"))
        store.put(call("q", stage="map"))
        store.put(StoredCall("offline", "extract", "a reading", model="patterns"))
        store.put_all(
            [call(f"v{n}", CallFate.FAILED, stage="embed", parts=(f"{n}a", f"{n}b")) for n in range(1, 3)],
            {"1a": b"1234", "1b": b"1234", "2a": b"1234"},
        )
    return path


def test_every_record_with_what_it_was_charged_and_whether_it_stands(path: Path) -> None:
    with KeptCalls(path) as store:
        records = [(kept.key, kept.fate, newest) for kept, newest in store.records(STAGES)]
        assert records == [
            ("a", "failed", False), ("b", "repaired", True), ("a", "ok", True), ("v1", "failed", True),
            ("v2", "failed", True),
        ]  # fmt: skip
        kept = store.rows([2])[0]
        assert (kept.subject, kept.prompt_tokens, kept.output_tokens, kept.cost) == ("unit b", 10, 5, 0.5)
        assert kept.note == "A comma was missing."
        ids = [kept.id for kept, _ in store.records(("embed",))]
        assert store.without_vectors(ids) == {ids[1]}, "the first one's texts have theirs by now"
        assert store.last_id() == 7


def test_an_opened_call_is_that_of_the_store(path: Path) -> None:
    with CallStore(path) as store:
        there = {key: store.open_call(key) for key in ("a", "b", "v1", "no such")}
    with KeptCalls(path) as kept:
        assert {key: kept.open_call(key) for key in there} == there
    assert there["a"] is not None and there["a"].fate is CallFate.OK and there["no such"] is None


def test_nothing_is_changed_and_nothing_left_behind(path: Path) -> None:
    before = (path.read_bytes(), sorted(path.parent.iterdir()))
    with KeptCalls(path) as store:
        list(store.records(STAGES))
        store.open_call("a")
    assert (path.read_bytes(), sorted(path.parent.iterdir())) == before
    with pytest.raises(StorageError, match="cannot be read"), KeptCalls(path.parent / "none.sqlite"):
        pass
    assert not (path.parent / "none.sqlite").exists()


def test_it_reads_beside_a_writer(path: Path) -> None:
    with CallStore(path) as store, KeptCalls(path) as kept:
        store.put(call("c"))
        assert [record.key for record, _ in kept.records(("extract",))] == ["a", "b", "a", "c"]


def test_a_file_of_the_first_version_stays_one(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    with sqlite3.connect(path) as connection:
        connection.executescript(_STEPS[1])
        connection.execute("PRAGMA user_version = 1")
        connection.execute(
            "INSERT INTO calls (key, stage, fate, reply, model, prompt_tokens, output_tokens, seconds, retries, made)"
            " VALUES ('a', 'extract', 'ok', 'yes', 'm', 3, 4, 0.5, 1, 0)"
        )
    connection.close()
    with KeptCalls(path) as store:
        ((kept, newest),) = store.records(STAGES)
        assert (kept.key, kept.subject, kept.cost, kept.retries, newest) == ("a", "", None, 1, True)
        opened = store.open_call("a")
        assert opened is not None and (opened.reply, opened.messages, opened.attempts) == ("yes", (), ())
        assert store.without_vectors([1]) == {1}
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    connection.close()


def test_an_empty_file_holds_no_call(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    path.touch()
    with KeptCalls(path) as store:
        assert list(store.records(STAGES)) == [] and store.open_call("a") is None and store.last_id() == 0


@pytest.mark.parametrize("harm", ["newer", "damaged", "other"])
def test_what_cannot_be_read_is_one_sentence(path: Path, harm: str) -> None:
    if harm == "newer":
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA user_version = 3")
        connection.close()
    elif harm == "damaged":
        path.write_bytes(b"?" * 5000)
    else:
        with sqlite3.connect(path) as connection:
            connection.execute("DROP TABLE calls")
        connection.close()
    words = {"newer": "newer version", "damaged": "is damaged", "other": "cannot be read"}
    with pytest.raises(StorageError, match=words[harm]) as error, KeptCalls(path) as store:
        list(store.records(STAGES))
    assert str(path) in error.value.sentence
