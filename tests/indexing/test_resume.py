"""Stopped at any stage, paused, or killed: nothing is half replaced, and the next run goes on where it was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from explorer.analysts.offline.analyst import OfflineAnalyst
from explorer.base.cancel import CancelScope
from explorer.base.errors import Cancelled, StorageError
from explorer.base.events import Event, FileSettled, StageProgress, StageStarted
from explorer.base.paths import HOME_NAME
from explorer.graph.layout_store import save_layout
from explorer.graph.positions import Layout
from explorer.indexing import run
from explorer.indexing.options import IndexOptions
from explorer.indexing.progress import STAGES
from explorer.indexing.run import index_folder
from explorer.indexing.store import exchange, recover, write_part
from explorer.models.call_store import CallStore
from explorer.tables.index import open_index
from explorer.tables.index_file import IndexInfo, load_info, save_info
from tests.indexing.folders import TEXTS, make_folder, names_in, readings, table_bytes
from tests.indexing.plain_analyst import PlainAnalyst

ROOT = Path(__file__).resolve().parents[2]


def stop_at(folder: Path, stage: str) -> None:
    scope = CancelScope()

    def sink(event: Event, /) -> None:
        if isinstance(event, StageStarted) and event.stage == stage:
            scope.cancel()

    with pytest.raises(Cancelled):
        index_folder(folder, analyst=PlainAnalyst(), sink=sink, scope=scope)


@pytest.mark.parametrize("stage", STAGES)
def test_stopped_at_a_stage_a_first_run_leaves_no_table_and_the_next_makes_all(tmp_path: Path, stage: str) -> None:
    folder = make_folder(tmp_path / "documents")
    stop_at(folder, stage)
    left = names_in(folder / HOME_NAME)
    assert not {name for name in left if name.endswith(".parquet")}
    index_folder(folder, analyst=PlainAnalyst())
    other = make_folder(tmp_path / "other")
    index_folder(other, analyst=PlainAnalyst())
    assert table_bytes(folder / HOME_NAME) == table_bytes(other / HOME_NAME)


@pytest.mark.parametrize("stage", STAGES)
def test_stopped_at_a_stage_a_renewal_leaves_the_old_index_as_it_was(tmp_path: Path, stage: str) -> None:
    folder = make_folder(tmp_path / "documents")
    index_folder(folder, analyst=PlainAnalyst())
    before = table_bytes(folder / HOME_NAME)
    (folder / "school.txt").write_text("Klara met Jonas.")
    stop_at(folder, stage)
    assert table_bytes(folder / HOME_NAME) == before
    summary = index_folder(folder, analyst=PlainAnalyst())
    assert (summary.files.indexed, summary.files.unchanged) == (1, 4)


def test_what_was_read_before_a_stop_is_not_read_again(tmp_path: Path) -> None:
    texts = {f"{n:02}.txt": f"Anna met Bruno in town {n}. Clara wrote to Anna about Bruno {n}." for n in range(40)}
    folder = make_folder(tmp_path / "documents", texts)
    home = folder / HOME_NAME
    options = IndexOptions(grade="patterns")
    scope = CancelScope()

    def sink(event: Event, /) -> None:
        if isinstance(event, StageProgress) and event.stage == "extract" and event.done >= 8:
            scope.cancel()

    with pytest.raises(Cancelled):
        index_folder(folder, options=options, sink=sink, scope=scope)
    summary = index_folder(folder, options=options)
    assert 8 <= summary.calls["extract"].cached < 40
    whole = index_folder(make_folder(tmp_path / "other", texts), options=options)
    assert whole.calls["extract"].cached == 0
    assert table_bytes(home) == table_bytes(tmp_path / "other" / HOME_NAME)


def test_a_changed_file_costs_only_its_own_reading(tmp_path: Path) -> None:
    texts = {f"{n:02}.txt": f"Anna met Bruno in town {n}." for n in range(10)}
    folder = make_folder(tmp_path / "documents", texts)
    with CallStore(tmp_path / "calls.sqlite") as store:
        analyst = OfflineAnalyst(store=store, grade="patterns")
        index_folder(folder, analyst=analyst)
        (folder / "03.txt").write_text("Anna never met Bruno.")
        summary = index_folder(folder, analyst=OfflineAnalyst(store=store, grade="patterns"))
    assert (summary.calls["extract"].count, summary.calls["extract"].cached) == (10, 9)


def test_a_pause_holds_and_lets_go(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "documents")
    scope = CancelScope()
    paused = threading.Event()

    def sink(event: Event, /) -> None:
        if isinstance(event, FileSettled) and not paused.is_set():
            scope.pause()
            paused.set()

    done: list[object] = []
    thread = threading.Thread(
        target=lambda: done.append(index_folder(folder, analyst=PlainAnalyst(), sink=sink, scope=scope))
    )
    thread.start()
    assert paused.wait(240)
    time.sleep(0.3)
    assert thread.is_alive() and not (folder / HOME_NAME / "output").exists()
    scope.resume()
    thread.join(240)
    assert done and open_index(folder).entities


@pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
def test_killed_while_it_reads_it_goes_on_and_ends_with_the_same_tables(tmp_path: Path) -> None:
    texts = {f"{n:02}.txt": f"Anna met Bruno in town {n}. Clara wrote to Anna about Bruno {n}." for n in range(60)}
    folder = make_folder(tmp_path / "documents", texts)
    home = folder / HOME_NAME
    process = subprocess.Popen(
        [sys.executable, "-m", "explorer", "index", str(folder), "--grade", "patterns"],
        cwd=ROOT,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline and not readings(home):
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(240)
    options = IndexOptions(grade="patterns")
    summary = index_folder(folder, options=options)  # the lock of the dead process holds nobody up
    assert summary.calls["extract"].cached > 0
    index_folder(make_folder(tmp_path / "other", texts), options=options)
    assert table_bytes(home) == table_bytes(tmp_path / "other" / HOME_NAME)


ROW = {"id": "e", "human_readable_id": 0, "title": "ALPHA"}


def put(home: Path, **tables: list[dict[str, object]]) -> None:
    """Write a set of tables with what lies beside them, ready to be exchanged."""
    part = write_part(home, tables, [], CancelScope())
    save_layout(part, Layout({}, {}))
    save_info(part, IndexInfo(created="2026-01-02"))


def test_tables_are_exchanged_as_a_set_and_foreign_files_beside_them_stay(tmp_path: Path) -> None:
    put(tmp_path, entities=[ROW], relationships=[])
    exchange(tmp_path)
    (tmp_path / "output" / "lancedb").mkdir()
    (tmp_path / "output" / "lancedb" / "vectors").write_text("kept")
    put(tmp_path, entities=[])
    assert (tmp_path / "output" / "relationships.parquet").exists()
    exchange(tmp_path)
    assert names_in(tmp_path) == {
        "output/entities.parquet", "output/lancedb/vectors", "spans.parquet", "positions.parquet", "discs.json",
        "index.json",
    }  # fmt: skip


def test_a_kill_at_either_rename_is_put_right(tmp_path: Path) -> None:
    put(tmp_path, entities=[ROW])
    exchange(tmp_path)
    sound = table_bytes(tmp_path)
    (tmp_path / "output").rename(tmp_path / "output.old")  # killed after the first rename
    (tmp_path / "index.json.part").write_text("{}")
    put(tmp_path, entities=[])
    recover(tmp_path)
    assert table_bytes(tmp_path) == sound and names_in(tmp_path) == set(sound)
    (tmp_path / "output.old").mkdir()  # killed before the old tables were removed
    (tmp_path / "output.old" / "entities.parquet").write_bytes(b"old")
    recover(tmp_path)
    assert table_bytes(tmp_path) == sound


class Killed(BaseException):
    """Stands for a kill: nothing tidies up after it."""


@pytest.mark.parametrize("steps", range(8))
def test_killed_at_any_rename_the_next_run_ends_with_the_whole_new_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    folder = make_folder(tmp_path / "documents")
    index_folder(folder, analyst=PlainAnalyst())
    make_folder(folder, {"school.txt": "Klara met Jonas."})
    real = Path.replace
    left = steps

    def replace(self: Path, target: Path) -> Path:
        nonlocal left
        if self.name.startswith("."):  # a single table that is being written
            return real(self, target)
        if left == 0:
            raise Killed
        left -= 1
        return real(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", replace)
        patched.setattr(run, "discard_part", lambda home: None)
        if steps < 7:  # spans, positions, discs, index.json aside, tables aside, tables, index.json
            with pytest.raises(Killed):
                index_folder(folder, analyst=PlainAnalyst())
        else:
            index_folder(folder, analyst=PlainAnalyst())
    assert open_index(folder).entities  # whatever stands there can be read
    index_folder(folder, analyst=PlainAnalyst())
    other = make_folder(tmp_path / "other", {**TEXTS, "school.txt": "Klara met Jonas."})
    index_folder(other, analyst=PlainAnalyst())
    assert table_bytes(folder / HOME_NAME) == table_bytes(other / HOME_NAME)


class PaidAnalyst(PlainAnalyst):
    """A plain analyst whose judgements are paid for: communities start from the old ones."""

    is_model = True


@pytest.mark.parametrize("steps", range(8))
def test_killed_at_any_rename_a_renewal_from_old_communities_ends_as_if_undisturbed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    """Which tables are the old ones must not depend on where it was killed."""
    real = Path.replace
    homes = []
    for name in ("killed", "undisturbed"):
        folder = make_folder(tmp_path / name)
        index_folder(folder, analyst=PaidAnalyst())
        make_folder(folder, {"school.txt": "Klara met Jonas. Emil met Klara. Klara met Anna and Bruno."})
        left = steps

        def replace(self: Path, target: Path) -> Path:
            nonlocal left
            if self.name.startswith("."):
                return real(self, target)
            if left == 0:
                raise Killed
            left -= 1
            return real(self, target)

        if name == "killed" and steps < 7:
            with monkeypatch.context() as patched:
                patched.setattr(Path, "replace", replace)
                patched.setattr(run, "discard_part", lambda home: None)
                with pytest.raises(Killed):
                    index_folder(folder, analyst=PaidAnalyst())
        index_folder(folder, analyst=PaidAnalyst())
        info = load_info(folder / HOME_NAME)
        assert info is not None and info.leiden.start == "old communities"
        homes.append(folder / HOME_NAME)
    assert table_bytes(homes[0]) == table_bytes(homes[1])


def test_a_disk_that_refuses_the_last_rename_leaves_the_old_index_and_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_folder(tmp_path / "documents")
    index_folder(folder, analyst=PlainAnalyst())
    before = table_bytes(folder / HOME_NAME)
    make_folder(folder, {"school.txt": "Klara met Jonas."})
    real = Path.replace

    def replace(self: Path, target: Path) -> Path:
        if self.name == "output":
            raise PermissionError(13, "no")
        return real(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", replace)
        with pytest.raises(StorageError):
            index_folder(folder, analyst=PlainAnalyst())
    recover(folder / HOME_NAME)
    after = table_bytes(folder / HOME_NAME)
    assert {name for name in before if name.startswith(("output", "index"))} <= set(after)
    assert all(after[name] == before[name] for name in before if name.startswith(("output", "index")))
