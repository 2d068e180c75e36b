"""Start: what was opened before, what is gone, and what the connection can do."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from explorer.gui.preferences import Preferences
from explorer.gui.window import MainWindow


def test_recent_folders_are_listed_the_last_one_first(window: MainWindow, tmp_path: Path) -> None:
    place = window.place("start")
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        window.preferences.remember(tmp_path / name)
    rows = [place.model.index(row, 0).data() for row in range(place.model.rowCount())]
    assert [row.splitlines()[0] for row in rows] == ["two", "one"]


def test_a_recent_folder_that_is_gone_is_said_to_be_gone(window: MainWindow, tmp_path: Path) -> None:
    window.preferences.remember(tmp_path / "lost")
    index = window.place("start").model.index(0, 0)
    assert "is gone" in index.data()
    assert index.data(Qt.ItemDataRole.ForegroundRole) == window.theme.colour("muted")


def test_a_recent_folder_opens_by_a_click_and_can_be_taken_off(window: MainWindow, qtbot, tmp_path: Path) -> None:
    window.preferences.remember(tmp_path)
    place = window.place("start")
    spot = place.recent.visualRect(place.model.index(0, 0)).center()
    with qtbot.waitSignal(window.session.index_opened):
        qtbot.mouseClick(place.recent.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    window.show_place("start")
    row = next(row for row in range(place.model.rowCount()) if place.model.path(place.model.index(row, 0)) == tmp_path)
    place.recent.setCurrentIndex(place.model.index(row, 0))
    window.registry.get("start.forget").trigger()
    assert tmp_path not in window.preferences.recent
    assert tmp_path.exists()


def test_without_recent_folders_a_sentence_stands_there(window: MainWindow) -> None:
    place = window.place("start")
    words = [label.text() for label in place.findChildren(QLabel) if label.isVisible()]
    assert any("Nothing was opened yet" in word for word in words)
    assert any("sends nothing anywhere" in word for word in words)


@pytest.mark.skipif(sys.platform != "linux", reason="only there may a name be any bytes")
def test_a_name_that_is_no_utf8_is_remembered_to_the_byte(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"f\xfcr %41 Br\xc3\xbcder")
    folder.mkdir()
    first = Preferences(tmp_path / "window.ini")
    first.remember(tmp_path / "bytes:plain %41")
    first.remember(folder)
    first.sync()
    again = Preferences(tmp_path / "window.ini")
    assert again.recent == [folder, tmp_path / "bytes:plain %41"]
    assert again.recent[0].is_dir()
    again.remember(folder)
    again.forget(tmp_path / "bytes:plain %41")
    assert again.recent == [folder]
