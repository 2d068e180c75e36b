"""The same folder gives the same index, to the byte: in new processes, for any order of files, with any hash seed."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from explorer.base.paths import HOME_NAME
from explorer.indexing.run import index_folder
from tests.indexing.folders import TEXTS, make_folder, table_bytes
from tests.indexing.plain_analyst import PlainAnalyst

ROOT = Path(__file__).resolve().parents[2]


def index_elsewhere(folder: Path, seed: int, *more: str) -> None:
    """Index in a new process with a hash seed of its own."""
    environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
    done = subprocess.run(
        [sys.executable, "-m", "explorer", "index", str(folder), *more],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=800, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def copy_shuffled(source: Path, target: Path, seed: int) -> Path:
    """Copy a folder's files one by one in a shuffled order, with their times."""
    files = [path for path in source.rglob("*") if path.is_file()]
    random.Random(seed).shuffle(files)
    for path in files:
        place = target / path.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, place)
    return target


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_five_processes_five_hash_seeds_five_orders_one_index(shared: Path, tmp_path: Path) -> None:
    found = []
    for seed in (1, 2, 3, 42, 4242):
        folder = copy_shuffled(shared / "corpora/small_dulce", tmp_path / str(seed), seed)
        index_elsewhere(folder, seed, "--grade", "patterns")
        found.append(table_bytes(folder / HOME_NAME))
    assert len(found[0]) >= 8
    for other in found[1:]:
        assert other == found[0]


@pytest.mark.parametrize("seed", range(4))
def test_any_order_in_which_files_were_made(tmp_path: Path, seed: int) -> None:
    plain = make_folder(tmp_path / "plain")
    order = list(TEXTS)
    random.Random(seed).shuffle(order)
    shuffled = make_folder(tmp_path / "shuffled", order=order)
    for folder in (plain, shuffled):
        index_folder(folder, analyst=PlainAnalyst())
    assert table_bytes(plain / HOME_NAME) == table_bytes(shuffled / HOME_NAME)


def test_the_name_of_the_folder_is_nowhere_in_the_tables(tmp_path: Path) -> None:
    one, two = make_folder(tmp_path / "one"), make_folder(tmp_path / "deep" / "er" / "two")
    for folder in (one, two):
        index_folder(folder, analyst=PlainAnalyst())
    assert table_bytes(one / HOME_NAME) == table_bytes(two / HOME_NAME)
