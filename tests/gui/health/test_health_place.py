"""The Health place: tables, defects and losses of real indexes as the user reads them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt

from tests.gui.conftest import MakeWindow

PATIENCE = 60_000


def texts(model: Any) -> list[list[str]]:
    cells = [[model.index(row, column) for column in range(model.columnCount())] for row in range(model.rowCount())]
    return [[model.data(cell, Qt.ItemDataRole.DisplayRole) for cell in row] for row in cells]


def test_an_index_of_another_maker(make_window: MakeWindow, qtbot: Any, shared: Path) -> None:
    window = make_window()
    place = window.place("health")
    window.show_place("health")
    assert "Open a folder" in place.defects.empty.label.text()
    with qtbot.waitSignal(window.session.index_opened, timeout=PATIENCE):
        window.open_path(shared / "indexes/microsoft/verbs-v3.1.2")
    window.show_place("health")
    qtbot.waitUntil(lambda: place.tables.model.rowCount() > 0, timeout=PATIENCE)
    tables = {row[0]: row for row in texts(place.tables.model)}
    assert tables["entities"][1:3] == ["✓ read", "529"]
    assert "GraphRAG 3" in place.tables.figure.text()
    losses = {row[0]: row for row in texts(place.losses.model)}
    assert losses["Claim never used"][1:3] == ["406", "406"]
    defects = {row[0]: row for row in texts(place.defects.model)}
    assert defects["Entity without community"][1] == "24" and defects["Entity without relationship"][1] == "1"
    assert all(row[2] and row[3] for row in defects.values())  # each has an example and a remedy


def test_a_broken_table_is_named_and_checked_again(
    make_window: MakeWindow, qtbot: Any, shared: Path, tmp_path: Path
) -> None:
    for path in (shared / "indexes/microsoft/dulce-v3.0.0").glob("*.parquet"):
        (tmp_path / path.name).write_bytes(b"" if path.name == "entities.parquet" else path.read_bytes())
    window = make_window()
    place = window.place("health")
    with qtbot.waitSignal(window.session.index_opened, timeout=PATIENCE):
        window.open_path(tmp_path)
    window.show_place("health")
    qtbot.waitUntil(lambda: place.tables.model.rowCount() > 0, timeout=PATIENCE)
    state = {row[0]: row for row in texts(place.tables.model)}["entities"]
    assert "unreadable" in state[1] and "0 bytes" in state[3]
    (tmp_path / "entities.parquet").write_bytes(
        (shared / "indexes/microsoft/dulce-v3.0.0/entities.parquet").read_bytes()
    )
    window.registry.get("health.check").trigger()
    qtbot.waitUntil(lambda: place.tables.model.rowCount() > 0 and _read(place)(), timeout=PATIENCE)


def _read(place: Any) -> Callable[[], bool]:
    return lambda: {row[0]: row for row in texts(place.tables.model)}["entities"][1] == "✓ read"
