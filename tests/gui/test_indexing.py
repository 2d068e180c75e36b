"""Indexing for real from the window: a folder becomes an index, a stop and a close lose nothing, errors are said."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from explorer.gui.indexing import STOPPED
from explorer.gui.window import MainWindow
from tests.gui.conftest import MakeWindow
from tests.gui.quick_run import quick_runner

NAMES = ("Alma Berg", "Bruno Carr", "Clara Dorn", "Dora Eng", "Emil Falk", "Frida Gray")
PATIENCE = 120_000


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    """Twelve letters in which six people and a place are named together."""
    folder = tmp_path / "letters"
    folder.mkdir()
    for number in range(12):
        one, two, three = (NAMES[(number + step) % 6] for step in (0, 1, 3))
        (folder / f"letter-{number:02d}.txt").write_text(
            f"{one} wrote to {two} from Harbour Street. {two} answered {one} within the week. "
            f"Later {three} met {one} at the Harbour Street Library, and {two} was told of it by {three}.\n"
        )
    return folder


def fates(window: MainWindow) -> list[str]:
    return [line.fate for line in window.place("documents").model.lines]


def test_a_folder_becomes_an_index_that_opens(make_window: MakeWindow, qtbot, letters: Path) -> None:
    window = make_window()
    with qtbot.waitSignal(window.session.layout_ready, timeout=PATIENCE):
        window.open_path(letters)
    assert window.current == "communities"
    assert len(window.session.index.documents) == 12
    assert {entity.title.casefold() for entity in window.session.index.entities} >= {"alma berg", "clara dorn"}
    # Stages of so few letters begin and end between two looks at the events: what is certain is that each was shown.
    stages = {stage.name: stage for stage in window.indexing.stages}
    assert {stage.state for stage in stages.values()} == {"done"}
    assert (stages["extract"].done, stages["extract"].total) == (12, 12)
    assert stages["reports"].counts["reports"] == len(window.session.index.reports) > 0
    assert window.session.index.folder == letters
    assert (letters / ".graphrag-explorer" / "output" / "entities.parquet").is_file()
    qtbot.waitUntil(lambda: fates(window) == ["indexed"] * 12)
    # Opening it again takes the index as it is.
    with qtbot.waitSignal(window.session.index_opened):
        window.open_path(letters)
    assert not window.indexing.running


def _read_so_far(home: Path) -> int:
    import sqlite3

    connection = sqlite3.connect(f"file:{home / 'calls.sqlite'}?mode=ro", uri=True)
    try:
        tables = [row[0] for row in connection.execute("select name from sqlite_master where type = 'table'")]
        return sum(connection.execute(f'select count(*) from "{name}"').fetchone()[0] for name in tables)
    finally:
        connection.close()


def test_a_run_that_was_stopped_goes_on_where_it_was(make_window: MakeWindow, qtbot, letters: Path) -> None:
    window = make_window(runner=quick_runner)
    window.open_path(letters)
    run = window.indexing
    qtbot.waitUntil(lambda: run.stages[2].state in ("running", "done"), timeout=PATIENCE)
    window.registry.get("index.stop").trigger()
    qtbot.waitUntil(lambda: not run.running, timeout=PATIENCE)
    assert run.state == "stopped" and run.sentence == STOPPED
    home = letters / ".graphrag-explorer"
    kept = _read_so_far(home)
    with qtbot.waitSignal(window.session.index_opened, timeout=PATIENCE):
        window.registry.get("index.again").trigger()
    assert _read_so_far(home) >= kept
    assert len(window.session.index.documents) == 12
    assert run.summary is not None


def test_closing_during_indexing_loses_nothing(make_window: MakeWindow, qtbot, letters: Path) -> None:
    window = make_window(runner=quick_runner)
    window.open_path(letters)
    run = window.indexing
    qtbot.waitUntil(lambda: run.stages[2].state in ("running", "done"), timeout=PATIENCE)
    window.close()
    assert window.isVisible(), "the window stays until the work has stopped"
    assert "Stopping" in window.messages.messages()[0].sentence
    qtbot.waitUntil(lambda: not window.isVisible(), timeout=120_000)
    assert run.state == "stopped"
    assert window.engine.jobs == []
    home = letters / ".graphrag-explorer"
    kept = _read_so_far(home)
    second = make_window(runner=quick_runner)
    with qtbot.waitSignal(second.session.index_opened, timeout=PATIENCE):
        second.open_path(letters)
    assert len(second.session.index.documents) == 12
    assert _read_so_far(home) >= kept


def _sentence(window: MainWindow, qtbot, path: Path) -> str:
    """Open a path that cannot be opened and give the sentence that stands in the window then."""
    window.open_path(path)
    qtbot.waitUntil(lambda: bool(window.messages.messages()) or window.indexing.state == "failed", timeout=120_000)
    QApplication.processEvents()
    if window.indexing.state == "failed":
        return window.place("documents").words.text()
    return window.messages.messages()[0].sentence


def test_a_folder_that_does_not_exist(make_window: MakeWindow, qtbot, tmp_path: Path) -> None:
    sentence = _sentence(make_window(runner=quick_runner), qtbot, tmp_path / "nowhere")
    assert "no folder" in sentence and str(tmp_path / "nowhere") in sentence


def test_an_empty_folder(make_window: MakeWindow, qtbot, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    sentence = _sentence(make_window(runner=quick_runner), qtbot, tmp_path / "empty")
    assert "is empty" in sentence
    assert list((tmp_path / "empty").iterdir()) == []


def test_a_folder_with_nothing_readable(make_window: MakeWindow, qtbot, tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    (folder / "one.jpg").write_bytes(b"\xff\xd8\xff\xe0")
    sentence = _sentence(make_window(runner=quick_runner), qtbot, folder)
    assert "can be read" in sentence
    assert [entry.name for entry in folder.iterdir()] == ["one.jpg"]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="rights do not bind this user")
def test_a_folder_that_cannot_be_read(make_window: MakeWindow, qtbot, tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(0)
    try:
        assert "cannot be read" in _sentence(make_window(runner=quick_runner), qtbot, folder)
    finally:
        folder.chmod(0o755)


def test_an_index_of_a_newer_schema(make_window: MakeWindow, qtbot, tmp_path: Path) -> None:
    from explorer.tables.write import write_table

    home = tmp_path / ".graphrag-explorer"
    (home / "output").mkdir(parents=True)
    write_table(home / "output", "entities", [])
    (home / "index.json").write_text('{"schema_version": 99, "created": "2030-01-01"}')
    sentence = _sentence(make_window(runner=quick_runner), qtbot, tmp_path)
    assert "newer version" in sentence


def test_a_second_writer(make_window: MakeWindow, qtbot, letters: Path) -> None:
    from explorer.base.locks import writer_lock

    with writer_lock(letters / ".graphrag-explorer"):
        sentence = _sentence(make_window(runner=quick_runner), qtbot, letters)
    assert "Another program is writing" in sentence


def test_tables_before_2_open_and_are_not_indexed(make_window: MakeWindow, qtbot, shared: Path) -> None:
    window = make_window(runner=quick_runner)
    old = shared / "indexes" / "microsoft" / "verbs-v1.1.0"
    before = sorted(old.rglob("*"))
    with qtbot.waitSignal(window.session.index_opened, timeout=PATIENCE):
        window.open_path(old)
    assert len(window.session.index.entities) == 301
    assert window.indexing.state == "idle"
    assert sorted(old.rglob("*")) == before
