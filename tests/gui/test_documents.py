"""Documents: rows and stages while indexing, the switches, and what an open index says of its files."""

from __future__ import annotations

import threading
from datetime import date
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from explorer.base.errors import Cancelled, StorageError
from explorer.base.events import FileSettled, Notice, StageFinished, StageProgress, StageStarted
from explorer.gui.indexing import STOPPED, STOPPING
from explorer.gui.loading import NoIndexYet
from explorer.gui.places.documents.files_model import FATES, FileLine, FilesModel
from explorer.gui.places.documents.opened import changes_of, sentence_of, with_changes
from explorer.gui.theme import Theme
from explorer.gui.window import MainWindow
from explorer.tables.index_file import IndexInfo, InputInfo
from tests.gui.conftest import MakeWindow, small_index, small_layout

FILES = [("a.txt", 1_200, ""), ("b.md", 90, ""), ("c.exe", 5, "its type is not read")]


class Script:
    """A run whose steps a test lets go one by one."""

    def __init__(self) -> None:
        self.gates = {name: threading.Event() for name in ("read", "chunk", "end")}
        self.fail: Exception | None = None

    def __call__(self, folder, home, sink, scope):
        sink(StageStarted("read", 2))
        self.wait("read", scope)
        sink(StageProgress("read", 1, 2))
        sink(FileSettled("a.txt", "indexed", "", 1_200, 1, 2, 300))
        self.wait("chunk", scope)
        sink(FileSettled("b.md", "failed", "its letters cannot be decoded", 90))
        sink(FileSettled("c.exe", "skipped", "its type is not read", 5))
        sink(StageFinished("read", 0.5, {"documents": 1}))
        if self.fail is not None:
            raise self.fail
        self.wait("end", scope)
        return "summary"

    def wait(self, name, scope):
        while not self.gates[name].wait(0.01):
            scope.checkpoint()
            if scope.cancelled:
                raise Cancelled

    def let_go(self):
        for gate in self.gates.values():
            gate.set()


@pytest.fixture
def script():
    script = Script()
    yield script
    script.let_go()


@pytest.fixture
def window(make_window: MakeWindow, script: Script) -> MainWindow:
    indexed: list[Path] = []

    def opener(path: Path):
        if path not in indexed:
            raise NoIndexYet("no index yet")
        return small_index(path, foreign=False, name=path.name)

    window = make_window(opener=opener, layouter=small_layout, runner=script, lister=lambda folder: FILES)
    script.done = indexed.append
    return window


def start(window: MainWindow, qtbot, folder: Path) -> None:
    with qtbot.waitSignal(window.indexing.files_found):
        window.open_path(folder)


def rows(window: MainWindow) -> dict[str, FileLine]:
    return {line.path: line for line in window.place("documents").model.lines}


def test_a_folder_without_an_index_is_indexed_in_sight(window, script, qtbot, tmp_path: Path) -> None:
    start(window, qtbot, tmp_path)
    place = window.place("documents")
    assert window.current == "documents"
    assert [line.fate for line in place.model.lines] == ["waiting", "waiting", "skipped"]
    assert rows(window)["c.exe"].reason == "its type is not read"
    assert place.stop_button.isVisible() and place.pause_button.isVisible() and not place.open_button.isVisible()
    script.gates["read"].set()
    qtbot.waitUntil(lambda: rows(window)["a.txt"].fate == "indexed")
    line = rows(window)["a.txt"]
    assert (line.documents, line.units, line.tokens) == (1, 2, 300)
    stage = place.stages.index(0, 0).data(Qt.ItemDataRole.UserRole)
    assert (stage.state, stage.done, stage.total) == ("running", 1, 2)
    assert place.stages.index(0, 2).data() == "1 of 2"
    script.gates["chunk"].set()
    qtbot.waitUntil(lambda: rows(window)["b.md"].fate == "failed")
    assert rows(window)["b.md"].reason == "its letters cannot be decoded"
    assert place.stages.index(0, 6).data() == "1 document"
    assert place.files_pane.figure.text() == "3 files · 1 indexed · 1 skipped · 1 failed"


def test_after_the_run_the_index_opens(window, script, qtbot, tmp_path: Path) -> None:
    start(window, qtbot, tmp_path)
    script.done(tmp_path)
    with qtbot.waitSignal(window.session.index_opened):
        script.let_go()
    assert window.current == "communities"
    assert window.session.index.folder == tmp_path


def test_an_index_that_cannot_be_found_again_is_said_and_not_made_forever(
    window, script, qtbot, tmp_path: Path
) -> None:
    start(window, qtbot, tmp_path)
    script.let_go()
    qtbot.waitUntil(lambda: bool(window.messages.messages()))
    assert "cannot be found again" in window.messages.messages()[0].sentence
    assert not window.indexing.running


def test_pause_and_go_on(window, script, qtbot, tmp_path: Path) -> None:
    start(window, qtbot, tmp_path)
    place = window.place("documents")
    qtbot.mouseClick(place.pause_button, Qt.MouseButton.LeftButton)
    assert window.indexing.state == "paused"
    assert place.resume_button.isVisible() and not place.pause_button.isVisible()
    assert "Paused" in place.words.text()
    qtbot.mouseClick(place.resume_button, Qt.MouseButton.LeftButton)
    assert window.indexing.state == "running"


def test_stopping_takes_two_steps_that_are_seen(window, script, qtbot, tmp_path: Path) -> None:
    start(window, qtbot, tmp_path)
    script.gates["read"].set()
    qtbot.waitUntil(lambda: rows(window)["a.txt"].fate == "indexed")
    place = window.place("documents")
    qtbot.mouseClick(place.stop_button, Qt.MouseButton.LeftButton)
    assert place.words.text() == STOPPING
    assert place.stop_button.text() == "Stopping" and not place.stop_button.isEnabled()
    qtbot.waitUntil(lambda: window.indexing.state == "stopped")
    assert place.words.text() == STOPPED
    assert rows(window)["a.txt"].fate == "indexed"
    assert place.start_button.isVisible() and place.start_button.text() == "Go on"
    qtbot.mouseClick(place.start_button, Qt.MouseButton.LeftButton)
    assert window.indexing.state == "running" and window.indexing.folder == tmp_path


def test_an_error_is_said_in_its_sentence_where_the_work_was_started(window, script, qtbot, tmp_path: Path) -> None:
    script.fail = StorageError("The disk is full: what was finished before is kept.")
    start(window, qtbot, tmp_path)
    script.let_go()
    qtbot.waitUntil(lambda: window.indexing.state == "failed")
    place = window.place("documents")
    assert place.words.text() == "The disk is full: what was finished before is kept."
    assert place.mark.accessibleName() == "failed"
    assert window.activity.lines[0].state.text().startswith("The disk is full")


def test_a_second_folder_waits_for_the_first(window, script, qtbot, tmp_path: Path) -> None:
    start(window, qtbot, tmp_path)
    (tmp_path / "other").mkdir()
    with qtbot.waitSignal(window.session.folder_wanted):
        window.open_path(tmp_path / "other")
    assert "still being indexed" in window.messages.messages()[0].sentence
    assert window.indexing.folder == tmp_path


def test_notices_of_the_run_are_said(window, script, qtbot, tmp_path: Path) -> None:
    window.indexing._runner = lambda folder, home, sink, scope: sink(Notice("The folder is read-only."))
    start(window, qtbot, tmp_path)
    qtbot.waitUntil(lambda: bool(window.messages.messages()))
    assert window.messages.messages()[0].sentence == "The folder is read-only."


def test_the_activity_panel_follows_the_run(window, script, qtbot, tmp_path: Path) -> None:
    start(window, qtbot, tmp_path)
    window.registry.get("view.activity").trigger()
    assert window.activity.isVisible()
    line = window.activity.lines[0]
    assert line.name.text() == f"Indexing {tmp_path.name}"
    qtbot.waitUntil(lambda: "Reading files" in line.state.text())
    assert "Indexing" in window.status.jobs.text() and window.status.jobs.isVisible()
    qtbot.mouseClick(line.stop, Qt.MouseButton.LeftButton)
    assert "finishing what is in flight" in line.state.text() and not line.stop.isEnabled()
    qtbot.waitUntil(lambda: "everything done is kept" in line.state.text())
    assert not line.stop.isVisible() and not window.status.jobs.isVisible()


@pytest.fixture
def model(qapp, qtmodeltester) -> FilesModel:
    model = FilesModel(Theme())
    model.set_lines(
        [
            FileLine("b.txt", "indexed", 20, 1, 3, 50),
            FileLine("a.txt", "failed", 100, reason="broken"),
            FileLine("c.md", "skipped", 3),
        ]
    )
    qtmodeltester.check(model)
    return model


def test_files_are_sorted_by_what_they_are_not_by_what_is_shown(model: FilesModel) -> None:
    model.sort(3, Qt.SortOrder.DescendingOrder)
    assert [line.path for line in model.lines] == ["a.txt", "b.txt", "c.md"]
    model.sort(3)
    assert [line.size for line in model.lines] == [3, 20, 100]
    model.sort(0)
    assert [line.path for line in model.lines] == ["a.txt", "b.txt", "c.md"]


def test_what_is_chosen_stays_chosen_while_sorting(model: FilesModel) -> None:
    from PySide6.QtCore import QPersistentModelIndex

    chosen = QPersistentModelIndex(model.index(0, 0))
    model.sort(0, Qt.SortOrder.DescendingOrder)
    assert chosen.data() == "b.txt" and chosen.row() == 1


def test_a_file_that_was_not_listed_gets_a_row(model: FilesModel) -> None:
    model.settle([FileSettled("new.txt", "indexed", "", 7, 1, 1, 2), FileSettled("a.txt", "indexed", "", 100, 1, 1, 9)])
    assert {line.path: line.fate for line in model.lines} == {
        "b.txt": "indexed", "a.txt": "indexed", "c.md": "skipped", "new.txt": "indexed",
    }  # fmt: skip


def test_a_fate_is_told_by_word_shape_and_colour(model: FilesModel) -> None:
    assert len({shape for shape, _ in FATES.values()}) >= 6
    index = model.index(1, 1)
    assert index.data() == "failed"
    assert not index.data(Qt.ItemDataRole.DecorationRole).isNull()
    assert index.data(Qt.ItemDataRole.ForegroundRole) is not None


def _index_of(folder: Path):
    import hashlib

    index = small_index(folder, foreign=False)
    inputs = {
        name: InputInfo(sha256=hashlib.sha256(text.encode()).hexdigest(), size=len(text), documents=1, text_units=2)
        for name, text in (("same.txt", "one"), ("other.txt", "two"), ("gone.txt", "three"))
    }
    index.info = IndexInfo(created=str(date(2026, 1, 1)), inputs=inputs)
    (folder / "same.txt").write_text("one")
    (folder / "other.txt").write_text("TWO")  # the same size, other letters
    (folder / "fresh.txt").write_text("four")
    return index


def test_an_index_says_which_files_changed_since(make_window: MakeWindow, qtbot, tmp_path: Path) -> None:
    index = _index_of(tmp_path)
    window = make_window(opener=lambda path: index, layouter=small_layout)
    window.show_place("documents")
    window.open_path(tmp_path)
    qtbot.waitUntil(lambda: bool(window.messages.messages()))
    sentence = window.messages.messages()[0].sentence
    assert sentence.startswith("Since this index was made: 1 file changed, 1 file new, 1 file gone.")
    assert {line.path: line.fate for line in window.place("documents").model.lines} == {
        "same.txt": "indexed", "other.txt": "changed", "gone.txt": "gone", "fresh.txt": "new",
    }  # fmt: skip


def test_an_unchanged_folder_says_nothing(tmp_path: Path) -> None:
    from explorer.base.cancel import CancelScope
    from explorer.corpus.folder import find_files

    index = _index_of(tmp_path)
    (tmp_path / "other.txt").write_text("two")
    (tmp_path / "gone.txt").write_text("three")
    (tmp_path / "fresh.txt").unlink()
    changes = changes_of(index, find_files, CancelScope())
    assert changes == {} and sentence_of(changes) == ""
    assert with_changes([], changes) == []


def test_a_foreign_index_lists_the_rows_of_its_documents_table(make_window: MakeWindow, qtbot, tmp_path: Path) -> None:
    window = make_window(opener=lambda path: small_index(), layouter=small_layout)
    window.show_place("documents")
    window.open_path(tmp_path)
    model = window.place("documents").model
    qtbot.waitUntil(lambda: model.rowCount() == 1)
    line = model.lines[0]
    assert (line.path, line.fate, line.units, line.tokens) == ("letter.txt", "read", 2, 240)
