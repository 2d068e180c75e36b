"""Where an index is kept, one writer at a time, and a disk that is full."""

from __future__ import annotations

import errno
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from explorer.base.errors import BusyError, StorageError
from explorer.base.events import Event, Notice
from explorer.base.locks import writer_lock
from explorer.base.paths import HOME_NAME, user_home_for
from explorer.indexing import home as home_module
from explorer.indexing.run import index_folder
from explorer.tables import write
from explorer.tables.index import open_index
from tests.indexing.folders import make_folder, names_in, table_bytes
from tests.indexing.plain_analyst import PlainAnalyst

ROOT = Path(__file__).resolve().parents[2]


def test_a_read_only_folder_is_indexed_with_the_user_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_folder(tmp_path / "documents")
    before = names_in(folder)
    monkeypatch.setattr(home_module, "can_write", lambda place: False)
    events: list[Event] = []
    summary = index_folder(folder, analyst=PlainAnalyst(), sink=events.append)
    assert Path(summary.index) == user_home_for(folder)
    sentences = [event.sentence for event in events if isinstance(event, Notice)]
    assert sentences[0].count("\n") == 0 and str(user_home_for(folder)) in sentences[0]
    assert names_in(folder) == before
    index = open_index(folder)
    assert index.folder == folder and len(index.documents) == 6


@pytest.fixture
def read_only_mount(tmp_path: Path) -> Iterator[Path]:
    """A folder on a medium mounted read-only; needs root and the right to mount."""
    if os.name == "nt" or os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("mounting needs root")
    folder = make_folder(tmp_path / "medium")
    for step in (["--bind", str(folder), str(folder)], ["-o", "remount,ro,bind", str(folder)]):
        if subprocess.run(["mount", *step], capture_output=True, check=False).returncode:
            subprocess.run(["umount", str(folder)], capture_output=True, check=False)
            pytest.skip("mounting is not allowed here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_medium_mounted_read_only_even_for_root(read_only_mount: Path) -> None:
    summary = index_folder(read_only_mount, analyst=PlainAnalyst())
    assert Path(summary.index) == user_home_for(read_only_mount)
    assert open_index(read_only_mount).entities


def test_can_write_leaves_nothing_behind(tmp_path: Path) -> None:
    assert home_module.can_write(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_the_right_to_write(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        assert not home_module.can_write(tmp_path)
    finally:
        tmp_path.chmod(0o700)


def test_a_second_writer_is_told_so_and_changes_nothing(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "documents")
    index_folder(folder, analyst=PlainAnalyst())
    before = table_bytes(folder / HOME_NAME)
    (folder / "new.txt").write_text("Klara met Jonas.")
    with writer_lock(folder / HOME_NAME), pytest.raises(BusyError) as error:
        index_folder(folder, analyst=PlainAnalyst())
    assert "\n" not in error.value.sentence and str(folder / HOME_NAME) in error.value.sentence
    assert table_bytes(folder / HOME_NAME) == before


def test_a_writer_in_another_process_keeps_this_one_out(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "documents")
    code = (
        "import sys\nfrom pathlib import Path\nfrom explorer.base.locks import writer_lock\n"
        "with writer_lock(Path(sys.argv[1])):\n    print('held', flush=True)\n    sys.stdin.read()\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(folder / HOME_NAME)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert holder.stdin is not None and holder.stdout is not None
    assert holder.stdout.readline().strip() == "held"
    with pytest.raises(BusyError):
        index_folder(folder, analyst=PlainAnalyst())
    holder.stdin.close()
    holder.wait(240)
    holder.stdout.close()
    assert index_folder(folder, analyst=PlainAnalyst()).documents == 6


def test_two_folders_may_be_indexed_at_once(tmp_path: Path) -> None:
    first, second = make_folder(tmp_path / "a"), make_folder(tmp_path / "b")
    (first / HOME_NAME).mkdir()
    with writer_lock(first / HOME_NAME):
        assert index_folder(second, analyst=PlainAnalyst()).documents == 6


@pytest.mark.parametrize("table", ["communities", "text_units", "spans"])
def test_a_disk_that_fills_up_at_a_table_leaves_the_old_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str
) -> None:
    folder = make_folder(tmp_path / "documents")
    index_folder(folder, analyst=PlainAnalyst())
    before = table_bytes(folder / HOME_NAME)
    (folder / "new.txt").write_text("Klara met Jonas.")
    real = write.pq.write_table

    def full(rows: Any, handle: Any, **settings: Any) -> None:
        if f".{table}.parquet" in handle.name:
            handle.write(b"half")
            raise OSError(errno.ENOSPC, "No space left on device")
        real(rows, handle, **settings)

    monkeypatch.setattr(write.pq, "write_table", full)
    with pytest.raises(StorageError, match="disk is full") as error:
        index_folder(folder, analyst=PlainAnalyst())
    assert "\n" not in error.value.sentence
    assert table_bytes(folder / HOME_NAME) == before
    assert not (folder / HOME_NAME / "output.part").exists()
    monkeypatch.undo()
    assert index_folder(folder, analyst=PlainAnalyst()).documents == 7


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 96 kB; needs root and the right to mount."""
    if os.name == "nt" or os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("mounting needs root")
    disk = tmp_path / "disk"
    disk.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=96k", "tmpfs", str(disk)], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip("mounting is not allowed here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_real_disk_that_is_full_is_one_sentence_and_leaves_no_half_table(small_disk: Path, tmp_path: Path) -> None:
    noise = random.Random(1)  # what cannot be packed
    texts = {f"{n:03}.txt": f"Anna met Bruno. {noise.randbytes(3000).hex()}" for n in range(60)}
    folder = make_folder(tmp_path / "documents", texts)
    home = small_disk / "index"
    with pytest.raises(StorageError) as error:
        index_folder(folder, home=home, analyst=PlainAnalyst())
    assert "full" in error.value.sentence and "\n" not in error.value.sentence
    assert not {name for name in names_in(home) if name.endswith((".parquet", ".part"))}
